//! Reading output: by lines, by bytes, by offset, as text and as bytes.

use crate::support::session::{OpenSession, assert_error, decoded, program};
use crate::support::{Ccctl, Daemon};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{
    SessionCreateParams, SessionRead, SessionReadParams, SessionReadReply,
};

/// Runs a program that prints this text, without added carriage returns, and exits.
fn printed<'a>(daemon: &'a Daemon, text: &str) -> OpenSession<'a> {
    let session = daemon.open_with(&SessionCreateParams {
        plain: true,
        ..program(daemon, "printf", &["%b", text])
    });
    session.ended();
    session
}

fn since(offset: u64) -> SessionReadParams {
    SessionReadParams {
        since: Some(offset),
        ..SessionReadParams::default()
    }
}

fn text_of(reply: &SessionReadReply) -> &str {
    reply.text.as_deref().unwrap()
}

#[test]
fn without_bounds_everything_in_memory_comes() {
    let daemon = Daemon::start();
    let session = daemon.open("sh", &["-c", "seq 1 5; exec cat"]);
    session.expect("5\n");
    let reply = session.read(SessionReadParams::default());
    assert_eq!(text_of(&reply), "1\n2\n3\n4\n5\n");
    assert_eq!((reply.start, reply.end), (0, 15));
    assert!(!reply.truncated);
    assert_eq!(reply.omitted_bytes, 0);
    assert_eq!(reply.data_b64, None);
    // And again: nothing was consumed.
    assert_eq!(session.output(), "1\n2\n3\n4\n5\n");
}

#[test]
fn lines_are_the_last_ones_and_with_an_offset_the_first_ones() {
    let daemon = Daemon::start();
    let session = printed(&daemon, "one\\ntwo\\nthree\\nfo");
    let last = |lines| {
        session.read(SessionReadParams {
            lines: Some(lines),
            ..SessionReadParams::default()
        })
    };
    // An unfinished line is a line.
    assert_eq!(text_of(&last(1)), "fo");
    assert_eq!(text_of(&last(2)), "three\nfo");
    assert_eq!(text_of(&last(100)), "one\ntwo\nthree\nfo");
    assert_eq!(text_of(&last(0)), "");
    let first = session.read(SessionReadParams {
        lines: Some(2),
        ..since(0)
    });
    assert_eq!((text_of(&first), first.end), ("one\ntwo\n", 8));
    assert!(first.truncated);
    assert_eq!(first.omitted_bytes, 8);
    let rest = session.read(since(first.end));
    assert_eq!((text_of(&rest), rest.truncated), ("three\nfo", false));
}

#[test]
fn bytes_are_the_last_ones_and_with_an_offset_the_first_ones() {
    let daemon = Daemon::start();
    let session = printed(&daemon, "0123456789");
    let last = session.read(SessionReadParams {
        max_bytes: Some(4),
        ..SessionReadParams::default()
    });
    assert_eq!((text_of(&last), last.start, last.end), ("6789", 6, 10));
    let first = session.read(SessionReadParams {
        max_bytes: Some(4),
        ..since(3)
    });
    assert_eq!((text_of(&first), first.start, first.end), ("3456", 3, 7));
    assert!(first.truncated);
    assert_eq!(first.omitted_bytes, 3);
    let nothing = session.read(since(10));
    assert_eq!(
        (text_of(&nothing), nothing.start, nothing.end),
        ("", 10, 10)
    );
    let beyond = daemon.call::<SessionRead>(&SessionReadParams {
        session: session.id().to_owned(),
        ..since(11)
    });
    assert_error(&beyond.unwrap_err(), ErrorCode::InvalidArgument);
}

#[test]
fn text_has_no_control_sequences_and_raw_has_every_byte() {
    let daemon = Daemon::start();
    let session = printed(
        &daemon,
        "\\033[31mred\\033[0m \\033]0;title\\007\\r\\nnext\\r\\n\\033(Bend\\a",
    );
    assert_eq!(session.output(), "red \nnext\nend");
    assert_eq!(
        session.bytes(),
        b"\x1b[31mred\x1b[0m \x1b]0;title\x07\r\nnext\r\n\x1b(Bend\x07"
    );
}

#[test]
fn any_text_comes_back_as_it_was() {
    let daemon = Daemon::start();
    let session = daemon.open("cat", &[]);
    let text = "Hello 世界 🌍";
    assert_eq!(session.ask(text, "世界 🌍\n").matched, "世界 🌍\n");
    session.expect("Hello 世界 🌍\n");
    assert_eq!(session.output(), format!("{text}\n{text}\n"));
    let echoed = format!("{text}\r\n{text}\r\n");
    assert_eq!(session.bytes(), echoed.as_bytes());
}

#[test]
fn bytes_that_are_no_text_are_kept_and_shown_as_replacement_characters() {
    let daemon = Daemon::start();
    let session = printed(&daemon, "a\\0377b\\0300\\0200c\\0000d\\0344\\0270");
    let bytes = b"a\xffb\xc0\x80c\0d\xe4\xb8";
    assert_eq!(session.bytes(), bytes);
    let text = session.output();
    assert!(text.starts_with("a\u{fffd}b\u{fffd}"), "{text:?}");
    assert!(text.contains("cd\u{fffd}"), "{text:?}");
    let log = std::fs::read(&session.now().output.log_path).unwrap();
    assert_eq!(log, bytes);
}

#[test]
fn a_read_can_begin_and_end_within_a_character() {
    let daemon = Daemon::start();
    let session = printed(&daemon, "世界");
    let part = session.read(SessionReadParams {
        max_bytes: Some(3),
        raw: true,
        ..since(1)
    });
    assert_eq!(decoded(&part), &"世界".as_bytes()[1..4]);
    let text = session.read(SessionReadParams {
        max_bytes: Some(3),
        ..since(1)
    });
    assert!(text_of(&text).contains('\u{fffd}'));
    assert_eq!((text.start, text.end), (1, 4));
}

#[test]
fn the_record_counts_lines_and_bytes() {
    let daemon = Daemon::start();
    let session = printed(&daemon, "one\\ntwo\\nthree");
    let output = session.now().output;
    assert_eq!((output.output_lines, output.output_bytes), (2, 13));
    assert_eq!(output.rotated_at, None);
    assert!(output.gaps.is_empty());
    let folder = daemon.home().join("sessions").join(session.id());
    assert_eq!(
        output.log_path,
        folder.join("output.log").display().to_string()
    );
}

#[test]
fn the_client_reads_lines_bytes_and_raw_output() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let session = printed(&daemon, "one\\r\\ntwo\\r\\n\\033[1mthree\\r\\n");
    let read = |words: &[&str]| {
        let line = [&["session", "read", session.id()], words].concat();
        ccctl.ok(&line)
    };
    assert_eq!(read(&[]), "one\ntwo\nthree\n");
    assert_eq!(read(&["--lines", "1"]), "three\n");
    assert_eq!(read(&["--since", "5", "--lines", "1"]), "two\n");
    assert_eq!(read(&["--since", "5", "--bytes", "2"]), "tw");
    assert_eq!(read(&["--raw"]), "one\r\ntwo\r\n\x1b[1mthree\r\n");
    let json: serde_json::Value = serde_json::from_str(&read(&["--json"])).unwrap();
    assert_eq!(json["text"], "one\ntwo\nthree\n");
    assert_eq!(json["end"], 21);
    let tail = ccctl.ok(&["session", "tail", session.id(), "-n", "2"]);
    assert_eq!(tail, "two\nthree\n");
}
