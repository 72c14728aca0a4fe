//! Runs with `worktree`: without hooks and filters, or with them, which may fail or hang.

use crate::support::exec::{Claude, Executor, Repository};
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

/// Returns an executor that runs hooks and filters.
fn with_setup(script: &str) -> Executor {
    Executor::configured(Claude::script(script), &json!({"worktree_setup": true}))
}

fn branches(repository: &Repository) -> String {
    repository.git(&["branch", "--list", "ccd/*"])
}

fn assert_nothing_left(executor: &Executor, repository: &Repository) {
    assert_eq!(branches(repository), "");
    assert_eq!(repository.git(&["worktree", "list"]).lines().count(), 1);
    let worktrees = executor.daemon.home().join("worktrees");
    assert_eq!(std::fs::read_dir(worktrees).unwrap().count(), 0);
}

#[test]
fn hooks_and_filters_run_only_if_the_user_s_configuration_says_so() {
    for is_on in [false, true] {
        let script = "init; cat kept.txt > seen.txt; result";
        let setup = json!({"worktree_setup": is_on});
        let executor = Executor::configured(Claude::script(script), &setup);
        let repository = Repository::new();
        repository.write(".gitattributes", "kept.txt filter=up\n");
        repository.commit("Filter");
        repository.git(&["config", "filter.up.smudge", "tr a-z A-Z"]);
        repository.git(&["config", "filter.up.clean", "tr A-Z a-z"]);
        // One that fails stops no run.
        hook(&repository, "touch ../by-the-hook; exit 3");
        let started = executor.start(&repository, &json!({"worktree": true}));
        let result = executor.result(&started);
        assert_eq!(result.error_message, None);
        assert_eq!(result.files_changed, ["seen.txt"]);
        assert_eq!(branches(&repository).lines().count(), 1);
        let expected = if is_on { "+LINE 1\n" } else { "+line 1\n" };
        assert!(result.diff.contains(expected), "{}", result.diff);
        let worktrees = executor.daemon.home().join("worktrees");
        assert_eq!(worktrees.join("by-the-hook").exists(), is_on);
    }
}

#[test]
fn a_run_that_gets_no_work_tree_or_does_not_start_leaves_nothing() {
    let executor = with_setup("init; result");
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
    assert_nothing_left(&executor, &repository);
}

#[test]
fn a_hook_or_a_filter_that_hangs_is_ended_by_the_limits_of_the_run() {
    let hang = "touch \"$HOME/started\"; setsid sleep 300 & sleep 300";
    for (has_filter, is_cancelled) in [(false, false), (true, false), (false, true)] {
        let executor = with_setup("init; result");
        let repository = Repository::new();
        if has_filter {
            repository.write(".gitattributes", "*.txt filter=slow\n");
            repository.commit("Filter");
            repository.git(&["config", "filter.slow.smudge", hang]);
        } else {
            hook(&repository, hang);
        }
        let timeout = if is_cancelled { 60 } else { 1 };
        let params = json!({"worktree": true, "timeout": timeout});
        let started = executor.start(&repository, &params);
        if is_cancelled {
            executor.wait_for_file("started");
            let params = json!({"request_id": started.request_id});
            executor.daemon.ok("exec.cancel", &params);
        }
        let result = executor.result(&started);
        let late = "git worktree add took longer than the time limit of 1 second";
        let (status, said) = if is_cancelled {
            ("failed", "cancelled")
        } else {
            ("timeout", late)
        };
        let message = result.error_message.unwrap();
        assert_eq!((result.status.name(), result.error_kind), (status, None));
        assert!(message.contains(said), "{message}");
        executor.assert_nothing_runs();
        assert_nothing_left(&executor, &repository);
    }
}
