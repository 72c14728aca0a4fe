//! Changes that were there before a run.

use crate::support::any_moment;
use crate::support::exec::{Executor, Ran, Repository};
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

/// Makes changes of each kind: staged, not staged, both in one file, deleted, untracked, executable, ignored.
pub(in crate::exec) fn dirty() -> Repository {
    let repository = Repository::new();
    repository.write("both.txt", "one\n");
    repository.write("gone.txt", "one\n");
    repository.commit("Second");
    repository.write("both.txt", "staged\n");
    repository.write("new-staged.txt", "staged\n");
    repository.git(&["add", "both.txt", "new-staged.txt"]);
    repository.write("both.txt", "not staged\n");
    repository.write("kept.txt", "not staged\n");
    let path = |name: &str| repository.root().join(name);
    fs::set_permissions(path("kept.txt"), Permissions::from_mode(0o600)).unwrap();
    fs::remove_file(path("gone.txt")).unwrap();
    repository.write("folder/untracked \"ä\n.txt", "untracked\n");
    repository.write("binary", b"\0\xff\0");
    repository.write("build.ignored", "ignored\n");
    repository
}

#[test]
fn block_is_the_default_and_names_the_files() {
    let executor = Executor::with_script("touch \"$HOME/ran\"; result");
    let message = executor.refused(&dirty(), &json!({}), "dirty_worktree");
    for name in "both.txt new-staged.txt kept.txt gone.txt binary".split(' ') {
        assert!(message.contains(name), "{name}: {message}");
    }
    assert!(!message.contains("build.ignored"), "{message}");
    assert!(!executor.claude.home().join("ran").exists());
}

/// Runs a script with the changes put away, and asserts that all changes are as before.
fn stashed(repository: &Repository, script: &str, mut more: Value) -> Ran {
    repository.write("later.txt", "mine\n");
    repository.git(&["stash", "push", "-q", "-u", "-m", "mine", "later.txt"]);
    let before = repository.changes();
    more["dirty_worktree"] = "stash".into();
    let mut ran = Executor::with_script(script).run(repository, &more);
    assert_eq!(repository.changes(), before);
    assert_eq!(ran.result.warnings, [""; 0]);
    // Files that were written again have other times, which are in the index. What they contain was compared.
    ran.changed.clear();
    ran
}

#[test]
fn stash_gives_a_clean_work_tree_with_ignored_files_and_restores_all_changes() {
    let script = "init; result \"$(cat both.txt) $(git --no-optional-locks status --porcelain | wc -l) $(cat build.ignored)\"";
    let ran = stashed(&dirty(), script, json!({"output_format": "text"}));
    assert_eq!(ran.succeeded_and_changed(&[]).stdout, "one 0 ignored\n");
    assert_eq!(ran.result.diff, "");
}

#[test]
fn what_a_run_changed_beside_a_stash_is_kept_and_alone_in_its_diff() {
    let repository = dirty();
    let script = "init; echo x >> old.txt; git commit -qam 'By the run'; result";
    let before = repository.changes();
    let head = repository.git(&["rev-parse", "HEAD"]);
    let ran = Executor::with_script(script).run(&repository, &json!({"dirty_worktree": "stash"}));
    assert_eq!(ran.result.error_message, None);
    assert_eq!(ran.result.warnings, [""; 0]);
    assert_eq!(ran.result.files_changed, ["old.txt"]);
    let diff = repository.git(&["diff", &head, "HEAD"]);
    assert_eq!(ran.result.diff.trim_end(), diff);
    assert_eq!(repository.changes(), before);
}

#[test]
fn a_stash_is_restored_after_a_time_out_and_after_a_claude_that_died() {
    let ran = stashed(&dirty(), "init; exec sleep 300", json!({"timeout": 1}));
    ran.ended_as("timeout", "");
    let ran = stashed(&dirty(), "init; kill -9 $$", json!({}));
    ran.ended_as("failed", "signal 9");
}

#[test]
fn a_stash_is_restored_when_its_run_is_cancelled_while_it_is_made() {
    let repository = dirty();
    for number in 0..1000 {
        repository.write(format!("many/{number}.txt"), "untracked\n");
    }
    let before = repository.changes();
    let executor = Executor::with_script("init; exec sleep 300");
    for round in 0..10 {
        let started = executor.start(&repository, &json!({"dirty_worktree": "stash"}));
        any_moment(round, Duration::from_millis(200));
        let cancel = json!({"request_id": started.request_id});
        executor.daemon.ok("exec.cancel", &cancel);
        executor.result(&started);
        assert_eq!(repository.git(&["stash", "list"]), "", "round {round}");
        assert_eq!(repository.changes(), before, "round {round}");
    }
}

#[test]
fn a_stash_is_restored_when_claude_cannot_be_started() {
    let repository = dirty();
    let before = repository.changes();
    let executor = Executor::with_script("");
    executor.claude.replace("#!/no/such/interpreter\n");
    let started = executor.try_start(&repository, &json!({"dirty_worktree": "stash"}));
    if let Ok(started) = started {
        let kind = executor.result(&started).error_kind;
        assert_eq!(kind.as_deref(), Some("claude_unusable"));
    }
    assert_eq!(repository.changes(), before);
}

#[test]
fn a_stash_that_would_overwrite_work_of_the_run_is_kept_and_the_way_back_is_named() {
    let repository = dirty();
    let ran = Executor::with_script("init; echo 'of the run' > kept.txt; result")
        .run(&repository, &json!({"dirty_worktree": "stash"}));
    let said = format!(
        "{:?} {:?} {:?}",
        ran.result.error_kind, ran.result.error_message, ran.result.warnings
    );
    assert!(said.contains("git stash pop --index stash@{0}"), "{said}");
    assert!(said.contains("kept.txt"), "{said}");
    assert_eq!(repository.read("kept.txt"), "of the run\n");
    assert_eq!(repository.git(&["stash", "list"]).lines().count(), 1);
    assert_eq!(ran.result.files_changed, ["kept.txt"]);
    repository.git(&["checkout", "-q", "kept.txt"]);
    repository.git(&["stash", "pop", "-q", "--index", "stash@{0}"]);
    assert_eq!(repository.read("kept.txt"), "not staged\n");
}

#[test]
fn allow_leaves_out_of_the_diff_what_was_dirty_before() {
    let repository = dirty();
    let ran =
        Executor::with_script("init; echo x >> old.txt; echo more >> both.txt; rm binary; result")
            .run(&repository, &json!({"dirty_worktree": "allow"}));
    let result = ran.succeeded_and_changed(&["binary", "both.txt", "old.txt"]);
    assert_eq!(result.files_changed, ["binary", "both.txt", "old.txt"]);
    let mut files = result.diff_info.iter();
    let both = files.find(|file| file.file_path == "both.txt").unwrap();
    assert_eq!((both.additions, both.deletions), (1, 0), "{both:?}");
    assert!(both.diff_text.contains("+more") && !both.diff_text.contains("+not staged"));
}

#[test]
fn allow_and_a_commit_of_everything_by_the_run_shows_the_commit_but_no_diff() {
    let repository = dirty();
    let ran = Executor::with_script("init; git add -A; git commit -qm 'All of it'; result")
        .run(&repository, &json!({"dirty_worktree": "allow"}));
    assert_eq!((ran.result.error_message, &*ran.result.diff), (None, ""));
    assert_eq!(ran.result.commits, [repository.git(&["rev-parse", "HEAD"])]);
}
