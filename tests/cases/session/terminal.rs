//! The terminal itself: its size, signals, replies and screen.

use super::history_of_calls::history;
use crate::support::session::{assert_error, lacks, program};
use crate::support::{Ccctl, Daemon};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{Action, SessionCreateParams};
use serde_json::Value;

#[test]
fn a_terminal_has_24_rows_and_80_columns_until_it_is_resized() {
    let daemon = Daemon::start();
    let bash = daemon.open_bash();
    assert_eq!((bash.record.rows, bash.record.cols), (24, 80));
    bash.ask("stty size", r"\n\r?24 80\n");
    bash.try_resize(40, 120).unwrap();
    bash.ask("stty size", r"\n\r?40 120\n");
    let now = bash.now();
    assert_eq!((now.rows, now.cols), (40, 120));
}

#[test]
fn a_terminal_starts_in_the_size_it_was_asked_for() {
    let daemon = Daemon::start();
    for (rows, cols) in [(1, 1), (50, 132), (1000, 1000)] {
        let session = daemon.open_with(&SessionCreateParams {
            rows: Some(rows),
            cols: Some(cols),
            ..program(&daemon, "stty", &["size"])
        });
        session.ended();
        let text = session.output().replace('\n', "");
        assert_eq!(text, format!("{rows} {cols}"));
    }
}

#[test]
fn a_size_outside_the_limits_changes_nothing() {
    let daemon = Daemon::start();
    let session = daemon.open("cat", &[]);
    for (rows, cols) in [(0, 80), (24, 0), (-1, 80), (1001, 80), (24, 65_535)] {
        let error = session.try_resize(rows, cols).unwrap_err();
        assert_error(&error, ErrorCode::InvalidArgument);
    }
    assert_eq!((session.now().rows, session.now().cols), (24, 80));
    session.close();
    let error = session.try_resize(10, 10).unwrap_err();
    assert_error(&error, ErrorCode::SessionNotAlive);
}

#[test]
fn a_program_hears_of_a_new_size() {
    let daemon = Daemon::start();
    let script = "trap 'echo now $(stty size)' WINCH; echo ready; while :; do sleep 0.05; done";
    let session = daemon.open("sh", &["-c", script]);
    session.expect("ready");
    session.try_resize(12, 34).unwrap();
    session.expect("now 12 34");
}

#[test]
fn signals_reach_the_foreground_by_name_and_by_number() {
    let daemon = Daemon::start();
    let script = "for s in HUP INT USR1 USR2; do trap \"echo got $s\" $s; done
        echo ready; while :; do sleep 0.05; done";
    let session = daemon.open("sh", &["-c", script]);
    session.expect("ready");
    for (name, got) in [
        ("USR1", "USR1"),
        ("sigusr2", "USR2"),
        ("1", "HUP"),
        ("int", "INT"),
    ] {
        session.try_signal(name).unwrap();
        session.expect(&format!("got {got}\n"));
    }
    for name in ["", "NOTHING", "0", "-9", "999"] {
        let error = session.try_signal(name).unwrap_err();
        assert_error(&error, ErrorCode::InvalidArgument);
    }
    session.try_signal("KILL").unwrap();
    assert_eq!(session.ended().signal, Some(9));
    let error = session.try_signal("TERM").unwrap_err();
    assert_error(&error, ErrorCode::SessionNotAlive);
}

#[test]
fn a_signal_hits_what_the_shell_runs_and_not_the_shell() {
    let daemon = Daemon::start();
    let bash = daemon.open_bash();
    bash.ask("sh -c 'echo started; exec sleep 600'", r"\n\r?started\n");
    bash.try_signal("TERM").unwrap();
    bash.expect("Terminated");
    bash.ask("echo $((20+1))", r"\n\r?21\n");
}

const ASKING: &str = r#"
import os, select, tty
def ask(query, end):
    os.write(1, query.encode())
    answer = b""
    while not answer.endswith(end) and select.select([0], [], [], 20)[0]:
        answer += os.read(0, 1)
    return answer
tty.setraw(0)
answers = [
    ask("\x1b[3;5H\x1b[6n", b"R"),
    ask("\x1b[c", b"c"),
    ask("\x1b[>c", b"c"),
    ask("\x1b[5n", b"n"),
    ask("\x1b[?2004$p", b"y"),
    ask("\x1b[?2004h\x1b[?2004$p", b"y"),
    ask("\x1b]11;?\x07", b"\x07"),
    ask("\x1b]10;?\x1b\\", b"\\"),
]
for answer in answers:
    os.write(1, ascii(answer).encode() + b"\r\n")
os.write(1, b"done\r\n")
"#;

#[test]
fn a_program_that_asks_its_terminal_gets_answers() {
    if lacks(&["python3"]) {
        return;
    }
    let daemon = Daemon::start();
    let session = daemon.open("python3", &["-c", ASKING]);
    let text = session.expect("done").before;
    let answers: Vec<&str> = text.lines().filter(|line| line.starts_with("b'")).collect();
    let starts = [
        "[3;5R'",
        "[?62",
        "[>",
        "[0n'",
        "[?2004;2$y'",
        "[?2004;1$y'",
        "]11;rgb:",
        "]10;rgb:",
    ];
    assert_eq!(answers.len(), starts.len(), "{text}");
    for (answer, start) in answers.iter().zip(starts) {
        assert!(answer.starts_with(&format!(r"b'\x1b{start}")), "{text}");
    }
    assert!(answers[7].ends_with(r"\x1b\\'"), "{text}");
    session.ended();
    // No client typed the replies.
    let rows = history(&daemon, session.id());
    assert!(rows.iter().all(|row| row.action != Action::Send));
}

#[test]
fn the_screen_is_what_a_terminal_shows() {
    let daemon = Daemon::start();
    let drawing = r"printf '\033[2J\033[2;3Hsecond\033[5;1H\033[1mfifth\033[0m\033]0;a title\007\033[3;4H'; exec cat";
    let session = daemon.open("sh", &["-c", drawing]);
    session.expect("fifth");
    let drawn = session.screen();
    assert_eq!((drawn.rows, drawn.cols), (24, 80));
    assert_eq!(drawn.lines.len(), 24);
    assert_eq!(drawn.lines[..5], ["", "  second", "", "", "fifth"]);
    assert_eq!((drawn.cursor.row, drawn.cursor.col), (2, 3));
    assert!(drawn.cursor.visible && !drawn.alternate);
    assert_eq!(drawn.title, "a title");
    assert_eq!(drawn.offset, session.now().output.output_bytes);
}

#[test]
fn the_client_resizes_signals_and_shows_the_screen() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let session = daemon.open("sh", &["-c", r"printf '\033[2J\033[2;3Hhere'; exec cat"]);
    session.expect("here");
    let of_session = |verb: &str, words: &[&str]| {
        let line = [&["session", verb, session.id()], words].concat();
        ccctl.ok(&line)
    };
    of_session("resize", &["100x30"]);
    assert_eq!((session.now().rows, session.now().cols), (30, 100));
    assert_eq!(of_session("screen", &[]), "\n  here\n");
    let json: Value = serde_json::from_str(&of_session("screen", &["--json"])).unwrap();
    assert_eq!(json["lines"][1], "  here");
    of_session("signal", &["TERM"]);
    assert_eq!(session.ended().signal, Some(15));
}
