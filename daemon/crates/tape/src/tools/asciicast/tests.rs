use super::import::Imported;
use super::*;
use crate::format::{Chunk, Exchange, InputKind, Tape};
use crate::tools::tests::{exchange, tape};
use ccd_protocol::tape::TapeExit;
use proptest::prelude::*;

fn facts() -> Facts {
    Facts {
        now: "2026-07-08T09:10:11Z".into(),
        ..Facts::default()
    }
}

fn imported(cast: &str) -> Imported {
    import(cast.as_bytes(), facts()).unwrap()
}

fn refused(cast: &str) -> String {
    import(cast.as_bytes(), facts()).unwrap_err().to_string()
}

fn typed(tape: &Tape) -> Vec<String> {
    let inputs = tape.exchanges.iter().map(|exchange| &exchange.input.bytes);
    inputs
        .map(|bytes| String::from_utf8(bytes.clone()).unwrap())
        .collect()
}

fn session() -> Tape {
    let mut last = exchange(".quit\r", &[".quit\r\n"]);
    last.exit = Some(TapeExit {
        code: Some(0),
        signal: None,
    });
    let mut tape = tape(vec![
        exchange("", &["sqlite> "]),
        exchange("select 1;\r", &["select 1;\r\n", "1\r\n", "sqlite> "]),
        last,
    ]);
    tape.meta.tag = Some("two words".into());
    tape.meta.env.insert("TERM".into(), "xterm-256color".into());
    tape.exchanges[1].dur_ms = 1500;
    tape
}

#[test]
fn a_tape_is_an_asciicast_of_version_3() {
    let cast = export(&session(), Version::V3);
    assert!(!cast.is_lossy);
    assert_eq!(
        cast.text,
        r#"{"version":3,"term":{"cols":80,"rows":24,"type":"xterm-256color"},"timestamp":1767323045,"command":"sqlite3 -batch","title":"two words","env":{"TERM":"xterm-256color"}}
[0.010, "o", "sqlite> "]
[0.000, "i", "select 1;\r"]
[0.010, "o", "select 1;\r\n"]
[0.010, "o", "1\r\n"]
[0.010, "o", "sqlite> "]
[1.470, "i", ".quit\r"]
[0.010, "o", ".quit\r\n"]
[0.000, "x", "0"]
"#
    );
}

#[test]
fn a_tape_is_an_asciicast_of_version_2() {
    let cast = export(&session(), Version::V2);
    let lines: Vec<&str> = cast.text.lines().collect();
    assert!(lines[0].starts_with(r#"{"version":2,"width":80,"height":24,"timestamp":1767323045,"#));
    assert_eq!(lines[6], r#"[1.510, "i", ".quit\r"]"#);
    assert_eq!(lines.len(), 8);
}

#[test]
fn a_tape_comes_back_from_an_asciicast() {
    let tape = session();
    let mut back = imported(&export(&tape, Version::V3).text);
    assert_eq!(back.warnings, [""; 0]);
    back.tape.meta.redact = true;
    assert_eq!(back.tape, tape);
}

#[test]
fn a_character_that_a_chunk_cuts_comes_with_the_next_one() {
    let chunks: [&[u8]; 4] = [b"a\xe2", b"\x82", b"\xacb", b"\xff\xc3"];
    let mut tape = tape(vec![exchange("", &["", "", "", ""])]);
    for (chunk, data) in tape.exchanges[0].chunks.iter_mut().zip(chunks) {
        chunk.data = data.to_vec();
    }
    let cast = export(&tape, Version::V2);
    assert!(cast.is_lossy);
    let events: Vec<&str> = cast.text.lines().skip(1).collect();
    assert_eq!(
        events,
        [
            r#"[0.010, "o", "a"]"#,
            r#"[0.030, "o", "€b"]"#,
            "[0.040, \"o\", \"\u{fffd}\"]",
            "[0.040, \"o\", \"\u{fffd}\"]"
        ]
    );
}

#[test]
fn output_without_a_terminal_is_made_fit_for_one() {
    let mut tape = tape(vec![exchange("", &["a\nb\n"])]);
    tape.meta.pty = None;
    assert!(export(&tape, Version::V3).text.contains(r#""a\r\nb\r\n""#));
}

#[test]
fn keys_that_only_their_echo_follows_are_one_input() {
    let tape = imported(
        r#"{"version": 2, "width": 80, "height": 24, "command": "bash -i"}
[0.1, "o", "$ "]
[1.0, "i", "l"]
[1.01, "o", "l"]
[1.2, "i", "x\u007f"]
[1.21, "o", "x\b\u001b[K"]
[1.3, "i", "s"]
[1.5, "i", "\r"]
[1.51, "o", "s\r\n"]
[1.6, "o", "file\r\n$ "]
[2.0, "i", "q"]
[2.1, "o", "bye"]
[2.2, "i", "x"]
"#,
    )
    .tape;
    assert_eq!(tape.meta.program, "bash");
    assert_eq!(tape.meta.args, ["-i"]);
    assert_eq!(typed(&tape), ["", "lx\u{7f}s\r", "q", "x"]);
    let line = &tape.exchanges[1];
    let delays: Vec<u64> = line.chunks.iter().map(|chunk| chunk.delay_ms).collect();
    assert_eq!((delays, line.dur_ms), (vec![10, 200, 300, 90], 1000));
    assert_eq!(line.input.kind, InputKind::Raw);
}

#[test]
fn without_inputs_all_output_belongs_to_the_start() {
    let found = imported(
        "{\"version\": 3, \"term\": {\"cols\": 90, \"rows\": 5}, \"env\": {\"SHELL\": \"/bin/zsh\"}, \"title\": \"t\", \"idle_time_limit\": 2}\r\n# a comment\r\n[0.5, \"o\", \"a\"]\r\n[1, \"m\", \"here\"]\r\n[0, \"r\", \"80x24\"]\r\n[0.25, \"o\", \"b\"]\r\n[1, \"x\", \"3\"]\r\n",
    );
    let (tape, only) = (&found.tape, &found.tape.exchanges[0]);
    assert_eq!(tape.exchanges.len(), 1);
    assert_eq!(
        only.annotations["markers"],
        serde_json::json!([{"at_ms": 1500, "label": "here"}])
    );
    assert_eq!(only.exit.unwrap().code, Some(3));
    assert_eq!(only.dur_ms, 2750);
    assert_eq!(tape.meta.tag.as_deref(), Some("t"));
    assert_eq!(tape.meta.created_at, facts().now);
    assert_eq!(tape.meta.program, "/bin/zsh");
    assert_eq!(
        found.warnings,
        [
            "not imported, because tapes cannot store it: idle_time_limit",
            "the asciicast names no command: it is imported as a recording of /bin/zsh, its SHELL",
            "1 \"r\" events were not imported: a tape has only one terminal size"
        ]
    );
    let again = export(tape, Version::V3).text;
    assert!(
        again.contains("[1.000, \"m\", \"here\"]\n[0.250, \"o\", \"b\"]\n"),
        "{again}"
    );
}

#[test]
fn what_was_typed_hidden_is_known_by_its_mask() {
    let mut tape = tape(vec![
        exchange("", &["Password: "]),
        exchange("***\r", &["\r\nok\r\n"]),
    ]);
    tape.exchanges[1].pre.hidden = true;
    let back = imported(&export(&tape, Version::V3).text).tape;
    assert!(back.exchanges[1].pre.hidden);
    assert_eq!(back.exchanges[1].annotations["hidden"], true);
    let shown = imported(
        "{\"version\":2,\"width\":9,\"height\":9,\"command\":\"a\"}\n[1,\"i\",\"***\\r\"]\n[2,\"o\",\"***\\r\\n\"]",
    );
    assert!(!shown.tape.exchanges[1].pre.hidden);
}

#[test]
fn a_last_line_that_is_torn_is_left_out() {
    let header = r#"{"version": 2, "width": 80, "height": 24, "command": "a"}"#;
    for torn in ["[1.0, \"o\", \"b", "[1.0", "[1.0, \"o\"]", "nonsense\n\n"] {
        let found = imported(&format!("{header}\n[0.5, \"o\", \"a\"]\n{torn}"));
        assert_eq!(found.tape.exchanges[0].chunks.len(), 1);
        assert_eq!(
            found.warnings,
            ["line 3, the last one, is incomplete and not imported"]
        );
    }
    // Without any other line, there is nothing to import.
    let nothing = import(format!("{header}\nnonsense\n").as_bytes(), facts());
    assert!(matches!(nothing, Err(CastError::Event { line: 2, .. })));
    let torn = [
        header.as_bytes(),
        b"\n[0, \"o\", \"a\"]\n[1, \"o\", \"\xe2\x82",
    ]
    .concat();
    assert_eq!(import(&torn, facts()).unwrap().warnings.len(), 1);
    assert_eq!(
        refused(&format!("{header}\n[0.5, \"o\"\n[1, \"o\", \"a\"]")),
        "line 2 of the asciicast is not an event [time, code, data]: EOF while parsing a list"
    );
}

#[test]
fn what_is_no_asciicast_is_refused_in_words() {
    for (cast, message) in [
        ("", "the asciicast is empty"),
        ("\n\n", "the asciicast is empty"),
        (
            "[1]",
            "line 1 is not the header of an asciicast: invalid type: sequence, expected an object",
        ),
        ("{\"version\": 1}", "the asciicast has version 1"),
        (
            "{\"version\": 2}",
            "line 1 is not the header of an asciicast: it has no terminal size",
        ),
        (
            "{\"version\": 2, \"width\": 0, \"height\": 70000}",
            "the asciicast has a terminal of 0 columns and 70000 rows",
        ),
        (
            "{\"version\": 2, \"width\": 8, \"height\": 7}",
            "the asciicast does not name the recorded program",
        ),
        (
            "{\"version\": 2, \"width\": 8, \"height\": 7, \"command\": \"a 'b\"}",
            "the asciicast's command cannot be used",
        ),
        (
            "{\"version\": 2, \"width\": 8, \"height\": 7, \"command\": \"a\"}\n[-1, \"o\", \"a\"]",
            "line 2 of the asciicast has a time of -1 s",
        ),
        (
            "{\"version\": 2, \"width\": 8, \"height\": 7, \"command\": \"a\"}\n[1e300, \"o\", \"a\"]",
            "line 2 of the asciicast has a time of 1",
        ),
        ("\u{1f}\u{8b}", "line 1 is not the header"),
    ] {
        let refused = refused(cast);
        assert!(refused.starts_with(message), "{cast}: {refused}");
    }
    assert_eq!(
        import(b"\x1f\x8b\x08\x00", facts()).unwrap_err(),
        CastError::NotText { line: 1 }
    );
}

#[test]
fn times_that_go_back_are_taken_for_simultaneous() {
    let found = imported(
        "{\"version\":2,\"width\":9,\"height\":9,\"command\":\"a | b\"}\n[2,\"o\",\"a\"]\n[1,\"o\",\"b\"]\n[3,\"z\",[]]\n[4,\"o\",\"c\"]",
    );
    let chunks = &found.tape.exchanges[0].chunks;
    let delays: Vec<u64> = chunks.iter().map(|chunk| chunk.delay_ms).collect();
    assert_eq!(delays, [2000, 0, 2000]);
    assert_eq!(found.tape.meta.program, "sh");
    assert_eq!(found.tape.meta.args, ["-c", "a | b"]);
    assert_eq!(found.warnings.len(), 2);
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z€ü\u{1f600}\"\\\\]{1,6}",
        "(\x1b\\[1m|\r\n|\0|\x7f)[a-z]"
    ]
}

fn chunks() -> impl Strategy<Value = Vec<Chunk>> {
    let chunk = (0u64..5000, text()).prop_map(|(delay_ms, data)| Chunk {
        delay_ms,
        data: data.into_bytes(),
        ..Chunk::default()
    });
    proptest::collection::vec(chunk, 0..5)
}

fn exchanges() -> impl Strategy<Value = Vec<Exchange>> {
    let next = ("[a-z€;]{1,9}", chunks(), 0u64..5000).prop_map(|(line, chunks, pause)| {
        let mut exchange = exchange(&(line + "\r"), &[]);
        exchange.dur_ms = chunks.iter().map(|chunk| chunk.delay_ms).sum::<u64>() + pause;
        exchange.chunks = chunks;
        exchange
    });
    (chunks(), proptest::collection::vec(next, 0..6)).prop_map(|(chunks, mut next)| {
        let first = Exchange {
            dur_ms: chunks.iter().map(|chunk| chunk.delay_ms).sum(),
            chunks,
            ..Exchange::default()
        };
        next.insert(0, first);
        next
    })
}

proptest! {
    #[test]
    fn bytes_and_delays_survive_both_versions(exchanges in exchanges(), is_v3: bool, code in 0i32..256) {
        let mut tape = tape(exchanges);
        if let Some(last) = tape.exchanges.last_mut() {
            last.exit = is_v3.then_some(TapeExit { code: Some(code), signal: None });
            // The asciicast does not contain the time after the last event.
            last.dur_ms = last.chunks.iter().map(|chunk| chunk.delay_ms).sum();
        }
        let version = if is_v3 { Version::V3 } else { Version::V2 };
        let cast = export(&tape, version);
        prop_assert!(!cast.is_lossy);
        let back = import(cast.text.as_bytes(), facts()).unwrap();
        prop_assert_eq!(back.warnings, Vec::<String>::new());
        prop_assert_eq!(back.tape.exchanges, tape.exchanges);
    }

    #[test]
    fn nothing_makes_the_import_fail_otherwise_than_in_words(
        lines in proptest::collection::vec(prop_oneof![
            "\\PC{0,20}",
            "\\[-?[0-9]{1,3}(\\.[0-9]{1,7})?(e[0-9])?, \"[oimrxz]\", \"[a-z\\\\rn]{0,5}\"\\]",
            "\\{\"version\": [1234], \"width\": [0-9]{1,7}, \"height\": 24, \"command\": \"a[|']?b\"\\}",
        ], 0..12),
    ) {
        let cast = lines.join("\n");
        if let Ok(found) = import(cast.as_bytes(), facts()) {
            export(&found.tape, Version::V2);
        }
        let header = "{\"version\": 3, \"term\": {\"cols\": 80, \"rows\": 24}, \"command\": \"a\"}\n";
        if let Ok(found) = import([header, &cast].concat().as_bytes(), facts()) {
            export(&found.tape, Version::V3);
        }
    }
}
