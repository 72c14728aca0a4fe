//! What a run changed, in ways that are hard to see.

use crate::support::exec::{Executor, Ran, Repository};
use serde_json::json;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

fn run(repository: &Repository, script: &str) -> Ran {
    Executor::with_script(&format!("init\n{script}\nresult")).run(repository, &json!({}))
}

#[test]
fn a_branch_that_the_run_switched_to_is_the_commit_hash_and_its_commits_are_listed() {
    let repository = Repository::new();
    let script = "git checkout -q -b other; for f in 'x y' z; do echo > \"$f\"; git add .; git commit -qm X; done";
    let result = run(&repository, script).result;
    let commits = repository.git(&["rev-list", "--reverse", "main..other"]);
    assert_eq!(result.commits, commits.lines().collect::<Vec<_>>());
    assert_eq!(result.commit_hash.as_deref(), commits.lines().last());
    assert_eq!(result.files_changed, ["x y", "z"]);
}

#[test]
fn a_run_that_removes_the_objects_of_the_snapshot_says_so_or_has_its_diff_all_the_same() {
    let repository = Repository::new();
    repository.write("kept.txt", "second\n");
    repository.commit("Second");
    let ran = run(
        &repository,
        "git reset -q --hard HEAD~1; git reflog expire --expire=all --all; git gc -q --prune=now",
    );
    let result = &ran.result;
    let is_right = result.diff.contains("-second\n");
    let is_said = result.error_message.is_some() || !result.warnings.is_empty();
    assert!(is_right || is_said, "{result:?}");
}

#[test]
fn a_run_that_deletes_the_repository_is_reported_and_harms_no_later_run() {
    let repository = Repository::new();
    let executor = Executor::with_script("init; rm -rf .git; result");
    let started = executor.start(&repository, &json!({}));
    let result = executor.result(&started);
    let said = format!("{:?} {:?}", result.error_message, result.warnings);
    assert!(said.contains(".git"), "{said}");
    executor.assert_nothing_runs();
    executor.refused(&repository, &json!({}), "repository_error");
    let other = Repository::new();
    executor.claude.stand_in("result");
    executor.run(&other, &json!({})).succeeded_and_changed(&[]);
}

#[test]
fn a_run_that_deletes_its_work_tree_is_reported() {
    let repository = Repository::new();
    let executor = Executor::with_script("init; rm -rf \"$PWD\"; result");
    let result = executor.result(&executor.start(&repository, &json!({})));
    executor.assert_nothing_runs();
    let said = format!("{:?} {:?}", result.error_message, result.warnings);
    assert!(said.contains(&repository.path()), "{said}");
}

#[test]
fn a_fresh_work_tree_has_gits_modes_and_keeps_the_users_own_as_it_is_and_the_result_names_it() {
    let repository = Repository::new();
    repository.write("mine.txt", "dirty\n");
    let executor = Executor::with_script(
        "init; pwd > \"$HOME/pwd\"; echo x > x.txt; git add .; git commit -qm X; result",
    );
    let started = executor.start(&repository, &json!({"worktree": true}));
    let result = executor.result(&started);
    assert_eq!(result.error_message, None, "{result:?}");
    assert_ne!(result.repo_path, repository.path());
    assert_eq!(executor.wait_for_file("pwd").trim(), result.repo_path);
    assert_eq!(result.files_changed, ["x.txt"]);
    assert_eq!(result.commits.len(), 1);
    let mode = |root: &Path| fs::metadata(root.join("kept.txt")).unwrap().mode();
    assert_eq!(mode(Path::new(&result.repo_path)), mode(repository.root()));
    assert_eq!(repository.git(&["status", "--porcelain"]), "?? mine.txt");
    assert_eq!(repository.git(&["log", "--format=%s"]), "First");
    let worktrees = repository.git(&["worktree", "list"]);
    assert!(worktrees.contains(&result.repo_path), "{worktrees}");
}

#[test]
fn ten_megabytes_in_a_hundred_files_are_in_the_diff_without_a_gap() {
    let command = "for i in $(seq 100); do seq -f \"$i line %g of a large file that is written by a run\" 2300 > big$i.txt; done";
    let repository = Repository::new();
    let result = run(&repository, command).result;
    assert_eq!(result.error_message, None);
    assert_eq!(result.files_changed.len(), 100);
    assert!(result.diff.len() > 10_000_000, "{}", result.diff.len());
    let is_git_s = result.diff == repository.diff_since("HEAD");
    assert!(is_git_s, "git prints another diff");
    let additions = result.diff_info.iter().map(|file| file.additions);
    assert_eq!(additions.sum::<u64>(), 230_000);
}
