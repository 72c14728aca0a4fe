//! Nothing is recorded before somebody asks for it.

use crate::hook::{events, failure, silent_hook};
use crate::support::client::Ran;
use crate::support::{Ccctl, Daemon, eventually};
use serde_json::{Value, json};
use std::path::Path;

/// What coach, hooks and index keep.
const RECORDS: [&str; 5] = [
    ".claude-coach",
    "run/ccd.sock.hooks",
    "coach-recording-since",
    "spool",
    "conversations.sqlite",
];

fn records(daemon: &Daemon) -> Vec<&'static str> {
    let mut records = RECORDS.to_vec();
    records.retain(|name| daemon.home().join(name).exists());
    records
}

fn ccctl(daemon: &Daemon, args: &[&str]) -> Ran {
    let mut command = Ccctl::new(daemon).command(args);
    Ran::of(command.current_dir(daemon.home()).output().unwrap())
}

fn since(daemon: &Daemon) -> Value {
    daemon.call_value("coach.status", &json!({})).unwrap()["recording_since"].clone()
}

#[test]
fn a_day_without_claude_code_leaves_no_file_of_coach_and_index() {
    let mut daemon = Daemon::start();
    let claude = daemon.home().join(".claude/projects/-p");
    std::fs::create_dir_all(&claude).unwrap();
    std::fs::write(
        claude.join("8b5e2f3a-0000-4000-8000-000000000000.jsonl"),
        "{}\n",
    )
    .unwrap();
    let mut connection = daemon.connect();
    for number in 0..20 {
        let session = connection.start_session(&["sh", "-c", &format!("exit {}", number % 3)]);
        connection.ended(&session);
    }
    for args in [
        &["run", "--", "false"][..],
        &["rec", "--", "echo", "recorded"],
        &["parallel", "true", "false"],
        &["doctor"],
        &["coach", "status"],
        &["coach", "review"],
        &["coach", "events"],
        &["coach", "report"],
        &["coach", "ledger"],
        &["coach", "export"],
        &["coach", "aggregate"],
        &["coach", "forget", "--all", "--yes"],
        &["coach", "approve", "12345678"],
        &["data"],
        &["data", "forget", "--dry-run"],
        &["hooks", "status"],
        &["hooks", "install", "--dry-run"],
    ] {
        ccctl(&daemon, args);
        assert_eq!(records(&daemon), [""; 0], "{args:?}");
    }
    daemon.stop();
    daemon.restart();
    assert_eq!(since(&daemon), Value::Null);
    assert_eq!(records(&daemon), [""; 0]);
    // A question about conversations is what the index is for.
    ccctl(&daemon, &["conversation", "list"]);
    assert_eq!(records(&daemon), ["conversations.sqlite"]);
}

#[test]
fn recording_begins_with_an_installation_or_the_first_hook_and_ends_with_the_last_uninstall() {
    let daemon = Daemon::start();
    let program = Path::new(env!("CARGO_BIN_EXE_ccctl_under_test"));
    let named = daemon.home().join("ccctl");
    std::os::unix::fs::symlink(program, &named).unwrap();
    let hooks = |verb: &str| {
        let mut command = std::process::Command::new(&named);
        command.args(["hooks", verb]).current_dir(daemon.home());
        command
            .env("HOME", daemon.home())
            .env("CCD_HOME", daemon.home())
            .env_remove("CCD_SOCKET")
            .env_remove("CLAUDE_CONFIG_DIR");
        let ran = Ran::of(command.output().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:?}");
    };
    hooks("install");
    let installed = since(&daemon);
    assert!(installed.is_string());
    assert_eq!(records(&daemon), ["coach-recording-since"]);
    hooks("uninstall");
    assert_eq!((since(&daemon), records(&daemon)), (Value::Null, vec![]));
    let payload = failure("s", "t1", "make", "Exit code 1\nerror: x");
    silent_hook(&daemon, &payload);
    events(&daemon, 1);
    assert!(since(&daemon).is_string());
    hooks("install");
    hooks("uninstall");
    assert_eq!(since(&daemon), Value::Null);
}

#[test]
fn coach_record_decides_whatever_is_installed() {
    let daemon = Daemon::builder()
        .config(r#"{"coach": {"record": false}}"#)
        .start();
    let payload = failure("s", "t1", "make", "Exit code 1\nerror: x");
    silent_hook(&daemon, &payload);
    assert_eq!(records(&daemon), [""; 0]);
    let status = ccctl(&daemon, &["coach", "status"]).stdout;
    assert!(
        status.contains("no: configuration key coach.record"),
        "{status}"
    );
    std::fs::write(daemon.config_path(), r#"{"coach": {"record": true}}"#).unwrap();
    daemon.call_value("daemon.reload", &json!({})).unwrap();
    assert!(since(&daemon).is_string());
    silent_hook(&daemon, &payload);
    eventually("it is recorded", || {
        (daemon.call_value("coach.events", &json!({})).unwrap()["events"][0])
            .is_object()
            .then_some(())
    });
}
