//! A hostile text as every argument of every command, with a real daemon.

use super::commands::{Verb, verbs};
use super::terminal::on_terminal;
use super::{Findings, HOSTILE, alone_in, each};
use crate::support::{Ccctl, Daemon};
use serde_json::json;
use std::process::Command;

/// Returns the command lines that have the hostile text in all places.
fn lines(verb: &Verb) -> Vec<Vec<String>> {
    let text = |count: usize| vec![HOSTILE.to_owned(); count];
    let with = |more: &[Vec<String>]| [std::slice::from_ref(&verb.words), more].concat().concat();
    let word = |word: &str| vec![word.to_owned()];
    let mut lines = vec![
        with(&[text(verb.arguments + 1)]),
        with(&[vec![format!("--{HOSTILE}")]]),
    ];
    if verb.arguments > 0 {
        lines.push(with(&[text(verb.arguments)]));
        lines.push(with(&[text(verb.arguments), word("--json")]));
        lines.push(with(&[word("--"), text(verb.arguments)]));
    }
    for option in &verb.options {
        let arguments = vec!["a".to_owned(); verb.arguments];
        lines.push(with(&[word(option), text(1), arguments]));
    }
    lines
}

#[test]
fn no_argument_of_any_command_controls_the_terminal() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let folder = tempfile::tempdir().unwrap();
    let command = |line: &[String]| {
        let words: Vec<_> = line.iter().map(String::as_str).collect();
        let mut command = ccctl.command(&words);
        alone_in(folder.path(), &mut command);
        command
    };
    let help = |words: &[String]| {
        let output = command(&[words, &["--help".to_owned()]].concat()).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let verbs = verbs(&help);
    assert!(verbs.len() > 100, "{}", verbs.len());
    let lines: Vec<_> = verbs.iter().flat_map(lines).collect();
    let findings = Findings::default();
    each(&lines, |line| {
        findings.look(&command(line), &on_terminal(command(line)));
    });
    findings.assert_none(lines.len() / 2);
}

#[test]
fn no_key_of_a_configuration_controls_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.json");
    let config = json!({ HOSTILE: 1, "log": { HOSTILE: 1 } });
    std::fs::write(&file, config.to_string()).unwrap();
    let findings = Findings::default();
    for word in ["--check-config", HOSTILE] {
        let command = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_ccd_under_test"));
            command
                .arg(word)
                .env_remove("CCD_CONFIG")
                .env("CCD_HOME", folder.path())
                .env("HOME", folder.path());
            command
        };
        findings.look(&command(), &on_terminal(command()));
    }
    findings.assert_none(2);
}

#[test]
fn the_text_of_a_session_has_no_controls_of_eight_bits() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let script = "printf 'a\\302\\233b\\033[1mc\\n'";
    ccctl.ok(&["session", "create", "--name", "s", "--", "sh", "-c", script]);
    ccctl.ok(&["session", "wait", "s", "--exit"]);
    assert_eq!(ccctl.ok(&["session", "read", "s"]), "abc\n");
    assert_eq!(ccctl.ok(&["session", "tail", "s"]), "abc\n");
    let raw = ccctl.ok(&["session", "read", "s", "--raw"]);
    assert_eq!(raw, "a\u{9b}b\u{1b}[1mc\r\n");
}
