//! Waiting for patterns: what matches, where, and whose read position moves.

use crate::support::session::{OpenSession, assert_error, exact, guesses, lacks, program, regex};
use crate::support::{Daemon, eventually};
use ccd_protocol::session::{
    InputVerdict, Pattern, SendExpect, SessionCreateParams, SessionExpectParams, SessionReadParams,
    SessionSendParams,
};
use ccd_protocol::{ErrorCode, Timeout};
use std::process::Command;

/// Starts a program that prints `text`, in which escapes such as `\\n` stand for bytes, and then waits.
fn printing<'a>(daemon: &'a Daemon, text: &str) -> OpenSession<'a> {
    let session = daemon.open("sh", &["-c", "printf '%b' \"$1\"; exec cat", "sh", text]);
    let printed = Command::new("printf").args(["%b", text]).output().unwrap();
    // The terminal adds a carriage return before each newline.
    let newlines = printed.stdout.iter().filter(|&&byte| byte == b'\n').count();
    let bytes = (printed.stdout.len() + newlines) as u64;
    let guesses = guesses(daemon);
    eventually("the text is printed and the program waits", || {
        let now = session.now();
        let verdict = now.waiting_for_input.unwrap().verdict;
        let waits = guesses || verdict == InputVerdict::Blocked;
        (now.output.output_bytes == bytes && waits).then_some(())
    });
    session
}

#[test]
fn a_conversation_with_python_goes_step_by_step() {
    if lacks(&["python3"]) {
        return;
    }
    let daemon = Daemon::start();
    let python = daemon.open("python3", &["-q"]);
    python.expect(">>> ");
    python.line("1 + 1");
    let answer = python.expect(">>> ");
    assert_eq!(answer.before, "1 + 1\n2\n");
    for line in [
        "def factorial(n):",
        "    return 1 if n < 2 else n * factorial(n - 1)",
    ] {
        python.ask(line, r"\.\.\. ");
    }
    python.ask("", ">>> ");
    let answer = python.ask("factorial(5)", r"(?m)^(\d+)\n");
    assert_eq!(answer.groups[1].as_deref(), Some("120"));
    python.expect(">>> ");
    python.ask("1/0", "ZeroDivisionError");
    python.expect(">>> ");
    assert_eq!(python.ask("6 * 7", "(?m)^42$").matched, "42");
}

/// How patterns match is tested with the matcher.
#[test]
fn a_list_tells_which_pattern_came_first_and_what_stood_before() {
    let daemon = Daemon::start();
    let session = printing(&daemon, "one two three axb a.b*\\n");
    let patterns = [
        regex("never"),
        regex("t(w)(x)?o"),
        exact("three"),
        regex("two t"),
    ];
    let found = session.expect_any(&patterns, 10_000.0).unwrap();
    assert_eq!(
        (found.index, &found.before[..], &found.matched[..]),
        (1, "one ", "two")
    );
    let groups = [Some("two".to_owned()), Some("w".to_owned()), None];
    assert_eq!(found.groups, groups);
    assert_eq!((found.start, found.end, found.cursor), (4, 7, 7));
    // Exact text is no expression.
    let found = session.expect_any(&[exact("a.b*")], 10_000.0).unwrap();
    assert_eq!((found.start, found.end), (18, 22));
    assert_eq!(session.look(&[regex("a.b")], 0).unwrap().start, 14);
    let error = session.look(&[exact("a.c")], 0).unwrap_err();
    assert_error(&error, ErrorCode::ExpectTimeout);
}

#[test]
fn the_default_cursor_moves_past_each_match_and_neither_from_nor_reading_moves_it() {
    let daemon = Daemon::start();
    let session = printing(&daemon, "a1 a2 a3 ");
    assert_eq!(session.expect(r"a\d").matched, "a1");
    assert_eq!(session.look(&[regex(r"a3")], 0).unwrap().cursor, 8);
    assert_eq!(session.expect(r"a\d").matched, "a2");
    assert_eq!(session.output(), "a1 a2 a3 ");
    let last = SessionReadParams {
        lines: Some(1),
        ..SessionReadParams::default()
    };
    session.read(last);
    assert_eq!(session.expect(r"a\d").matched, "a3");
    let beyond = session.look(&[regex("a")], 10_000).unwrap_err();
    assert_error(&beyond, ErrorCode::InvalidArgument);
}

#[test]
fn a_send_with_expect_starts_where_it_was_written_and_moves_the_cursor() {
    let daemon = Daemon::start();
    let session = printing(&daemon, "ping\\n");
    // An earlier `ping` does not match, but the echo of the input does.
    let sent = session
        .try_send(SessionSendParams {
            text: Some("ping".to_owned()),
            newline: true,
            expect: Some(SendExpect {
                patterns: vec![regex("ping")],
                ..SendExpect::default()
            }),
            ..SessionSendParams::default()
        })
        .unwrap();
    assert_eq!((sent.offset, sent.written_bytes), (6, 5));
    let found = sent.expect.unwrap();
    assert_eq!((found.start, found.end), (6, 10));
    // After the echo comes the output of cat.
    assert_eq!(session.expect("ping").start, 12);
}

#[test]
fn control_sequences_do_not_stand_in_the_way_but_raw_sees_them() {
    let daemon = Daemon::start();
    let coloured = "\\033[1;31mER\\033[0mROR\\033]0;title\\007!\\nnext";
    let session = printing(&daemon, coloured);
    let found = session.expect("ERROR!\nnext");
    assert_eq!((found.matched.as_str(), found.start), ("ERROR!\nnext", 7));
    let raw = |patterns: &[Pattern], from: u64| {
        let found = session.try_expect(SessionExpectParams {
            patterns: patterns.to_vec(),
            from: Some(from),
            timeout_ms: Timeout::After(0.0),
            raw: true,
            ..SessionExpectParams::default()
        });
        found.unwrap()
    };
    let found = raw(&[exact("\x1b[0mROR"), regex("never")], 0);
    assert_eq!((found.start, found.before.as_str()), (9, "\x1b[1;31mER"));
    let none = raw(&[exact("never"), Pattern::Timeout(true)], found.end);
    assert_eq!(none.before, "\x1b]0;title\x07!\r\nnext");
    let hidden = session.look(&[exact("\x1b[0m")], 0).unwrap_err();
    assert_error(&hidden, ErrorCode::ExpectTimeout);
}

#[test]
fn a_match_that_could_grow_is_decided_when_output_pauses() {
    let daemon = Daemon::start();
    let session = printing(&daemon, "count 1234");
    assert_eq!(session.expect(r"\d+").matched, "1234");
    // Where output pauses, the text ends, even after a prompt.
    let dollar = session.try_expect(SessionExpectParams {
        patterns: vec![regex(r"34$")],
        from: Some(0),
        ..SessionExpectParams::default()
    });
    assert_eq!(dollar.unwrap().end, 10);
    session.text("5");
    assert_eq!(session.expect(r"\d\z").matched, "5");
}

#[test]
fn the_end_of_the_program_and_the_time_out_can_be_patterns() {
    let daemon = Daemon::start();
    let patterns = [regex("never"), Pattern::Timeout(true), Pattern::Eof(true)];
    let session = daemon.open("sh", &["-c", "echo bye; exit 3"]);
    let found = session.expect_any(&patterns, 20_000.0).unwrap();
    assert_eq!(
        (found.index, &found.before[..], &found.matched[..]),
        (2, "bye\n", "")
    );
    assert_eq!((found.start, found.end), (5, 5));
    let session = printing(&daemon, "waiting");
    let found = session.expect_any(&patterns, 50.0).unwrap();
    assert_eq!(
        (found.index, found.before.as_str(), found.end),
        (1, "waiting", 7)
    );
}

#[test]
fn what_another_encoding_says_is_matched_as_text() {
    let daemon = Daemon::start();
    let session = daemon.open_with(&SessionCreateParams {
        encoding: Some("iso-8859-1".to_owned()),
        ..program(&daemon, "sh", &["-c", r"printf 'caf\351\n'; exec cat"])
    });
    let found = session.expect("café");
    assert_eq!((found.start, found.end), (0, 4));
    assert_eq!(session.output(), "café\n");
}
