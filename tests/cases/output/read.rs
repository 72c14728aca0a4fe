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
    assert_eq!((reply.truncated, reply.omitted_bytes), (false, 0));
    assert_eq!(reply.data_b64, None);
    // And again: nothing was consumed.
    assert_eq!(session.output(), "1\n2\n3\n4\n5\n");
}

#[test]
fn lines_and_bytes_are_the_last_ones_and_with_an_offset_the_first_ones() {
    let daemon = Daemon::start();
    let session = printed(&daemon, "one\\ntwo\\nthree\\nfo");
    let lines = |lines, bounds| {
        session.read(SessionReadParams {
            lines: Some(lines),
            ..bounds
        })
    };
    // An unfinished line is a line.
    for (count, text) in [
        (1, "fo"),
        (2, "three\nfo"),
        (100, "one\ntwo\nthree\nfo"),
        (0, ""),
    ] {
        let last = lines(count, SessionReadParams::default());
        assert_eq!(text_of(&last), text);
    }
    let first = lines(2, since(0));
    assert_eq!((text_of(&first), first.end), ("one\ntwo\n", 8));
    assert_eq!((first.truncated, first.omitted_bytes), (true, 8));
    let rest = session.read(since(first.end));
    assert_eq!((text_of(&rest), rest.truncated), ("three\nfo", false));

    let session = printed(&daemon, "0123456789");
    let bytes = |bounds| {
        session.read(SessionReadParams {
            max_bytes: Some(4),
            ..bounds
        })
    };
    let last = bytes(SessionReadParams::default());
    assert_eq!((text_of(&last), last.start, last.end), ("6789", 6, 10));
    let first = bytes(since(3));
    assert_eq!((text_of(&first), first.start, first.end), ("3456", 3, 7));
    assert_eq!((first.truncated, first.omitted_bytes), (true, 3));
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
fn text_has_no_control_sequences_and_raw_and_the_log_have_every_byte() {
    let daemon = Daemon::start();
    let coloured = "\\033[31mred\\033[0m \\033]0;title\\007\\r\\nnext\\r\\n\\033(Bend\\a";
    for (printed_text, bytes, text) in [
        (
            coloured,
            &b"\x1b[31mred\x1b[0m \x1b]0;title\x07\r\nnext\r\n\x1b(Bend\x07"[..],
            "red \nnext\nend",
        ),
        (
            "a\\0377b\\0300\\0200c\\0000d\\0344\\0270",
            b"a\xffb\xc0\x80c\0d\xe4\xb8",
            "a\u{fffd}b\u{fffd}\u{fffd}cd\u{fffd}",
        ),
        ("Hello 世界 🌍", "Hello 世界 🌍".as_bytes(), "Hello 世界 🌍"),
    ] {
        let session = printed(&daemon, printed_text);
        assert_eq!(session.bytes(), bytes);
        assert_eq!(session.output(), text);
        let log = std::fs::read(&session.now().output.log_path).unwrap();
        assert_eq!(log, bytes);
    }
    // A read can start and end within a character.
    let session = printed(&daemon, "世界");
    let middle = |raw| {
        session.read(SessionReadParams {
            max_bytes: Some(3),
            raw,
            ..since(1)
        })
    };
    assert_eq!(decoded(&middle(true)), &"世界".as_bytes()[1..4]);
    let text = middle(false);
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
    let log = folder.join("output.log");
    assert_eq!(output.log_path, log.display().to_string());
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
