//! Directories that are not ordinary work trees.

use crate::support::exec::{Executor, Repository};
use crate::support::is_long_run;
use ccd_protocol::exec::ExecutionStatus;
use serde_json::json;
use std::fs;

const CHANGES: &str = "init; echo x > x.txt; result";

#[test]
fn on_an_unborn_branch_the_first_commit_is_the_result() {
    let repository = Repository::unborn();
    let executor =
        Executor::with_script("init; echo x > x.txt; git add .; git commit -qm First; result");
    let result = executor.run(&repository, &json!({})).result;
    assert_eq!(result.error_message, None);
    let head = repository.git(&["rev-parse", "HEAD"]);
    assert_eq!(result.commits, [&*head]);
    assert_eq!(result.commit_hash, Some(head));
    assert_eq!(result.files_changed, ["x.txt"]);
    executor.claude.stand_in(CHANGES);
    let again = executor.run(&Repository::unborn(), &json!({}));
    assert_eq!(again.succeeded_and_changed(&["x.txt"]).commit_hash, None);
}

#[test]
fn a_detached_head_stays_detached() {
    let repository = Repository::new();
    repository.git(&["checkout", "-q", "--detach"]);
    let ran = Executor::with_script("init; echo x > x.txt; git add .; git commit -qm X; result")
        .run(&repository, &json!({}));
    let expected = ".git/COMMIT_EDITMSG .git/HEAD .git/index .git/logs/HEAD x.txt";
    let result = ran.succeeded_and_changed(&expected.split(' ').collect::<Vec<_>>());
    let head = repository.git(&["rev-parse", "HEAD"]);
    assert_eq!(result.commits, [&*head]);
    assert_eq!(result.commit_hash, Some(head));
}

#[test]
fn a_submodule_is_a_work_tree_of_its_own_and_its_new_commit_is_a_change_of_the_outer_one() {
    let (outer, library) = (Repository::new(), Repository::new());
    outer.add_submodule(&library, "lib");
    let inner = Repository::at(outer.root().join("lib"));
    inner.git(&["config", "user.name", "Test"]);
    inner.git(&["config", "user.email", "test@example.org"]);
    let executor = Executor::with_script(CHANGES);
    let ran = executor.run(&inner, &json!({}));
    let result = ran.succeeded_and_changed(&["x.txt"]);
    assert_eq!(result.files_changed, ["x.txt"]);
    fs::remove_file(inner.root().join("x.txt")).unwrap();
    let commits = "init; cd lib; echo y > y.txt; git add .; git commit -qm Y; result";
    executor.claude.stand_in(commits);
    let result = executor.run(&outer, &json!({})).result;
    assert_eq!(result.error_message, None);
    assert_eq!(result.files_changed, ["lib"]);
    let diff = result.diff;
    assert!(diff.contains("+Subproject commit"), "{diff}");
}

#[test]
fn where_git_does_not_answer_a_run_ends_at_its_time_limit_and_the_next_one_is_not_held() {
    let executor = Executor::with_script(CHANGES);
    let hanging = Repository::new();
    let pipe = hanging.root().join(".git/logs/HEAD");
    fs::remove_file(&pipe).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, mode, 0).unwrap();
    let started = executor.start(&hanging, &json!({"timeout": 1}));
    let result = executor.result(&started);
    assert_eq!(result.status, ExecutionStatus::Timeout);
    let message = result.error_message.unwrap();
    let late = "git did not answer within 1 s";
    assert!(message.contains(late), "{message}");
    let next = executor.run(&Repository::new(), &json!({}));
    next.succeeded_and_changed(&["x.txt"]);
}

#[test]
fn rules_that_take_for_ever_occupy_one_thread_for_all_runs_in_a_work_tree() {
    let executor = Executor::with_script(CHANGES);
    let repository = Repository::new();
    repository.write(".gitignore", &("*a".repeat(8) + "*b\n"));
    repository.write(&("a".repeat(200) + "c"), "");
    let result = |params| executor.result(&executor.start(&repository, &params));
    let first = result(json!({"timeout": 1})).error_message.unwrap();
    assert!(first.contains("git did not answer within 1 s"), "{first}");
    let next = result(json!({"lock_timeout": 1}));
    assert_eq!(next.error_kind.as_deref(), Some("exec_busy"));
}

#[test]
fn a_pipe_that_a_run_makes_in_git_holds_its_end_no_longer_than_the_limit_for_that() {
    if !is_long_run() {
        return; // the limit is half a minute
    }
    let pipe = "rm .git/logs/HEAD; mkfifo .git/logs/HEAD";
    let executor = Executor::with_script(&format!("init; {pipe}; result"));
    let repository = Repository::new();
    let result = executor.result(&executor.start(&repository, &json!({"timeout": 1})));
    let message = result.error_message.unwrap();
    let late = "what the run changed is not known: ";
    assert!(message.contains(late), "{message}");
    let late = "git did not answer within 30 s";
    assert!(message.contains(late), "{message}");
    assert_eq!(result.error_kind.as_deref(), Some("repository_error"));
}
