//! Runs that wait for each other.

use crate::support::exec::{Claude, Executor, Repository};
use crate::support::{Daemon, eventually};
use ccd_protocol::exec::ExecStarted;
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;

/// A run that waits for a file with the name of its instruction, and writes down when it starts and ends.
const WAITS: &str = "init; echo \"start $instruction\" >> \"$HOME/order\"\n\
    while ! [ -e \"$HOME/go-$instruction\" ]; do sleep 0.02; done\n\
    echo \"end $instruction\" >> \"$HOME/order\"; result";

fn start(executor: &Executor, repository: &Repository, name: &str) -> ExecStarted {
    executor.start(repository, &json!({"instruction": name}))
}

fn release(executor: &Executor, name: &str) {
    fs::write(executor.claude.home().join(format!("go-{name}")), "").unwrap();
}

fn wait_until_running(executor: &Executor, name: &str) {
    let line = format!("start {name}\n");
    let has_started = || executor.wait_for_file("order").contains(&line);
    eventually("the run has started", || has_started().then_some(()));
}

#[test]
fn runs_in_one_work_tree_run_in_order_and_know_their_position() {
    let executor = Executor::with_script(WAITS);
    let repository = Repository::new();
    symlink(repository.root(), repository.beside("link")).unwrap();
    let one = start(&executor, &repository, "one");
    wait_until_running(&executor, "one");
    let by_link = json!({"instruction": "two", "repo_path": repository.beside("link")});
    let two = executor.start(&repository, &by_link);
    let progress = executor.wait_for_progress(&two, |progress| progress["position"] == 1);
    assert_eq!(progress["phase"], "queued");
    let three = start(&executor, &repository, "three");
    executor.wait_for_progress(&three, |progress| progress["position"] == 2);
    assert_eq!(executor.get(&three).status.name(), "queued");
    assert_eq!(executor.get(&one).status.name(), "running");
    for name in ["three", "two", "one"] {
        release(&executor, name);
    }
    for started in [&one, &two, &three] {
        assert_eq!(executor.result(started).status.name(), "success");
    }
    let order = "start one\nend one\nstart two\nend two\nstart three\nend three\n";
    assert_eq!(executor.wait_for_file("order"), order);
}

#[test]
fn a_run_that_waits_too_long_or_is_cancelled_while_it_waits_never_starts() {
    // It counts if the request has none.
    let executor = Executor::configured(Claude::script(WAITS), &json!({"lock_timeout": 0}));
    let repository = Repository::new();
    let one = start(&executor, &repository, "one");
    wait_until_running(&executor, "one");
    for params in [
        json!({"instruction": "two", "lock_timeout": 1}),
        json!({"instruction": "two"}),
    ] {
        let result = executor.result(&executor.start(&repository, &params));
        let kind = result.error_kind.as_deref();
        assert_eq!((result.status.name(), kind), ("failed", Some("exec_busy")));
    }
    let params = json!({"instruction": "two", "lock_timeout": 60});
    let cancelled = executor.start(&repository, &params);
    executor.wait_for_progress(&cancelled, |progress| progress["position"] == 1);
    let cancel = json!({"request_id": cancelled.request_id});
    executor.daemon.ok("exec.cancel", &cancel);
    assert_eq!(executor.result(&cancelled).status.name(), "failed");
    release(&executor, "one");
    assert_eq!(executor.result(&one).status.name(), "success");
    assert!(!executor.wait_for_file("order").contains("two"));
}

#[test]
fn runs_of_two_daemons_in_one_work_tree_wait_for_each_other() {
    let mut first = Executor::with_script(WAITS);
    let repository = Repository::new();
    let one = start(&first, &repository, "one");
    wait_until_running(&first, "one");
    let daemon = std::mem::replace(&mut first.daemon, Daemon::start());
    let two = start(&first, &repository, "two");
    first.wait_for_progress(&two, |progress| progress["waits_for"].is_string());
    release(&first, "two");
    release(&first, "one");
    assert_eq!(first.result(&two).status.name(), "success");
    drop(std::mem::replace(&mut first.daemon, daemon));
    assert_eq!(first.result(&one).status.name(), "success");
    let order = "start one\nend one\nstart two\nend two\n";
    assert_eq!(first.wait_for_file("order"), order);
}

#[test]
fn different_work_trees_run_at_once_up_to_the_limit_also_of_one_repository() {
    let executor = Executor::configured(Claude::script(WAITS), &json!({"parallel": 2}));
    let main = Repository::new();
    let linked = main.beside("linked");
    let add = ["worktree", "add", "-q", "-b", "side"];
    main.git(&[&add[..], &[linked.to_str().unwrap()]].concat());
    let repositories = [main, Repository::at(linked), Repository::new()];
    let one = start(&executor, &repositories[0], "one");
    let two = start(&executor, &repositories[1], "two");
    wait_until_running(&executor, "one");
    wait_until_running(&executor, "two");
    let three = start(&executor, &repositories[2], "three");
    executor.wait_for_progress(&three, |progress| progress["phase"] == "queued");
    release(&executor, "two");
    wait_until_running(&executor, "three");
    assert!(!executor.wait_for_file("order").contains("end one"));
    release(&executor, "one");
    release(&executor, "three");
    for started in [one, two, three] {
        assert_eq!(executor.result(&started).status.name(), "success");
    }
}

#[test]
fn a_run_whose_work_tree_is_gone_when_its_turn_comes_says_so() {
    let executor = Executor::with_script(WAITS);
    let repository = Repository::new();
    let one = start(&executor, &repository, "one");
    wait_until_running(&executor, "one");
    let two = start(&executor, &repository, "two");
    executor.wait_for_progress(&two, |progress| progress["position"] == 1);
    fs::rename(repository.root(), repository.beside("elsewhere")).unwrap();
    release(&executor, "one");
    executor.result(&one);
    let result = executor.result(&two);
    let kind = result.error_kind.as_deref();
    assert_eq!(kind, Some("repository_error"), "{result:?}");
    assert_eq!(result.status.name(), "failed");
    assert!(result.error_message.unwrap().contains(&repository.path()));
    assert_eq!(result.instruction, "two");
}
