//! Input that a program discards before reading it.

use crate::support::session::{OpenSession, assert_error, exact, guesses, lacks};
use crate::support::{Ccctl, Daemon, assert_has};
use ccd_protocol::session::{SendExpect, SessionSendParams, SessionSendReply};
use ccd_protocol::{ErrorCode, Timeout};
use serde_json::Value;

/// Returns whether these tests cannot run; without `/proc`, the daemon does not know what was read.
fn cannot_know(daemon: &Daemon) -> bool {
    lacks(&["python3"]) || guesses(daemon)
}

/// Types `params` and waits for `answer`.
fn send(
    session: &OpenSession<'_>,
    answer: &str,
    timeout_ms: f64,
    params: SessionSendParams,
) -> Result<SessionSendReply, Value> {
    let expect = SendExpect {
        patterns: vec![exact(answer)],
        timeout_ms: Timeout::After(timeout_ms),
        ..SendExpect::default()
    };
    session.try_send(SessionSendParams {
        expect: Some(expect),
        ..params
    })
}

/// Types a line and waits for `answer`.
fn ask(
    session: &OpenSession<'_>,
    line: &str,
    answer: &str,
    timeout_ms: f64,
) -> Result<SessionSendReply, Value> {
    let params = SessionSendParams {
        text: Some(line.to_owned()),
        newline: true,
        ..SessionSendParams::default()
    };
    send(session, answer, timeout_ms, params)
}

/// Types keys, waits for `answer`, and asserts that the terminal did not discard them.
fn assert_kept(session: &OpenSession<'_>, keys: &[&str], answer: &str) {
    let params = SessionSendParams {
        keys: Some(keys.iter().map(|&key| key.to_owned()).collect()),
        ..SessionSendParams::default()
    };
    let reply = send(session, answer, 30_000.0, params).unwrap();
    assert_eq!(reply.discarded, None, "{keys:?}");
}

/// Maximum number of attempts: an attempt fails if another process reads its `/dev/tty` at the same moment.
const TRIES: usize = 10;

/// Types before the program asks, and again once it asks; returns both replies.
fn too_early_and_in_time(daemon: &Daemon) -> [SessionSendReply; 2] {
    let gate = daemon.home().join("gate");
    let _ = std::fs::remove_file(&gate);
    let script = "import getpass, os, sys, time\nprint('ready')\nwhile not os.path.exists(sys.argv[1]): time.sleep(0.01)\n\
                  getpass.getpass()\ntime.sleep(600)";
    let session = daemon.open("python3", &["-c", script, gate.to_str().unwrap()]);
    session.expect("ready\n");
    let early = std::thread::scope(|scope| {
        let sender = scope.spawn(|| ask(&session, "too early", "Password: ", 30_000.0));
        session.expect("too early\n"); // the terminal's echo
        std::fs::write(&gate, "").unwrap();
        sender.join().unwrap()
    });
    let in_time = ask(&session, "in time", "\n", 30_000.0);
    session.close();
    [early.unwrap(), in_time.unwrap()]
}

#[test]
fn a_password_that_came_before_the_prompt_is_told_to_be_discarded() {
    let daemon = Daemon::start();
    if cannot_know(&daemon) {
        return;
    }
    let is_told = (0..TRIES).any(|_| {
        let [early, in_time] = too_early_and_in_time(&daemon);
        // It was read, and the flush at the end of the prompt discarded nothing.
        assert_eq!(in_time.discarded, None);
        assert!(!early.hidden);
        early.discarded == Some(true)
    });
    assert!(is_told);
}

#[test]
fn a_wait_that_is_over_says_that_the_input_was_discarded() {
    let daemon = Daemon::start();
    if cannot_know(&daemon) {
        return;
    }
    let script = "import termios, time\nprint('ready')\nwhile True: termios.tcflush(0, termios.TCIFLUSH); time.sleep(0.01)";
    let session = daemon.open("python3", &["-c", script]);
    session.expect("ready\n");
    let told = (0..TRIES).find_map(|_| {
        let error = ask(&session, "hello", "never", 500.0).unwrap_err();
        assert_error(&error, ErrorCode::ExpectTimeout);
        (error["data"]["discarded"] == true).then_some(error)
    });
    let hint = told.unwrap()["data"]["hint"].clone();
    assert_has(&hint, ["discarded the input"]);
    let ccctl = Ccctl::new(&daemon);
    let send = ["session", "send", session.id(), "hello"];
    let send = [&send[..], &["-e", "never", "--timeout", "0.5"]].concat();
    let is_told = |_| ccctl.run(&send).stderr.contains("ccctl wait --input");
    assert!((0..TRIES).any(is_told));
}

#[test]
fn what_was_read_before_a_flush_was_not_discarded() {
    let daemon = Daemon::start();
    if cannot_know(&daemon) {
        return;
    }
    let script = "import getpass, time\nname = input('name: ')\ngetpass.getpass()\nprint('hello', name)\ntime.sleep(600)";
    let session = daemon.open("python3", &["-c", script]);
    session.expect("name: ");
    let name = ask(&session, "bob", "Password: ", 30_000.0).unwrap();
    // getpass reads /dev/tty, the name under which every program finds its own terminal.
    let password = ask(&session, "swordfish", "hello bob\n", 30_000.0).unwrap();
    assert_eq!((name.discarded, password.discarded), (None, None));
}

#[test]
fn a_key_that_the_terminal_uses_up_itself_or_flushes_for_was_not_discarded() {
    let daemon = Daemon::start();
    if cannot_know(&daemon) {
        return;
    }
    let script = "trap 'echo caught' INT; echo ready; while :; do sleep 0.05; done";
    let session = daemon.open("sh", &["-c", script]);
    session.expect("ready\n");
    assert_kept(&session, &["C-c"], "caught");
    let script = "import os, sys, termios, time\nprint('ready')\nfor n in range(1000):\n  time.sleep(0.02)\n  termios.tcflush(0, termios.TCIFLUSH)\n  print('flushed')";
    let session = daemon.open("python3", &["-c", script]);
    session.expect("ready\n");
    for keys in [&["C-q"][..], &["a", "C-u"], &["a", "BSpace"], &["C-r"]] {
        assert_kept(&session, keys, "flushed\nflushed");
    }
}
