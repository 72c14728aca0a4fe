use super::super::fault::{MAX_CHUNKS, MAX_VALUES};
use super::super::model::{Chunk, Exchange, InputKind, Pre, Stream};
use super::super::write::write;
use super::*;
use proptest::prelude::*;
use serde_json::json;

fn message(text: &str) -> String {
    let error = read(text.as_bytes()).unwrap_err();
    assert_eq!(outline(text.as_bytes()).unwrap_err(), error);
    error.to_string()
}

#[test]
fn a_tape_may_leave_open_whether_there_was_a_terminal() {
    for (pty, has_terminal) in [
        ("", None),
        ("pty: null", Some(false)),
        ("pty: { rows: 24, cols: 80 }", Some(true)),
    ] {
        let text = format!("{{ meta: {{ program: 'p', {pty} }} }}");
        let tape = read(text.as_bytes()).unwrap();
        assert_eq!(tape.meta.has_terminal(), has_terminal, "{pty}");
        assert_eq!(read(write(&tape).as_bytes()).unwrap(), tape, "{pty}");
    }
}

const WITH: &str = "{ meta: { program: 'p' }, exchanges: [{ ";

#[test]
fn a_tape_as_the_design_shows_it_is_read() {
    let text = include_str!("../../../../../tests/fixtures/tapes/format_1.json5");
    let tape = read(text.as_bytes()).unwrap();
    let members = |value: serde_json::Value| value.as_object().unwrap().clone();
    assert_eq!(tape.meta.program, "sqlite3");
    assert_eq!(
        tape.meta.pty.map(|pty| (pty.rows, pty.cols)),
        Some((24, 120))
    );
    assert_eq!(tape.meta.latency, Some(Latency::Constant(0)));
    assert_eq!(tape.meta.seed, Some(12345));
    assert!(tape.meta.redact);
    assert_eq!(tape.meta.other, members(json!({ "mood": ["fine", 0.5] })));
    assert_eq!(tape.session.other, members(json!({ "shoe_size": 43 })));
    assert_eq!(tape.session.flags, ["sqlite"]);
    let [start, query] = &tape.exchanges[..] else {
        panic!("two exchanges")
    };
    assert_eq!(start.input, TypedInput::default());
    assert_eq!(start.chunks[0].data, b"SQLite\r\nsqlite> ");
    assert_eq!(query.pre.prompt, "sqlite> ");
    assert_eq!(query.pre.state_hash.as_deref(), Some("ab12"));
    assert_eq!(query.input.bytes, b"select 1;\r");
    assert_eq!(query.chunks[0].data, b"1\n", "changed by hand");
    assert_eq!(query.chunks[1].data, b"\xff\x00");
    assert_eq!(query.chunks[1].stream, Stream::Stderr);
    assert_eq!(
        query.exit.map(|exit| (exit.code, exit.signal)),
        Some((Some(0), None))
    );
    assert_eq!(query.dur_ms, 25);
    assert_eq!(query.annotations["note"], "baseline query");
    assert_eq!(read(write(&tape).as_bytes()).unwrap(), tape);
}

#[test]
fn older_spellings_are_read() {
    let text = "{ meta: { created_at: 't', program: 'p', error_rate: 5 }, exchanges: [ {
        pre: { prompt: null, state_hash: 's' }, input: { kind: 'line', data_text: 'a' },
        output: { chunks: [{ delayMs: 3, data_b64: 'MQo', is_utf8: true }, { delay_ms: 1, data_text: 'x' }] }, duration_ms: 9,
      }, { input: { kind: 'raw', data_b64: '/w==' } } ] }";
    let tape = read(text.as_bytes()).unwrap();
    assert_eq!(
        (tape.meta.created_at.as_str(), tape.meta.error_rate),
        ("t", 5.0)
    );
    assert_eq!(tape.session.format, 1);
    let first = &tape.exchanges[0];
    assert_eq!(first.pre.state_hash.as_deref(), Some("s"));
    assert_eq!(first.input.kind, InputKind::Line);
    assert_eq!(first.input.bytes, b"a\r");
    let chunks = first.chunks.iter();
    let chunks = chunks.map(|chunk| (&chunk.data[..], chunk.delay_ms, chunk.stream));
    assert!(chunks.eq([(&b"1\n"[..], 3, Stream::Stdout), (b"x", 1, Stream::Stdout)]));
    assert_eq!(first.dur_ms, 9);
    assert_eq!(tape.exchanges[1].input.bytes, b"\xff");
}

#[test]
fn a_text_goes_before_bytes_unless_it_only_stands_for_them() {
    let text = format!("{WITH} input: {{ type: 'line', dataText: 'b', dataBytesB64: 'YQ==' }}, output: {{ chunks: [
        {{ dataText: 'b', dataB64: 'YQ==' }}, {{ dataText: '\u{fffd}', dataB64: '/w==' }}, {{ dataText: '\u{fffd}' }} ] }} }}] }}");
    let exchange = read(text.as_bytes()).unwrap().exchanges.remove(0);
    assert_eq!(exchange.input.bytes, b"b\r");
    let data = exchange.chunks.iter().map(|chunk| &chunk.data[..]);
    assert!(data.eq([b"b", &b"\xff"[..], "\u{fffd}".as_bytes()]));
}

#[test]
fn what_may_be_missing_may_be_missing() {
    let tape = read(b"{ meta: { program: 'p' } }").unwrap();
    assert!(tape.meta.redact && tape.exchanges.is_empty());
    let text = format!(
        "{WITH} }}, {{ input: {{ dataText: 'x' }}, output: {{}}, exit: null, pre: null }}] }}"
    );
    let tape = read(text.as_bytes()).unwrap();
    assert_eq!(tape.exchanges[0], Exchange::default());
    assert_eq!(tape.exchanges[1].input.bytes, b"x\r");
}

#[test]
fn bad_files_are_refused_with_place_and_advice() {
    let meta = |member: &str| format!("{{ meta: {{ program: 'p', {member} }} }}");
    let program = "2:19: `meta.program` must be a string in quotation marks, not `5`";
    let rate = "1:36: `meta.errorRate` must be a number from 0 to 100";
    #[rustfmt::skip]
    let rows = [
        ("", "1:1: the file is empty"),
        ("\u{feff} \n", "1:1: the file is empty"),
        ("// only a comment", "1:18: the file ends"),
        ("{}", "1:1: `meta` is missing"),
        ("[]", "1:1: this value must be an object"),
        ("{ meta: {} }", "1:9: `meta.program` is missing"),
        ("{ meta: null }", "1:1: `meta` is missing"),
        ("{ meta: { program: 'p' },\n exchanges: [", "2:14: the file ends"),
        ("{\r\n meta: { program: 5 } }", program),
        (&meta("args: 'x'"), "1:31: `meta.args` must be a list"),
        (&meta("args: [1]"), "1:32: `meta.args[0]` must be a string"),
        (&meta("env: { A: 1 }"), "1:35: `meta.env.A` must be a string"),
        (&meta("errorRate: NaN"), &format!("{rate}, not `NaN`")),
        (&meta("errorRate: 101"), rate),
        (&meta("latency: [9, 1]"), "1:34: `meta.latency` must be milliseconds"),
        (&meta("pty: { rows: 0 }"), "1:38: `meta.pty.rows` must be"),
        (&meta("x: 'é', seed: -1"), "1:39: `meta.seed` must be a whole number"),
    ];
    for (text, expected) in rows {
        let message = message(text);
        assert!(message.starts_with(expected), "{text:?}: {message}");
    }
}

#[test]
fn bad_exchanges_are_refused_with_place_and_advice() {
    let chunk = |member: &str| format!("output: {{ chunks: [{{ {member} }}] }}");
    let infinity = "output.chunks[0].delay_ms` must be a whole number, 0 or more, not `Infinity`";
    #[rustfmt::skip]
    let rows = [
        ("input: { type: 'key' }", "input.type` must be \"line\" or \"raw\""),
        ("output: []", "output` must be an object"),
        ("output: { chunks: {} }", "output.chunks` must be a list"),
        (&chunk("delay_ms: Infinity"), infinity),
        (&chunk("delay_ms: 1.5"), "output.chunks[0].delay_ms` must be"),
        (&chunk("dataB64: 'M!'"), "output.chunks[0].dataB64` is not base64"),
        (&chunk("stream: 'x'"), "output.chunks[0].stream` must be"),
        ("exit: 0", "exit` must be an object"),
        ("exit: { code: 1e99 }", "exit.code` must be a whole number"),
        ("annotations: []", "annotations` must be an object"),
    ];
    for (member, expected) in rows {
        let message = message(&format!("{WITH}{member} }}] }}"));
        let (_, what) = message.split_once(": ").unwrap();
        let what = what.strip_prefix("`exchanges[0].").unwrap();
        assert!(what.starts_with(expected), "{member}: {message}");
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_place() {
    let error = read(b"{ meta: {\n program: '\xff' } }").unwrap_err();
    assert_eq!((error.line, error.column), (2, 12));
    assert_eq!(error.fault, TapeFault::NotUtf8);
    let utf16 = b"\xff\xfe{\0}\0";
    assert_eq!(read(utf16).unwrap_err().fault, TapeFault::NotUtf8);
}

#[test]
fn a_huge_file_is_refused() {
    let bytes = vec![b' '; MAX_BYTES + 1];
    assert!(matches!(
        read(&bytes).unwrap_err().fault,
        TapeFault::TooLarge { .. }
    ));
}

#[test]
fn what_needs_much_memory_in_few_bytes_is_bounded() {
    let chunks = format!("{WITH} output: {{ chunks: [");
    #[rustfmt::skip]
    let rows = [
        ("{ meta: { program: 'p' }, exchanges: [", "{},", MAX_EXCHANGES, "]}", "300000 exchanges"),
        (&chunks, "{},", MAX_CHUNKS, "] } }] }", "1300000 chunks"),
        ("{ meta: { program: 'p', x: [", "0,", MAX_VALUES, "] } }", "1000000 values"),
    ];
    for (start, item, most, end, expected) in rows {
        let items = item.repeat(most as usize + 1);
        let message = message(&[start, &items, end].concat());
        assert!(
            message.contains(&format!("more than {expected}")),
            "{message}"
        );
    }
}

#[test]
fn a_newer_format_is_refused_by_name_whatever_else_it_has() {
    for text in [
        "{ meta: { program: 'p' }, session: { format: 2 } }",
        "{ meta: { program: { name: 'p' } }, exchanges: {}, session: { version: '9', format: 2 } }",
        "{ tracks: [], session: { format: 2 } }",
    ] {
        let error = read(text.as_bytes()).unwrap_err();
        assert!(error.is_newer(), "{error}");
        assert!(error.to_string().contains("format 2"), "{error}");
    }
}

#[test]
fn an_outline_says_where_exchanges_stand() {
    let text = format!(
        "\u{feff}{{\r\n meta: {{ program: 'p' }}, exchanges: [\r\n  {{ pre: {{ hidden: true }} }}, // one\r\n  {} ] }}",
        "{ input: { type: 'line', dataText: 'é' },\n output: { chunks: [{ dataB64: 'MQo=' }] } }"
    );
    let outline = outline(text.as_bytes()).unwrap();
    let lines = outline.exchanges.iter().map(|exchange| exchange.line);
    assert!(lines.eq([3, 4]));
    assert!(outline.exchanges[0].pre.hidden);
    assert_eq!(outline.exchanges[1].input.bytes, "é\r".as_bytes());
    let exchange = read_exchange(&text.as_bytes()[outline.exchanges[1].span.clone()]).unwrap();
    assert_eq!(exchange.chunks[0].data, b"1\n");
    let wrong = read_exchange(b"{ output: { chunks: [{ dataB64: '!' }] } }").unwrap_err();
    assert_eq!(wrong.to_string().split_once(' ').unwrap().0, "1:33:");
}

fn annotations() -> impl Strategy<Value = super::super::model::Annotations> {
    let value = prop_oneof![
        any::<String>().prop_map(serde_json::Value::from),
        any::<u64>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        (-1e9..1e9_f64).prop_map(serde_json::Value::from),
        Just(json!(null)),
        Just(json!({ "a": [true, { "b c": [] }], "ü": {} })),
    ];
    // Names that are not keys of a tape.
    proptest::collection::btree_map("[a-z]{0,3}x[é \"'\\\\\u{202e}]{0,2}", value, 0..4)
        .prop_map(|map| map.into_iter().collect())
}

fn typed() -> impl Strategy<Value = TypedInput> {
    let bytes = prop_oneof![
        any::<String>().prop_map(String::into_bytes),
        any::<Vec<u8>>(),
        "[ab\r\n]{0,4}".prop_map(String::into_bytes),
    ];
    (any::<bool>(), bytes, any::<bool>()).prop_map(|(is_line, mut bytes, is_cr)| {
        if !is_line {
            return TypedInput {
                kind: InputKind::Raw,
                unfinished: bytes.len() % 2 == 1,
                bytes,
            };
        }
        bytes.push(if is_cr { b'\r' } else { b'\n' });
        TypedInput {
            kind: InputKind::Line,
            bytes,
            unfinished: false,
        }
    })
}

fn exchange() -> impl Strategy<Value = Exchange> {
    let data = prop_oneof![
        any::<String>().prop_map(String::into_bytes),
        any::<Vec<u8>>()
    ];
    let chunk = (any::<u64>(), data, any::<bool>()).prop_map(|(delay_ms, data, is_error)| Chunk {
        delay_ms,
        data,
        stream: if is_error {
            Stream::Stderr
        } else {
            Stream::Stdout
        },
    });
    let pre = any::<(String, Option<String>, bool, bool)>();
    let pre = pre.prop_map(|(prompt, state_hash, hidden, keys)| Pre {
        prompt,
        state_hash,
        hidden,
        keys,
    });
    let exit = proptest::option::of((any::<Option<i32>>(), any::<Option<i32>>()));
    let exit = exit.prop_map(|exit| exit.map(|(code, signal)| TapeExit { code, signal }));
    let chunks = proptest::collection::vec(chunk, 0..4);
    let parts = (pre, typed(), chunks, exit, any::<u64>(), annotations());
    parts.prop_map(|(pre, input, chunks, exit, dur_ms, annotations)| Exchange {
        pre,
        input,
        chunks,
        exit,
        dur_ms,
        annotations,
    })
}

pub(in super::super) fn tape() -> impl Strategy<Value = Tape> {
    let latency = proptest::option::of(prop_oneof![
        any::<u64>().prop_map(Latency::Constant),
        (0..9_u64, 9..99_u64).prop_map(|(low, high)| Latency::Range([low, high])),
        Just(Latency::Named(LatencyName::Recorded)),
    ]);
    let env = proptest::collection::btree_map(any::<String>(), any::<String>(), 0..3);
    let texts = any::<(String, Vec<String>, String, Option<String>)>();
    let size = proptest::option::of((1..=u16::MAX, 1..=u16::MAX));
    let seed = any::<(Option<u64>, bool)>();
    let facts = (
        "[^\0]{1,9}",
        env,
        size,
        latency,
        0.0..=100.0_f64,
        seed,
        annotations(),
    );
    let recorder = any::<(String, String, Vec<String>)>();
    let session = (recorder, 0..=FORMAT, annotations());
    let exchanges = proptest::collection::vec(exchange(), 0..4);
    (texts, facts, session, exchanges).prop_map(|(texts, facts, session, exchanges)| {
        let (created_at, args, cwd, tag) = texts;
        let (program, env, pty, latency, error_rate, (seed, redact), other) = facts;
        let pty = pty.map(|(rows, cols)| PtySize { rows, cols });
        let meta = Meta {
            created_at,
            program,
            args,
            env,
            cwd,
            pty,
            fits_any_terminal: false,
            tag,
            latency,
            error_rate,
            seed,
            redact,
            plain: !redact,
            other,
        };
        let ((platform, version, flags), format, other) = session;
        let session = RecordedBy {
            platform,
            version,
            flags,
            format,
            other,
        };
        Tape {
            meta,
            session,
            exchanges,
        }
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(tape in tape()) {
        let text = write(&tape);
        let again = read(text.as_bytes()).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(&again, &tape);
        let outline = outline(text.as_bytes()).unwrap();
        prop_assert_eq!(outline.meta, tape.meta);
        for (outlined, exchange) in outline.exchanges.iter().zip(&tape.exchanges) {
            prop_assert_eq!(&outlined.input, &exchange.input);
            let read = read_exchange(&text.as_bytes()[outlined.span.clone()]).unwrap();
            prop_assert_eq!(&read, exchange);
        }
    }

    #[test]
    fn damaged_tapes_are_taken_or_refused_by_both_readers(tape in tape(), cut in any::<proptest::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = write(&tape).into_bytes();
        let at = cut.index(bytes.len() - 2); // before the last `}` and its line end
        let truncated = &bytes[..at];
        prop_assert!(read(truncated).is_err());
        prop_assert_eq!(read(truncated).err(), outline(truncated).err());
        bytes[at] = byte;
        prop_assert_eq!(read(&bytes).err(), outline(&bytes).err());
    }

    #[test]
    fn no_bytes_panic(bytes in any::<Vec<u8>>()) {
        let _ = read(&bytes);
        let _ = read_exchange(&bytes);
    }
}
