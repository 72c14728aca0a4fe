//! Much output: nothing is lost, memory is bounded, a match stays cheap.

use crate::support::session::{OpenSession, decoded, program, regex, without_gaps};
use crate::support::{Daemon, amount, eventually};
use ccd_protocol::Timeout;
use ccd_protocol::session::{
    SessionCreateParams, SessionExpect, SessionExpectParams, SessionReadParams, SessionState,
};
use std::time::Duration;

const MIB: u64 = 1 << 20;

/// Time limit for a hundred megabytes in a debug build, next to other tests.
const SLOW_MACHINE: Duration = Duration::from_secs(240);

/// A program with no limit on its output.
fn unlimited<'a>(daemon: &'a Daemon, command: &str) -> OpenSession<'a> {
    daemon.open_with(&SessionCreateParams {
        max_output_size: Some(0),
        ..program(daemon, "sh", &["-c", command])
    })
}

/// Starts a program that prints this many bytes and then waits; returns once everything is printed.
fn flooded<'a>(daemon: &'a Daemon, command: &str, bytes: u64) -> OpenSession<'a> {
    without_gaps(|| {
        let session = unlimited(daemon, command);
        eventually("everything is printed", || {
            (session.now().output.output_bytes == bytes).then_some(())
        });
        session
    })
}

#[test]
fn twenty_megabytes_without_a_reader_neither_stop_the_program_nor_fill_memory() {
    let daemon = Daemon::start();
    // Lines of 99 digits, 101 bytes on the terminal.
    let lines = 200_000;
    let command = format!("seq -f %099.0f 1 {lines}; exec cat");
    let total = lines * 101;
    let session = flooded(&daemon, &command, total);
    let output = session.now().output;
    assert_eq!(output.output_lines, lines);
    assert!(output.buffer_size <= 4 * MIB, "{}", output.buffer_size);

    // Memory contains exactly the last 10,000 lines.
    let memory = session.read(SessionReadParams::default());
    let expected: String = (lines - 9_999..=lines)
        .map(|line| format!("{line:099}\n"))
        .collect();
    assert_eq!(memory.start, total - 10_000 * 101);
    assert!(memory.text.unwrap() == expected);

    // The rest is read back from the log, byte for byte.
    let expected: Vec<u8> = (1..=lines)
        .flat_map(|line| format!("{line:099}\r\n").into_bytes())
        .collect();
    assert!(session.bytes() == expected);
    let middle = session.read(SessionReadParams {
        since: Some(101 * 77_777),
        lines: Some(1),
        raw: true,
        ..SessionReadParams::default()
    });
    assert_eq!(decoded(&middle), format!("{:099}\r\n", 77_778).into_bytes());
    session.ask("still here", "still here\n");
}

#[test]
fn a_flood_without_newlines_is_bounded_and_more_than_a_reply_can_hold_is_cut() {
    let daemon = Daemon::start();
    let command = "head -c 20000000 /dev/zero | tr '\\0' x; exec cat";
    let session = flooded(&daemon, command, 20_000_000);
    let output = session.now().output;
    assert!(output.buffer_size <= 4 * MIB, "{}", output.buffer_size);
    assert_eq!(output.output_lines, 0);
    // The reply says where to go on.
    let reply = session.read(SessionReadParams {
        since: Some(0),
        ..SessionReadParams::default()
    });
    assert!(reply.truncated);
    let mut text = reply.text.unwrap();
    assert_eq!(text.len() as u64, reply.end);
    assert_eq!(reply.omitted_bytes, 20_000_000 - reply.end);
    let rest = session.read(SessionReadParams {
        since: Some(reply.end),
        ..SessionReadParams::default()
    });
    assert_eq!((rest.end, rest.truncated), (20_000_000, false));
    text += &rest.text.unwrap();
    assert!(text == "x".repeat(20_000_000));
}

// If the search started again with each chunk, it would take minutes here.
#[test]
fn a_match_after_many_megabytes_is_found() {
    let daemon = Daemon::start();
    let bytes = amount(100_000_000, 40_000_000);
    let command = &format!(
        "yes 'some line of a long build, all of them alike' | head -c {bytes}; echo; echo NEEDLE 42; exec cat"
    );
    let search = |session: &OpenSession<'_>, from: Option<u64>| {
        let mut connection = daemon.connect();
        let stream = connection.stream();
        stream.set_read_timeout(Some(SLOW_MACHINE)).unwrap();
        let params = SessionExpectParams {
            session: session.id().to_owned(),
            patterns: vec![regex("never"), regex(r"NEEDLE (\d+)\n")],
            from,
            timeout_ms: Timeout::Forever,
            ..SessionExpectParams::default()
        };
        connection.call::<SessionExpect>(&params).unwrap()
    };
    let session = unlimited(&daemon, command);
    let live = search(&session, None);
    assert_eq!((live.index, live.groups[1].as_deref()), (1, Some("42")));
    let logged = search(&session, Some(0));
    assert_eq!((logged.start, logged.end), (live.start, live.end));
    // At most the last MiB before the match is returned; the rest is counted.
    assert!(logged.before.len() as u64 <= MIB);
    let gaps = session.now().output.gaps;
    if gaps.is_empty() {
        assert!(logged.before_omitted_bytes > bytes as u64 / 100 * 95);
    } else {
        // After bytes that neither memory nor the log has, a search starts again.
        eprintln!("the disk stalled: {gaps:?}");
    }
    assert_eq!(session.now().state, SessionState::Alive);
}

#[test]
fn the_lines_in_memory_are_as_many_as_the_session_asked_for() {
    let daemon = Daemon::start();
    let session = daemon.open_with(&SessionCreateParams {
        output_limit: Some(10),
        ..program(&daemon, "sh", &["-c", "seq 1 1000; exec cat"])
    });
    session.expect("\n1000\n");
    // Lines that are not in the log yet are kept a moment longer.
    let text = eventually("only ten lines are left", || {
        session.text(" ");
        let text = session.output();
        (text.lines().next() == Some("991")).then_some(text)
    });
    assert!(text.starts_with("991\n992\n"));
    let all = session.read(SessionReadParams {
        since: Some(0),
        lines: Some(1),
        ..SessionReadParams::default()
    });
    assert_eq!(all.text.as_deref(), Some("1\n"));
}
