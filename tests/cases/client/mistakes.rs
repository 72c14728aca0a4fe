//! What `ccctl` and `ccd` print after a mistake of the user.

use crate::support::client::Ran;
use crate::support::{Ccctl, Daemon};
use serde_json::Value;
use std::process::Command;

/// Returns the one line that a failed command prints on standard error.
fn line_of(ran: &Ran) -> &str {
    assert_ne!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    ran.stderr.trim_end()
}

#[test]
fn errors_name_what_was_typed() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    for (words, name) in [
        (&["session", "tail", "nosuch", "-f"][..], "session.tail"),
        (&["session", "subscribe", "nosuch"], "session.subscribe"),
        (&["run", "--", "nosuch-program"], "run"),
    ] {
        let ran = ccctl.run(words);
        let line = line_of(&ran);
        assert!(line.starts_with(&format!("ccctl: {name}: ")), "{line}");
    }
}

#[test]
fn a_wrong_command_line_is_one_line_of_json_where_that_is_asked_for() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let ran = ccctl.run(&["session", "read", "a", "--since", "-1", "--json"]);
    let line: Value = serde_json::from_str(line_of(&ran)).unwrap();
    let message = line["error"]["message"].as_str().unwrap();
    assert!(message.contains("0 or more"), "{message}");
    assert_eq!(line["error"]["data"]["kind"], "usage");
    assert_eq!(ran.code, Some(2));
    // The `--json` after `--` belongs to the program.
    let ran = ccctl.run(&["run", "--no-such-option", "--", "echo", "--json"]);
    assert!(line_of(&ran).starts_with("ccctl: "), "{}", ran.stderr);
}

#[test]
fn a_wrong_option_of_the_daemon_is_one_line() {
    let output = Command::new(env!("CARGO_BIN_EXE_ccd_under_test"))
        .arg("--bogus")
        .output()
        .unwrap();
    let ran = Ran::of(output);
    assert_eq!(
        line_of(&ran),
        "ccd: unexpected argument '--bogus' found; ccd --help shows more"
    );
    assert_eq!(ran.code, Some(2));
}

#[test]
fn the_file_that_was_named_is_checked() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let missing = daemon.home().join("missing.json");
    let missing = missing.to_str().unwrap();
    let told = format!("error: the configuration {missing} does not exist\n");
    let ran = ccctl.run(&["config", "check", missing]);
    assert_eq!((ran.stdout.as_str(), ran.code), (told.as_str(), Some(1)));
    let mut command = ccctl.command(&["config", "check"]);
    let ran = Ran::of(command.env("CCD_CONFIG", missing).output().unwrap());
    assert_eq!((ran.stdout.as_str(), ran.code), (told.as_str(), Some(1)));
}

#[test]
fn signals_go_by_number_and_a_wrong_one_is_told_the_range() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let script = "trap 'echo got it; exit' BUS; echo ready; while :; do sleep 0.01; done";
    ccctl.ok(&["session", "create", "--name", "a", "--", "sh", "-c", script]);
    ccctl.ok(&["session", "expect", "a", "ready"]);
    for wrong in ["0", "65", "999", "-1", "NOTHING"] {
        let ran = ccctl.run(&["session", "signal", "a", "--", wrong]);
        assert!(line_of(&ran).contains("1 to 31"), "{}", ran.stderr);
    }
    ccctl.ok(&["session", "signal", "a", &libc::SIGBUS.to_string()]);
    ccctl.ok(&["session", "expect", "a", "got it"]);
}
