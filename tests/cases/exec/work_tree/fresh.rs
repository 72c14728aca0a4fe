//! Runs with `worktree`, if git or a hook fails.

use crate::support::exec::{Executor, Repository};
use crate::support::executable::write_script;
use serde_json::json;

fn hook(repository: &Repository, script: &str) {
    let hooks = repository.root().join(".git/hooks");
    std::fs::create_dir_all(&hooks).unwrap();
    write_script(
        &hooks.join("post-checkout"),
        &format!("#!/bin/sh\n{script}\n"),
    );
}

fn branches(repository: &Repository) -> String {
    repository.git(&["branch", "--list", "ccd/*"])
}

#[test]
fn a_post_checkout_hook_that_fails_stops_no_run() {
    for script in ["exit 3", "echo broken >&2; exit 1", "kill -9 $$"] {
        let executor = Executor::with_script("init; echo x > new.txt; result");
        let repository = Repository::new();
        hook(&repository, script);
        let started = executor.start(&repository, &json!({"worktree": true}));
        let result = executor.result(&started);
        assert_eq!(result.error_message, None, "{script}");
        assert_eq!(result.files_changed, ["new.txt"]);
        assert_eq!(branches(&repository).lines().count(), 1);
    }
}

#[test]
fn a_run_that_gets_no_work_tree_or_does_not_start_leaves_nothing() {
    let executor = Executor::with_script("init; result");
    let repository = Repository::new();
    hook(&repository, "exit 1");
    repository.write(".gitattributes", "*.txt filter=bad\n");
    repository.commit("Filter");
    repository.git(&["config", "filter.bad.smudge", "echo why >&2; false"]);
    repository.git(&["config", "filter.bad.required", "true"]);
    let message = executor.refused(&repository, &json!({"worktree": true}), "repository_error");
    assert!(message.contains("why"), "{message}");
    repository.git(&["config", "filter.bad.required", "false"]);
    // Its interpreter is missing, so it is found, and cannot be started.
    executor.claude.replace("#!/no/such/interpreter\n");
    executor.refused(&repository, &json!({"worktree": true}), "claude_unusable");
    assert_eq!(branches(&repository), "");
    assert_eq!(repository.git(&["worktree", "list"]).lines().count(), 1);
    let worktrees = executor.daemon.home().join("worktrees");
    assert_eq!(std::fs::read_dir(worktrees).unwrap().count(), 0);
}
