//! Daemons that are killed in the middle of a run.

use crate::exec::work_tree::dirty::dirty;
use crate::support::eventually;
use crate::support::exec::{Executor, Repository};
use crate::support::worker::kill_worker;
use ccd_protocol::exec::{ExecStarted, ExecutionResult};
use serde_json::json;
use std::os::unix::fs::PermissionsExt as _;

/// A run that lasts, with a process that left it, and then a marker.
const LASTS: &str = "init; touch \"$HOME/started\"; setsid sleep 320.5 & echo half > half.txt; sleep 320; echo end > end.txt; result";

/// Starts a run on a dirty work tree, kills in some way once it runs, and returns its result.
fn killed(kill: impl Fn(&mut Executor)) -> (Executor, Repository, ExecutionResult) {
    let mut executor = Executor::with_script(LASTS);
    let repository = dirty();
    let before = repository.changes();
    let started = executor.start(&repository, &json!({"dirty_worktree": "stash"}));
    executor.wait_for_file("started");
    eventually("the run has changed something", || {
        repository.root().join("half.txt").exists().then_some(())
    });
    assert_ne!(repository.changes(), before);
    kill(&mut executor);
    let result = ended(&executor, &started);
    executor.assert_nothing_runs();
    assert_eq!(repository.read("half.txt"), "half\n");
    assert!(!repository.root().join("end.txt").exists());
    std::fs::remove_file(repository.root().join("half.txt")).unwrap();
    assert_eq!(repository.changes(), before);
    let metadata = repository.root().join("kept.txt").metadata().unwrap();
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    (executor, repository, result)
}

/// Waits for the end of a run while the daemon may be away.
fn ended(executor: &Executor, started: &ExecStarted) -> ExecutionResult {
    let params = json!({"request_id": started.request_id});
    eventually("the run has ended", || {
        let result = executor.daemon.try_call_value("exec.get", &params)?;
        let result: ExecutionResult = serde_json::from_value(result).unwrap();
        result.status.has_ended().then_some(result)
    })
}

#[test]
fn after_a_kill_of_the_whole_daemon_the_next_one_ends_the_run_and_gives_the_work_tree_back() {
    let (executor, repository, result) = killed(|executor| {
        executor.daemon.kill();
        executor.daemon.restart();
    });
    assert_eq!(result.status.name(), "failed");
    assert!(result.error_message.unwrap().contains("daemon"));
    assert_eq!(result.files_changed, ["half.txt"]);
    // The lock is free again.
    executor.claude.stand_in("result");
    let ran = executor.run(&repository, &json!({"dirty_worktree": "allow"}));
    ran.succeeded_and_changed(&[]);
}

#[test]
fn after_a_kill_of_the_worker_alone_the_next_one_ends_the_run_and_gives_the_work_tree_back() {
    let (_, _, result) = killed(|executor| kill_worker(&executor.daemon));
    assert_eq!(result.status.name(), "failed");
    assert!(result.error_message.unwrap().contains("daemon"));
}

#[test]
fn a_daemon_that_stops_ends_its_runs_first() {
    let (_, _, result) = killed(|executor| {
        executor.daemon.stop();
        executor.assert_nothing_runs();
        executor.daemon.restart();
    });
    assert_eq!(result.status.name(), "failed");
}

#[test]
fn results_outlive_a_kill_of_the_daemon() {
    let mut executor = Executor::with_script("init; echo x > x.txt; result");
    let repository = Repository::new();
    let started = executor.start(&repository, &json!({}));
    let before = executor.result(&started);
    executor.daemon.kill();
    executor.daemon.restart();
    assert_eq!(executor.get(&started), before);
}

#[test]
fn a_run_that_waited_when_the_daemon_was_killed_never_starts_without_a_word() {
    let mut executor =
        Executor::with_script("init; echo \"$instruction\" >> \"$HOME/order\"; sleep 300");
    let repository = Repository::new();
    executor.start(&repository, &json!({"instruction": "one"}));
    executor.wait_for_file("order");
    let two = executor.start(&repository, &json!({"instruction": "two"}));
    executor.wait_for_progress(&two, |progress| progress["position"] == 1);
    executor.daemon.kill();
    executor.daemon.restart();
    let result = ended(&executor, &two);
    assert_eq!(result.status.name(), "failed");
    assert!(result.error_message.unwrap().contains("daemon"));
    executor.assert_nothing_runs();
    assert_eq!(executor.wait_for_file("order"), "one\n");
}
