use super::import::Imported;
use super::*;
use crate::format::{Chunk, Exchange, InputKind, Tape};
use crate::tools::tests::{exchange, tape};
use ccd_protocol::tape::TapeExit;
use proptest::prelude::*;

const NO_PLACE: &str = "not imported, because tapes have no place for it";

pub(super) fn facts() -> CastFacts {
    CastFacts {
        now: "2026-07-08T09:10:11Z".into(),
        ..CastFacts::default()
    }
}

pub(super) fn imported(cast: &str) -> Imported {
    import(cast.as_bytes(), facts()).unwrap()
}

fn typed(tape: &Tape) -> Vec<String> {
    let exchanges = tape.exchanges.iter();
    let inputs = exchanges.map(|exchange| exchange.input.bytes.clone());
    inputs
        .map(|bytes| String::from_utf8(bytes).unwrap())
        .collect()
}

fn session() -> Tape {
    let mut last = exchange(".quit\r", &[".quit\r\n"]);
    let (code, signal) = (Some(0), None);
    last.exit = Some(TapeExit { code, signal });
    let mut tape = tape(vec![
        exchange("", &["sqlite> "]),
        exchange("select 1;\r", &["select 1;\r\n", "1\r\n", "sqlite> "]),
        last,
    ]);
    tape.meta.tag = Some("two words".into());
    tape.meta.env.insert("TERM".into(), "xterm-256color".into());
    for (exchange, idle_ms) in tape.exchanges.iter_mut().zip([0, 1470, 0]) {
        let notes = &mut exchange.annotations;
        notes.insert("idle_ms".into(), idle_ms.into());
    }
    tape
}

#[test]
fn a_tape_is_an_asciicast_of_version_3() {
    let cast = export(&session(), CastVersion::V3);
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
    let cast = export(&session(), CastVersion::V2);
    let lines: Vec<&str> = cast.text.lines().collect();
    assert!(lines[0].starts_with(r#"{"version":2,"width":80,"height":24,"timestamp":1767323045,"#));
    assert_eq!(lines[6], r#"[1.510, "i", ".quit\r"]"#);
    assert_eq!(lines.len(), 8);
}

#[test]
fn a_tape_comes_back_from_an_asciicast() {
    let tape = session();
    let mut back = imported(&export(&tape, CastVersion::V3).text);
    assert_eq!(back.warnings, [format!("{NO_PLACE}: term.type, env.TERM")]);
    back.tape.meta.redact = true;
    back.tape.meta.env = tape.meta.env.clone();
    assert_eq!(back.tape, tape);
}

#[test]
fn a_character_that_a_chunk_cuts_comes_with_the_next_one() {
    let chunks: [&[u8]; 4] = [b"a\xe2", b"\x82", b"\xacb", b"\xff\xc3"];
    let mut tape = tape(vec![exchange("", &["", "", "", ""])]);
    for (chunk, data) in tape.exchanges[0].chunks.iter_mut().zip(chunks) {
        chunk.data = data.to_vec();
    }
    let cast = export(&tape, CastVersion::V2);
    assert!(cast.is_lossy);
    let broken = "[0.040, \"o\", \"\u{fffd}\"]";
    let expected = [
        r#"[0.010, "o", "a"]"#,
        r#"[0.030, "o", "€b"]"#,
        broken,
        broken,
    ];
    assert!(cast.text.lines().skip(1).eq(expected));
}

#[test]
fn output_without_a_terminal_is_made_fit_for_one() {
    let mut tape = tape(vec![exchange("", &["a\nb\n"])]);
    tape.meta.pty = None;
    assert!(
        export(&tape, CastVersion::V3)
            .text
            .contains(r#""a\r\nb\r\n""#)
    );
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
    // A delay counts from the last key, as in a recording.
    assert_eq!((delays, line.dur_ms), (vec![10, 10, 10, 90], 100));
    assert_eq!(line.annotations["idle_ms"], 400);
    assert_eq!(line.input.kind, InputKind::Raw);
    let keys = serde_json::json!([[0, 1, 0], [200, 2, 1], [300, 1, 2], [500, 1, 2]]);
    assert_eq!(line.annotations["keys"], keys);
    assert!(!tape.exchanges[2].annotations.contains_key("keys"));
}

#[test]
fn keys_sizes_and_markers_keep_their_times() {
    let events = r#"[0.100, "o", "$ "]
[1.000, "i", "l"]
[1.010, "o", "l"]
[1.200, "r", "100x30"]
[1.200, "i", "s"]
[1.500, "m", "now"]
[1.500, "i", "\r"]
[1.510, "o", "ls\r\n"]
[2.000, "r", "1x65535"]
[2.000, "o", "file\r\n$ "]
[3.000, "r", "80x24"]
[3.500, "i", "q"]
[4.000, "m", "end"]
"#;
    let header = r#"{"version":2,"width":80,"height":24,"command":"bash"}"#;
    let tape = imported(&format!("{header}\n{events}")).tape;
    assert_eq!(typed(&tape), ["", "ls\r", "q"]);
    assert_eq!(
        tape.exchanges[1].annotations["resizes"],
        serde_json::json!([
            {"at_ms": 200, "rows": 30, "cols": 100},
            {"at_ms": 1000, "rows": 65535, "cols": 1},
            {"at_ms": 2000, "rows": 24, "cols": 80},
        ])
    );
    let cast = export(&tape, CastVersion::V2);
    assert_eq!(cast.text.split_once('\n').unwrap().1, events);
    let again = imported(&export(&tape, CastVersion::V3).text).tape;
    assert_eq!(again.exchanges, tape.exchanges);
}

#[test]
fn a_character_may_be_typed_in_parts() {
    let mut tape = tape(vec![exchange("é\r", &["é", "\r\n"])]);
    let keys = serde_json::json!([[0, 1, 0], [5, 1, 0], [90, 1, 1]]);
    tape.exchanges[0].annotations.insert("keys".into(), keys);
    let cast = export(&tape, CastVersion::V2);
    let expected = r#"
[0.005, "i", "é"]
[0.015, "o", "é"]
[0.090, "i", "\r"]
[0.100, "o", "\r\n"]
"#;
    assert!(
        cast.text.ends_with(expected) && !cast.is_lossy,
        "{}",
        cast.text
    );
}

#[test]
fn version_1_is_one_object_on_one_line_or_on_many() {
    let many = r#"{
  "version": 1,
  "width": 80,
  "height": 24,
  "duration": 1.515658,
  "command": "/bin/zsh",
  "title": "",
  "env": { "TERM": "xterm-256color", "SHELL": "/bin/zsh" },
  "stdout": [
    [
      0.248848,
      "\u001b[1;31mHello \u001b[32mWorld!\u001b[0m\n"
    ],
    [ 1.001376, "That was ok\rThis is better." ],
    [ 0, " é" ]
  ]
}
"#;
    let one = many.replace("\n", "").replace("\"version\": 1,", "");
    let one = one.replace("]  ]}", "]], \"version\": 1}");
    let one = one.replace("\"title\": \"\"", "\"title\": null");
    for cast in [many, &one] {
        let found = imported(cast);
        let tape = &found.tape;
        assert_eq!(tape.meta.program, "/bin/zsh");
        assert_eq!(tape.meta.pty.unwrap().cols, 80);
        let chunks = tape.exchanges[0].chunks.iter();
        let chunks = chunks.map(|chunk| (chunk.delay_ms, chunk.data.len()));
        assert!(chunks.eq([(249, 29), (1001, 27), (0, 3)]));
        assert_eq!(found.warnings, [format!("{NO_PLACE}: env.TERM, env.SHELL")]);
    }
}

#[test]
fn nothing_after_an_exit_is_read() {
    let header = r#"{"version":3,"term":{"cols":8,"rows":7},"command":"a"}"#;
    let events = r#"[1, "o", "a"]
[1, "x", "7"]

[1, "o", "b"]
[-1, "o", 5]
[1, "x", "8"]"#;
    let found = imported(&format!("{header}\n{events}"));
    let only = &found.tape.exchanges[0];
    assert_eq!((only.chunks.len(), only.exit.unwrap().code), (1, Some(7)));
    let exited = "not imported, because the program had exited: line 5 and everything after it";
    assert_eq!(found.warnings, [exited]);
    let mut tape = found.tape;
    let late = serde_json::json!([{"at_ms": 90_000, "label": "late"}]);
    tape.exchanges[0].annotations.insert("markers".into(), late);
    let cast = export(&tape, CastVersion::V3).text;
    let end = "[1.000, \"m\", \"late\"]\n[0.000, \"x\", \"7\"]\n";
    assert!(cast.ends_with(end), "{cast}");
}

#[test]
fn without_inputs_all_output_belongs_to_the_start() {
    let found = imported(
        "{\"version\": 3, \"term\": {\"cols\": 90, \"rows\": 5}, \"env\": {\"SHELL\": \"/bin/zsh\"}, \"title\": \"t\", \"theme\": {\"fg\": \"#fff\"}, \"idle_time_limit\": 2}\r\n# a comment\r\n[0.5, \"o\", \"a\"]\r\n[1, \"m\", \"here\"]\r\n[0, \"r\", \"80x24\"]\r\n[0.25, \"o\", \"b\"]\r\n[1, \"x\", \"3\"]\r\n",
    );
    let (tape, only) = (&found.tape, &found.tape.exchanges[0]);
    assert_eq!(tape.exchanges.len(), 1);
    let markers = serde_json::json!([{"at_ms": 1500, "label": "here"}]);
    assert_eq!(only.annotations["markers"], markers);
    assert_eq!(only.exit.unwrap().code, Some(3));
    assert_eq!(only.dur_ms, 1750);
    assert_eq!(only.annotations["idle_ms"], 1000);
    assert_eq!(tape.meta.tag.as_deref(), Some("t"));
    assert_eq!(tape.meta.created_at, facts().now);
    assert_eq!(tape.meta.program, "/bin/zsh");
    let shell =
        "the asciicast names no command: it is imported as a recording of /bin/zsh, its SHELL";
    let no_place = format!("{NO_PLACE}: env.SHELL, theme, idle_time_limit");
    assert_eq!(found.warnings, [&*no_place, shell]);
    let again = export(tape, CastVersion::V3).text;
    let events = "[1.000, \"r\", \"80x24\"]\n[0.000, \"m\", \"here\"]\n[0.250, \"o\", \"b\"]\n";
    assert!(again.contains(events), "{again}");
}

#[test]
fn what_was_typed_hidden_is_known_by_its_mask() {
    let mut tape = tape(vec![
        exchange("", &["Password: "]),
        exchange("***\r", &["\r\nok\r\n"]),
    ]);
    tape.exchanges[1].pre.hidden = true;
    let back = imported(&export(&tape, CastVersion::V3).text).tape;
    assert!(back.exchanges[1].pre.hidden);
    assert_eq!(back.exchanges[1].annotations["hidden"], true);
    let shown = imported(
        "{\"version\":2,\"width\":9,\"height\":9,\"command\":\"a\"}\n[1,\"i\",\"***\\r\"]\n[2,\"o\",\"***\\r\\n\"]",
    );
    assert!(!shown.tape.exchanges[1].pre.hidden);
}

#[test]
fn years_of_silence_can_be_exported_and_imported_again() {
    let event = "[31622400, \"o\", \"a\"]\n".repeat(3);
    let header = r#"{"version":3,"term":{"cols":8,"rows":7},"command":"a"}"#;
    let tape = imported(&format!("{header}\n{event}")).tape;
    let back = imported(&export(&tape, CastVersion::V2).text).tape;
    assert_eq!(back.exchanges, tape.exchanges);
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
        exchange.dur_ms = chunks.iter().map(|chunk| chunk.delay_ms).sum();
        exchange.chunks = chunks;
        exchange.annotations.insert("idle_ms".into(), pause.into());
        exchange
    });
    (chunks(), proptest::collection::vec(next, 0..6)).prop_map(|(chunks, mut next)| {
        let mut first = Exchange {
            dur_ms: chunks.iter().map(|chunk| chunk.delay_ms).sum(),
            chunks,
            ..Exchange::default()
        };
        first.annotations.insert("idle_ms".into(), 0.into());
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
            last.annotations.insert("idle_ms".into(), 0.into());
        }
        let version = if is_v3 { CastVersion::V3 } else { CastVersion::V2 };
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
            export(&found.tape, CastVersion::V2);
        }
        let header = "{\"version\": 3, \"term\": {\"cols\": 80, \"rows\": 24}, \"command\": \"a\"}\n";
        if let Ok(found) = import([header, &cast].concat().as_bytes(), facts()) {
            export(&found.tape, CastVersion::V3);
        }
    }
}
