//! The end of standard input is final, as on a pipe, whatever the program does with its terminal.

use crate::support::executable::with_input;
use crate::support::session::{OpenSession, exact, guesses, lacks};
use crate::support::{Ccctl, Daemon};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ccd_protocol::Timeout;
use ccd_protocol::run::{RunOnce, RunOnceParams};
use ccd_protocol::session::Pattern;

/// Far more than any of these programs needs; ends one that hangs.
const LIMIT_S: &str = "30";

/// Runs a program with `input` on a pipe that is then closed; returns the output and the exit status.
fn run(daemon: &Daemon, input: &[u8], program: &[&str]) -> (String, Option<i32>) {
    let words = [&["run", "--timeout", LIMIT_S, "--"], program].concat();
    let output = with_input(&mut Ccctl::new(daemon).command(&words), input);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (text, output.status.code())
}

#[test]
fn everyone_who_reads_finds_the_end() {
    let daemon = Daemon::start();
    let script = "cat; echo A; cat; echo B; read line || echo C";
    for (input, output) in [("", "A\nB\nC\n"), ("one\n", "one\nA\nB\nC\n")] {
        assert_eq!(
            run(&daemon, input.as_bytes(), &["sh", "-c", script]),
            (output.to_owned(), Some(0))
        );
    }
    // An unfinished line is read first, then the end of the input.
    let (text, status) = run(&daemon, b"half", &["sh", "-c", script]);
    assert_eq!((text.as_str(), status), ("halfA\nB\nC\n", Some(0)));
}

#[test]
fn a_line_editor_that_starts_after_the_end_finds_it() {
    let daemon = Daemon::start();
    let (text, status) = run(&daemon, b"echo 6*$((6*7))\n", &["bash", "--norc", "-i"]);
    assert!(text.contains("6*42"), "{text:?}");
    assert_eq!(status, Some(0));
    // The terminal is in line mode until the end is typed, and in key mode afterwards.
    let late = "sleep 0.3; exec bash --norc -i";
    let (_, status) = run(&daemon, b"", &["sh", "-c", late]);
    assert_eq!(status, Some(0));
    // Like a reader of a pipe, the shell runs an unfinished last line.
    let (text, status) = run(&daemon, b"echo 7*$((6*7))", &["sh", "-c", late]);
    assert!(text.contains("7*42"), "{text:?}");
    assert_eq!(status, Some(0));
}

#[test]
fn the_end_of_given_input_lasts_in_one_call() {
    let daemon = Daemon::start();
    for stdin in [None, Some(STANDARD.encode("one\ntwo"))] {
        let params = RunOnceParams {
            program: "sh".to_owned(),
            args: ["-c", "cat >/dev/null; cat; cat; echo done"]
                .map(str::to_owned)
                .to_vec(),
            cwd: Some("/".to_owned()),
            stdin_b64: stdin,
            timeout_ms: Timeout::After(30_000.0),
            ..RunOnceParams::default()
        };
        let reply = daemon.call::<RunOnce>(&params).unwrap();
        assert_eq!((reply.output.as_str(), reply.timed_out), ("done\n", false));
    }
}

#[test]
fn exact_bytes_arrive_before_the_end() {
    let daemon = Daemon::start();
    let long_line = "x".repeat(270_000);
    let (text, status) = run(&daemon, long_line.as_bytes(), &["cat"]);
    assert!(text == long_line, "{} bytes", text.len());
    assert_eq!(status, Some(0));
}

#[test]
fn a_session_that_gets_no_more_input_ends_by_itself() {
    let daemon = Daemon::start();
    let session = daemon.open("sh", &["-c", "cat; cat; echo enough"]);
    let ccctl = Ccctl::new(&daemon);
    ccctl.ok(&["session", "send", session.id(), "one"]);
    ccctl.ok(&["session", "send", session.id(), "--eof"]);
    assert_eq!(session.ended().exitstatus, Some(0));
    assert!(session.output().ends_with("one\nenough\n"));
}

/// Returns how many `^D` a program that prints its keys has printed so far.
fn shown_ends(session: &OpenSession<'_>) -> usize {
    session.output().matches("^D").count()
}

#[test]
fn a_program_that_takes_the_end_as_a_key_gets_it_three_times() {
    let daemon = Daemon::start();
    if guesses(&daemon) || lacks(&["perl"]) {
        return;
    }
    let script = "stty raw -echo; echo ready; perl -e '$|=1; print sysread(STDIN, $c, 1) && sprintf(\"^%c\", ord($c)+64) while 1'";
    let session = daemon.open("sh", &["-c", script]);
    session.expect("ready");
    let ccctl = Ccctl::new(&daemon);
    ccctl.ok(&["session", "send", session.id(), "--eof"]);
    session.expect(r"\^D\^D\^D");
    // Three further attempts would have been made by now.
    session.expect_any(&[exact("^D^D^D^D")], 500.0).unwrap_err();
    assert_eq!(shown_ends(&session), 3);
}

#[test]
fn a_terminal_without_an_end_gets_none_and_other_input_takes_the_end_back() {
    let daemon = Daemon::start();
    let session = daemon.open("sh", &["-c", "stty eof undef; echo ready; cat -v"]);
    session.expect("ready\n");
    let ccctl = Ccctl::new(&daemon);
    ccctl.ok(&["session", "send", session.id(), "--eof"]);
    session.ask("go on", "go on\ngo on\n");
    session.expect_any(&[exact("^D")], 300.0).unwrap_err();
    let lines = daemon.open("sh", &["-c", "echo ready; sleep 0.3; cat; cat; exec cat"]);
    lines.expect("ready\n");
    ccctl.ok(&["session", "send", lines.id(), "--eof"]);
    // The first `cat` has got the end; this input is for the second one.
    ccctl.ok(&["session", "send", lines.id(), "more"]);
    lines.expect("more\nmore\n");
    lines.expect_any(&[Pattern::Eof(true)], 700.0).unwrap_err();
}
