//! Programs that pass input on, and processes that read the terminal of others.

use crate::support::session::{OpenSession, assert_error, guesses, lacks};
use crate::support::{Daemon, eventually};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{InputVerdict, WaitFor};
use std::time::{Duration, Instant};

/// Asserts that a shell at a far end is found waiting by its prompt, and never while it runs something.
fn assert_guessed(session: &OpenSession<'_>) {
    for condition in [WaitFor::Input, WaitFor::Prompt] {
        let reply = session.wait(condition);
        assert_eq!(reply.how, "guess");
        let waiting = reply.session.waiting_for_input.unwrap();
        assert_eq!(waiting.verdict, InputVerdict::Unknown);
        assert!(!waiting.hidden);
        let started = Instant::now();
        session.line("sleep 1");
        session.wait(condition);
        assert!(started.elapsed() >= Duration::from_secs(1));
    }
    session.line("exec sleep 600");
    // Until the line is there, the prompt still is.
    session.expect("sleep 600");
    let error = session.try_wait(WaitFor::Input, 700.0).unwrap_err();
    assert_error(&error, ErrorCode::Timeout);
    let waiting = session.now().waiting_for_input.unwrap();
    assert_eq!(waiting.verdict, InputVerdict::Unknown);
}

#[test]
fn a_shell_at_the_far_end_of_a_relay_or_in_a_multiplexer_is_guessed_by_its_prompt() {
    let daemon = Daemon::start();
    if guesses(&daemon) {
        return;
    }
    let socket = daemon.home().join("tmux");
    let shell = "bash --norc --noprofile";
    let script = ["script", "-q", "-c", shell, "/dev/null"];
    let socket = socket.to_str().unwrap();
    let tmux = ["tmux", "-S", socket, "-f", "/dev/null", "new", shell];
    for command in [&script[..], &tmux] {
        if lacks(&command[..1]) {
            continue;
        }
        let session = daemon.open(command[0], &command[1..]);
        assert_guessed(&session);
        session.close();
    }
}

#[test]
fn a_relay_by_name_asks_its_own_questions_and_is_ready_for_keys_always() {
    let daemon = Daemon::start();
    if guesses(&daemon) {
        return;
    }
    let ssh = daemon.home().join("ssh");
    std::os::unix::fs::symlink("/bin/cat", &ssh).unwrap();
    let ssh = ssh.to_str().unwrap();
    let asks = daemon.open("sh", &["-c", &format!("printf 'password: '; exec {ssh}")]);
    assert_eq!(asks.wait(WaitFor::Input).how, "read");
    let shows = |text: &str| {
        let script = format!("stty raw -echo; printf '{text}'; exec {ssh}");
        daemon.open("sh", &["-c", &script])
    };
    assert_eq!(shows("$ ").wait(WaitFor::Input).how, "guess");
    // A full-screen program at the far end.
    assert_eq!(shows(r"\033[?1049h1 2").wait(WaitFor::Input).how, "guess");
    let works = shows("working...");
    let error = works.try_wait(WaitFor::Input, 700.0).unwrap_err();
    assert_error(&error, ErrorCode::Timeout);
}

#[test]
fn what_is_asked_at_the_far_terminal_decides_whether_input_is_hidden() {
    let daemon = Daemon::start();
    if guesses(&daemon) || lacks(&["script"]) {
        return;
    }
    for (question, is_hidden) in [("read -s -p 'pin? ' x", true), ("read -p 'pin? ' x", false)] {
        let inner = format!("bash -c \"{question}\"");
        let session = daemon.open("script", &["-q", "-c", &inner, "/dev/null"]);
        session.expect("pin");
        let waiting = session.wait(WaitFor::Input).session.waiting_for_input;
        assert_eq!(waiting.unwrap().hidden, is_hidden, "{question}");
    }
}

#[test]
fn a_process_that_reads_the_terminal_of_another_is_found() {
    let daemon = Daemon::start();
    if guesses(&daemon) || lacks(&["setsid"]) {
        return;
    }
    // As an agent does for the program that asked it.
    let script = "t=$(tty); setsid -f cat < $t > /dev/null; exec sleep 600";
    let session = daemon.open("sh", &["-c", script]);
    let waiting = session.wait(WaitFor::Input).session.waiting_for_input;
    assert_eq!(waiting.unwrap().verdict, InputVerdict::Blocked);
    eventually("the record shows it", || {
        let waiting = session.now().waiting_for_input?;
        (waiting.verdict == InputVerdict::Blocked && waiting.how == "read").then_some(())
    });
    session.close();
}
