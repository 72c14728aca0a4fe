//! Terminals that the holder has lent to the worker: whoever reads them, no byte is lost.

use crate::support::session::{OpenSession, lacks};
use crate::support::worker::{hand_over, kill_worker, with_worker, worker};
use crate::support::{Daemon, any_moment, eventually, rounds};
use ccd_protocol::session::SessionState;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::time::Duration;

/// More than the short reads in a row after which the holder lends a terminal, each of which is the echo or the answer.
const ASKED: usize = 40;

/// Prints the numbers from 1 on, in lines of various lengths, and never much at a time.
const SHORT_LINES: &str = r#"
n=0
while read -r -t 0.001 x; [ $n -lt 3000 ]; do
    n=$((n + 1))
    printf '%d %*s\n' $n $((n % 150)) .
done
echo all of it; exec cat"#;

fn echo(daemon: &Daemon) -> OpenSession<'_> {
    let session = daemon.open("sh", &["-c", "stty -echo; echo ready; exec cat"]);
    session.expect("ready\n");
    session
}

/// A shell that evaluates lines, after many of which its terminal is lent.
fn lent_shell(daemon: &Daemon) -> OpenSession<'_> {
    let script = "stty -echo; echo ready; while read -r line; do eval \"$line\"; done";
    let session = daemon.open("sh", &["-c", script]);
    session.expect("ready\n");
    use_until_lent(&session);
    session
}

/// Has the shell answer until its terminal is lent, and asserts that the worker reads it without the holder's help.
fn use_until_lent(shell: &OpenSession<'_>) {
    for number in 0..ASKED {
        shell.ask(&format!("echo {number}"), &format!("{number}\n"));
    }
    while_stopped(shell.daemon.pid(), || shell.ask("echo alone", "alone\n"));
}

/// Returns the lines of `seq 1 COUNT`, and a last one.
pub(super) fn numbered(count: usize, last: &str) -> Vec<u8> {
    let lines = (1..=count).map(|line| format!("{line}\r\n"));
    let last = format!("{last}\r\n");
    lines.chain([last]).collect::<String>().into_bytes()
}

fn ask(session: &OpenSession<'_>, count: usize) {
    for number in 0..count {
        session.ask(&format!("{number}"), &format!("{number}\n"));
    }
}

/// Calls `act` while the process is stopped.
pub(super) fn while_stopped<T>(pid: i32, act: impl FnOnce() -> T) {
    let signal = |signal| kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    signal(Signal::STOP);
    eventually("it has stopped", || {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        status.contains("State:\tT").then_some(())
    });
    act();
    signal(Signal::CONT);
}

/// Asserts that the worker reads the terminal without the holder's help.
fn assert_is_lent(session: &OpenSession<'_>) {
    ask(session, ASKED);
    while_stopped(session.daemon.pid(), || ask(session, 3));
}

#[test]
fn the_worker_reads_quiet_terminals_and_the_holder_reads_floods() {
    const LINES: usize = 100_000;
    let Some(daemon) = with_worker() else { return };
    let session = lent_shell(&daemon);
    for round in 0..3 {
        let before = session.bytes().len();
        session.line(&format!("seq 1 {LINES}; echo round {round}"));
        session.expect(&format!("round {round}\n"));
        let expected = numbered(LINES, &format!("round {round}"));
        assert!(session.bytes()[before..] == expected, "{round}");
        use_until_lent(&session);
    }
    session.line("exit 7");
    assert_eq!(session.ended().exitstatus, Some(7));
}

#[test]
fn short_output_is_logged_byte_for_byte_through_kills_of_the_worker() {
    if lacks(&["bash"]) {
        return;
    }
    let Some(daemon) = with_worker() else { return };
    let printing: Vec<OpenSession<'_>> = (0..4)
        .map(|_| daemon.open("bash", &["-c", SHORT_LINES]))
        .collect();
    for round in 0..rounds() {
        any_moment(round, Duration::from_millis(60));
        kill_worker(&daemon);
    }
    let lines = (1..=3000_usize).map(|n| format!("{n} {:>1$}\r\n", '.', (n % 150).max(1)));
    let mut expected: String = lines.collect();
    expected.push_str("all of it\r\n");
    for session in &printing {
        session.expect("all of it\n");
        assert!(
            session.bytes() == expected.as_bytes(),
            "{:?}",
            session.now()
        );
        assert!(session.now().output.gaps.is_empty());
        assert_is_lent(session);
    }
}

#[test]
fn the_holder_reads_what_was_lent_to_a_worker_that_is_stopped() {
    let Some(daemon) = with_worker() else { return };
    let done = daemon.home().join("done");
    let session = lent_shell(&daemon);
    let before = session.bytes().len();
    // More than the kernel keeps of a terminal that nobody reads.
    session.line(&format!(
        "sleep 0.2; seq 1 20000; echo all of it; : > '{}'",
        done.display()
    ));
    while_stopped(worker(&daemon), || {
        eventually("the program has printed everything", || {
            done.exists().then_some(())
        });
    });
    session.expect("all of it\n");
    assert!(session.bytes()[before..] == numbered(20_000, "all of it"));
    use_until_lent(&session);
}

#[test]
fn what_is_lent_survives_a_kill_or_is_handed_over_and_is_lent_again() {
    let Some(daemon) = with_worker() else { return };
    let session = echo(&daemon);
    let mut expected = b"ready\r\n".to_vec();
    for number in 1..=4 {
        assert_is_lent(&session);
        let asked = (0..ASKED).chain(0..3);
        asked.for_each(|number| expected.extend(format!("{number}\r\n").bytes()));
        if number <= 2 {
            kill_worker(&daemon);
        } else {
            daemon.ok("daemon.restart", &json!({}));
        }
        hand_over(&daemon, number);
    }
    ask(&session, 2);
    expected.extend(b"0\r\n1\r\n");
    assert_eq!(session.bytes(), expected);
}

#[test]
fn a_lent_terminal_that_is_closed_and_opened_again_is_followed() {
    let Some(daemon) = with_worker() else { return };
    let script = "stty -echo; tty=$(tty); echo ready; while read -r line; do echo $line; \
                  [ $line = close ] && { exec 0<&- 1>&- 2>&-; sleep 0.3; exec 0<$tty 1>$tty; echo open again; }; done";
    let session = daemon.open("sh", &["-c", script]);
    session.expect("ready\n");
    assert_is_lent(&session);
    session.line("close");
    session.expect("open again\n");
    assert_eq!(session.now().state, SessionState::Alive);
    assert_is_lent(&session);
}

#[test]
fn a_terminal_that_is_lent_before_its_session_is_known_is_read() {
    const AT_ONCE: usize = 8;
    let Some(daemon) = with_worker() else { return };
    // While one start is answered, the others print.
    let script = "stty -echo; for n in 1 2 3 4 5 6 7 8; do for m in 1 2 3 4 5; do printf x; done; done; \
                  echo ready; exec cat";
    for _ in 0..rounds().min(100) {
        std::thread::scope(|scope| {
            for _ in 0..AT_ONCE {
                scope.spawn(|| {
                    let session = daemon.open("sh", &["-c", script]);
                    session.expect("ready\n");
                    ask(&session, 2);
                    session.close();
                });
            }
        });
    }
}
