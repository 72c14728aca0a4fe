//! `session.run`: exactly a command's output and exit status, in every shell.

use super::shells::{assert_runs, each_shell, open_fresh};
use crate::support::Daemon;
use crate::support::session::assert_has;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

#[test]
fn output_that_is_no_text_comes_as_bytes_too() {
    let daemon = Daemon::start();
    let reply = daemon.open_bash().run("printf 'a\\377'");
    let bytes = STANDARD.decode(reply.output_b64.unwrap()).unwrap();
    assert_eq!(bytes, b"a\xff");
}

#[test]
fn every_command_is_exact_in_a_shell_within_the_shell() {
    let daemon = Daemon::start();
    let bash = daemon.open_bash();
    bash.ask("PS1='inner> ' sh", "\ninner> |\n\r?inner> ");
    assert_runs(&bash, "printf abc; (exit 7)", "abc", 7);
    bash.ask("exit", "ready> ");
    assert_runs(&bash, "echo outer", "outer\n", 0);
}

#[test]
fn marks_are_not_shown_to_readers() {
    let daemon = Daemon::start();
    let bash = open_fresh(&daemon, "bash", true);
    bash.run("echo words");
    let text = bash.output();
    assert_has(&text, ["\n\rwords\n"]);
    assert!(!text.contains(['\x1b', '\x07']), "{text:?}");
}

#[test]
fn a_run_begins_and_ends_at_its_output() {
    let daemon = Daemon::start();
    let bash = daemon.open_bash();
    let reply = bash.run("echo one; echo two");
    let raw = bash.bytes();
    let part = &raw[usize::try_from(reply.start).unwrap()..usize::try_from(reply.end).unwrap()];
    let part = String::from_utf8_lossy(part);
    assert_has(&part, ["one\r\ntwo\r\n"]);
    assert!(reply.duration_ms < 30_000);
}

#[test]
fn functions_named_as_what_prints_the_marks_are_not_called() {
    let shells = ["bash", "dash", "zsh", "mksh"].map(|shell| (shell, true));
    each_shell(&shells, |_, _, session| {
        session.run("printf() { echo mine; }; print() { echo mine; }");
        assert_runs(session, "printf; (exit 3)", "mine\n", 3);
    });
}
