//! Nothing is recorded before somebody asks for it.

use crate::hook::install::at_home;
use crate::hook::{events, failure, silent_hook};
use crate::support::client::Ran;
use crate::support::{Ccctl, Daemon, assert_has};
use serde_json::{Value, json};

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
    Ccctl::new(daemon).run_in(daemon.home(), args)
}

fn since(daemon: &Daemon) -> Value {
    daemon.ok("coach.status", &json!({}))["recording_since"].clone()
}

#[test]
fn a_day_without_claude_code_leaves_no_file_of_coach_and_index() {
    let mut daemon = Daemon::start();
    let claude = daemon.home().join(".claude/projects/-p");
    std::fs::create_dir_all(&claude).unwrap();
    let transcript = "8b5e2f3a-0000-4000-8000-000000000000.jsonl";
    std::fs::write(claude.join(transcript), "{}\n").unwrap();
    let mut connection = daemon.connect();
    for number in 0..20 {
        let session = connection.start_session(&["sh", "-c", &format!("exit {}", number % 3)]);
        connection.ended(&session);
    }
    for line in [
        "run -- false",
        "rec -- echo recorded",
        "parallel true false",
        "doctor",
        "coach status",
        "coach review",
        "coach events",
        "coach report",
        "coach ledger",
        "coach export",
        "coach aggregate",
        "coach forget --all --yes",
        "coach approve 12345678",
        "data",
        "data forget --dry-run",
        "hooks status",
        "hooks install --dry-run",
    ] {
        let args: Vec<&str> = line.split(' ').collect();
        ccctl(&daemon, &args);
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
    let hooks = |verb: &str| {
        let ran = at_home(&daemon, daemon.home(), &["hooks", verb]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    };
    let command = std::cell::Cell::new(0);
    let fail = || {
        command.set(command.get() + 1);
        let call = format!("t{}", command.get());
        silent_hook(
            &daemon,
            &failure("s", &call, "make", "Exit code 1\nerror: x"),
        );
    };
    fail();
    events(&daemon, 1);
    assert!(since(&daemon).is_string());
    hooks("install");
    hooks("uninstall");
    assert_eq!(since(&daemon), Value::Null);
    // A running session of Claude Code still has the hooks.
    fail();
    assert_eq!(since(&daemon), Value::Null);
    hooks("install");
    assert!(since(&daemon).is_string());
    fail();
    events(&daemon, 2);

    hooks("uninstall");
    std::fs::write(daemon.config_path(), r#"{"coach": {"record": true}}"#).unwrap();
    daemon.ok("daemon.reload", &json!({}));
    assert!(since(&daemon).is_string());
    fail();
    events(&daemon, 3);
}

#[test]
fn an_installation_records_nothing_by_itself() {
    let daemon = Daemon::start();
    let ran = at_home(&daemon, daemon.home(), &["hooks", "install"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(since(&daemon).is_string());
    assert_eq!(records(&daemon), ["coach-recording-since"]);
}

#[test]
fn coach_record_decides_whatever_is_installed() {
    let daemon = Daemon::with_config(r#"{"coach": {"record": false}}"#);
    let payload = failure("s", "t1", "make", "Exit code 1\nerror: x");
    silent_hook(&daemon, &payload);
    assert_eq!(records(&daemon), [""; 0]);
    let status = ccctl(&daemon, &["coach", "status"]).stdout;
    assert_has(&status, ["no: configuration key coach.record"]);
    std::fs::write(daemon.config_path(), r#"{"coach": {"record": true}}"#).unwrap();
    daemon.ok("daemon.reload", &json!({}));
    assert!(since(&daemon).is_string());
    silent_hook(&daemon, &payload);
    events(&daemon, 1);
}
