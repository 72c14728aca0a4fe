//! Keys of the configuration that only runs have. `parallel`, `lock_timeout`, `timeout`, `stall_s` and `grace_s` are tried
//! in `queue` and `limits`.

use crate::support::exec::{Claude, Executor, Repository};
use serde_json::json;
use std::process::Command;

#[test]
fn a_configured_program_is_used_although_the_path_has_another_one() {
    let other = Claude::script("init; result other");
    let path = other.program();
    let claude = Claude::script("init; result own");
    let executor = Executor::configured(claude, &json!({"claude": path}));
    let ran = executor.run(&Repository::new(), &json!({"output_format": "text"}));
    assert_eq!(ran.succeeded_and_changed(&[]).stdout, "other\n");
}

/// Moves all times in the database back by so many days.
fn age(executor: &Executor, days: u32) {
    let script = "import sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as c:\n for t, n in (('sessions', 'last_accessed'), ('executions', 'timestamp')):\n  \
                  c.execute(f\"UPDATE {t} SET {n} = strftime('%Y-%m-%dT%H:%M:%fZ', {n}, ?)\", (f'-{sys.argv[2]} days',))";
    let status = Command::new("python3")
        .args(["-c", script])
        .arg(executor.daemon.home().join("exec.sqlite"))
        .arg(days.to_string())
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
fn a_conversation_that_nobody_used_for_a_week_is_expired() {
    let executor = Executor::with_script("init; result");
    let repository = Repository::new();
    let first = executor.run(&repository, &json!({})).result;
    // A daemon that starts removes it.
    age(&executor, 8);
    let resume = json!({"resume_session_id": first.session_id});
    executor.refused(&repository, &resume, "session_expired");
}

#[test]
fn conversations_expire_and_results_go_after_the_configured_days() {
    let claude = Claude::script("init; result");
    let mut executor = Executor::configured(claude, &json!({"session_days": 3, "keep_days": 5}));
    let repository = Repository::new();
    let first = executor.run(&repository, &json!({})).result;
    let resume = json!({"resume_session_id": first.session_id});
    let count = |executor: &Executor| {
        let list = executor.daemon.ok("exec.list", &json!({}));
        list["executions"].as_array().unwrap().len()
    };
    let aged = |executor: &mut Executor, days| {
        executor.daemon.stop();
        age(executor, days);
        executor.daemon.restart();
    };
    aged(&mut executor, 2);
    let resumed = executor.run(&repository, &resume).result;
    assert_eq!(resumed.error_message, None);
    aged(&mut executor, 2);
    let nothing = json!({"sessions": 0, "executions": 0});
    let cleanup = |executor: &Executor, params| executor.daemon.ok("exec.cleanup", &params);
    assert_eq!(cleanup(&executor, json!({})), nothing);
    aged(&mut executor, 2);
    // The conversation has gone after 3 days, the first run after 5; the other is 4 days old.
    let removed = crate::support::eventually("the daemon removes them by itself", || {
        (count(&executor) == 1).then(|| cleanup(&executor, json!({})))
    });
    assert_eq!(removed, nothing);
}
