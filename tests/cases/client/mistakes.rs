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
fn errors_name_what_was_typed_in_one_line_of_json_where_that_is_asked_for() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    for (words, name) in [
        (&["session", "tail", "nosuch", "-f"][..], "session.tail"),
        (&["session", "subscribe", "nosuch"], "session.tail"),
        (&["run", "--", "nosuch-program"], "run"),
    ] {
        let ran = ccctl.run(words);
        let line = line_of(&ran);
        assert!(line.starts_with(&format!("ccctl: {name}: ")), "{line}");
    }
    let ran = ccctl.run(&["session", "read", "a", "--since", "-1", "--json"]);
    let line: Value = serde_json::from_str(line_of(&ran)).unwrap();
    let message = line["error"]["message"].as_str().unwrap();
    assert!(message.contains("0 or more"), "{message}");
    assert_eq!(line["error"]["data"]["kind"], "usage");
    assert_eq!(ran.code, Some(2));
    // The `--json` after `--` belongs to the program.
    let ran = ccctl.run(&["run", "--no-such-option", "--", "echo", "--json"]);
    assert!(line_of(&ran).starts_with("ccctl: "), "{}", ran.stderr);
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
fn a_wrong_option_of_the_daemon_is_one_line() {
    let output = Command::new(env!("CARGO_BIN_EXE_ccd_under_test"))
        .arg("--bogus")
        .output()
        .unwrap();
    let ran = Ran::of(output);
    let told = "ccd: unexpected argument '--bogus' found; ccd --help shows more";
    assert_eq!(line_of(&ran), told);
    assert_eq!(ran.code, Some(2));
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

#[test]
fn an_error_names_the_commands_and_options_to_use() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    ccctl.ok(&["session", "create", "--name", "s", "--", "cat"]);
    let tapes = daemon.home().join("t");
    std::fs::create_dir_all(&tapes).unwrap();
    let tapes = tapes.to_str().unwrap();
    let create = format!("session create --tapes {tapes} --ignore-arg /a(/ -- cat");
    for (line, told) in [
        ("config get nosuch", "; ccctl config list "),
        ("pattern unset prompt nosuch", "; ccctl pattern list "),
        (
            "session send s --keys Ctrl-C",
            "did you mean C-c?; keys are ",
        ),
        (
            "session send s --keys hello",
            "separated by commas: --keys C-c,Up,Enter",
        ),
        (
            "session expect s a(",
            "unclosed group; --exact matches the text as it is",
        ),
        ("session send s x --expect a(", "; --exact matches"),
        ("run --expect a( -- cat", "; --exact matches"),
        (&create, "create: --ignore-arg is not a regular expression"),
        ("run -- /etc/passwd", "\"/etc/passwd\" is not executable"),
    ] {
        let ran = ccctl.run(&line.split(' ').collect::<Vec<_>>());
        let said = line_of(&ran);
        assert!(said.contains(told), "{line}: {said}");
        assert!(!said.contains("chmod"), "{said}");
    }
    let ran = ccctl.run(&["session", "send", "s", "--keys", "C-c Up"]);
    let told = "did you mean C-c,Up?; keys are ";
    assert!(line_of(&ran).contains(told), "{ran:?}");
    let ran = ccctl.run(&["parallel", "ls | wc"]);
    assert!(ran.stdout.contains("use --shell"), "{ran:?}");
    let ran = ccctl.run(&["play", "--tapes", tapes, "--", "cat"]);
    let told = "ccctl: no tape of cat starts with this command\n";
    assert!(ran.stderr.starts_with(told), "{ran:?}");
    let closed = ccctl.ok(&["session", "close", "s"]);
    assert_eq!(closed, "ended by signal 1 (HUP)\n");
}
