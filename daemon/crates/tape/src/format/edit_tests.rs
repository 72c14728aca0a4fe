use super::super::model::{Annotations, Chunk};
use super::super::read::read;
use super::super::write::write;
use super::*;
use PathStep::{Item, Key};
use ccd_protocol::tape::TapeExit;
use proptest::prelude::*;
use serde_json::json;

const FIXTURE: &str = include_str!("../../../../../tests/fixtures/tapes/format_1.json5");

/// Returns the path of an annotation of an exchange.
fn note(exchange: usize, name: &str) -> [PathStep<'_>; 4] {
    [
        Key("exchanges"),
        Item(exchange),
        Key("annotations"),
        Key(name),
    ]
}

fn edited(text: &str, edit: impl FnOnce(&mut Edits<'_>)) -> String {
    let mut edits = Edits::parse(text.as_bytes()).unwrap();
    edit(&mut edits);
    edits.apply().unwrap()
}

/// Returns the lines that are not in both.
fn changed_lines<'a>(before: &'a str, after: &'a str) -> Vec<&'a str> {
    let is_new = |line: &&str| !before.lines().any(|old| old == *line);
    after.lines().filter(is_new).map(str::trim).collect()
}

#[test]
fn nothing_changed_is_the_same_text() {
    assert_eq!(edited(FIXTURE, |_| ()), FIXTURE);
}

#[test]
fn a_value_is_replaced_and_all_else_stays() {
    let after = edited(FIXTURE, |edits| {
        let first_arg = [Key("meta"), Key("args"), Item(0)];
        edits.set(&first_arg, "'***'").unwrap();
        edits.set(&[Key("meta"), Key("error_rate")], "7").unwrap();
        edits.set(&note(1, "note"), "1").unwrap();
    });
    let expected = [
        "args: ['***'],",
        "errorRate: 7,",
        "annotations: { note: 1 },",
    ];
    assert_eq!(changed_lines(FIXTURE, &after), expected);
    assert_eq!(after.lines().count(), FIXTURE.lines().count());
}

#[test]
fn a_key_that_is_missing_is_put_there() {
    let after = edited(FIXTURE, |edits| {
        let host = [Key("session"), Key("host"), Key("name")];
        let code = [Key("exchanges"), Item(0), Key("exit"), Key("code")];
        edits.set(&note(0, "redacted"), "2").unwrap();
        edits.set(&note(0, "b c"), "{}").unwrap();
        edits.set(&note(1, "redacted"), "3").unwrap();
        edits.set(&host, "'x'").unwrap();
        edits.set(&code, "0").unwrap();
    });
    let expected = [
        "host: { name: 'x' },",
        "exit: { code: 0 },",
        "annotations: { redacted: 2, \"b c\": {} },",
        "annotations: { redacted: 3, note: \"baseline query\" },",
    ];
    assert_eq!(changed_lines(FIXTURE, &after), expected);
}

#[test]
fn a_key_is_put_into_any_object() {
    let cases = [
        ("{}", "{ k: 1 }"),
        ("{ }", "{ k: 1 }"),
        ("null", "{ k: 1 }"),
        ("{ /* a */ }", "{ k: 1, /* a */ }"),
        ("{a: 1}", "{k: 1, a: 1}"),
        ("{ // c\n  a: 1 // d\n}", "{ // c\n  k: 1,\n  a: 1 // d\n}"),
        ("{\r\n\t'a': 1,}", "{\r\n\tk: 1,\n\t'a': 1,}"),
    ];
    for (before, after) in cases {
        let tape = |inner: &str| format!("{{ meta: {{ program: 'p', x: {inner} }} }}");
        let before = tape(before);
        let done = edited(&before, |edits| {
            edits.set(&[Key("meta"), Key("x"), Key("k")], "1").unwrap()
        });
        assert_eq!(done, tape(after));
    }
}

#[test]
fn what_is_not_there_is_named() {
    let mut edits = Edits::parse(FIXTURE.as_bytes()).unwrap();
    for (path, name) in [
        ([Key("exchanges"), Item(2), Key("pre")], "exchanges[2].pre"),
        ([Key("meta"), Key("args"), Item(1)], "meta.args[1]"),
        ([Key("meta"), Key("cwd"), Key("a")], "meta.cwd.a"),
    ] {
        let error = edits.set(&path, "1").unwrap_err();
        assert_eq!(error.to_string(), format!("the tape has no `{name}`"));
    }
    assert!(edits.set_chunk(0, 9, b"").is_err() && edits.set_chunk(9, 0, b"").is_err());
}

#[test]
fn changes_that_meet_and_those_that_break_a_tape_are_refused() {
    let mut edits = Edits::parse(FIXTURE.as_bytes()).unwrap();
    edits.set(&[Key("meta"), Key("pty")], "null").unwrap();
    edits
        .set(&[Key("meta"), Key("pty"), Key("rows")], "5")
        .unwrap();
    assert!(matches!(edits.apply(), Err(EditError::Overlap { line: 9 })));
    let mut edits = Edits::parse(FIXTURE.as_bytes()).unwrap();
    edits.set(&[Key("meta"), Key("program")], "}").unwrap();
    assert!(matches!(edits.apply(), Err(EditError::Broken(_))));
    let mut edits = Edits::parse(FIXTURE.as_bytes()).unwrap();
    edits.set(&[Key("meta"), Key("a"), Key("b")], "1").unwrap();
    assert!(matches!(
        edits.set(&[Key("meta"), Key("a"), Key("c")], "1"),
        Err(EditError::Overlap { .. })
    ));
}

#[test]
fn a_chunk_changes_in_its_own_form() {
    let after = edited(FIXTURE, |edits| {
        edits.set_chunk(0, 0, b"Lite\n").unwrap();
        edits.set_chunk(1, 0, b"2\n").unwrap();
        edits.set_chunk(1, 1, b"x").unwrap();
    });
    let expected = [
        "{ delay_ms: 40, dataB64: \"TGl0ZQo=\", isUtf8: true }, // Lite\\n",
        "{ delay_ms: 12, dataText: \"2\\n\" }, // changed by hand",
        "{ delay_ms: 3, dataB64: \"eA==\", isUtf8: true, stream: \"stderr\" },",
    ];
    assert_eq!(changed_lines(FIXTURE, &after), expected);
    let bytes = edited(FIXTURE, |edits| {
        edits.set_chunk(0, 0, b"\xff").unwrap();
        edits.set_chunk(1, 0, b"\xfe").unwrap();
    });
    let expected = [
        "{ delay_ms: 40, dataB64: \"/w==\", isUtf8: false },",
        "{ dataB64: \"/g==\", delay_ms: 12, dataText: null }, // changed by hand",
    ];
    assert_eq!(changed_lines(FIXTURE, &bytes), expected);
    let tape = read(bytes.as_bytes()).unwrap();
    assert_eq!(tape.exchanges[1].chunks[0].data, b"\xfe");
}

#[test]
fn of_an_exchange_only_what_differs_changes() {
    let mut exchange = read(FIXTURE.as_bytes()).unwrap().exchanges.remove(1);
    let (code, signal) = (None, Some(9));
    exchange.exit = Some(TapeExit { code, signal });
    exchange.dur_ms = 7;
    let after = edited(FIXTURE, |edits| edits.set_exchange(1, &exchange).unwrap());
    assert_eq!(
        changed_lines(FIXTURE, &after),
        ["exit: { code: null, signal: 9 },", "dur_ms: 7,"]
    );
    exchange.chunks = vec![Chunk {
        data: b"new".to_vec(),
        ..Chunk::default()
    }];
    let after = edited(FIXTURE, |edits| edits.set_exchange(1, &exchange).unwrap());
    assert!(after.contains(
        "      output: {\n        chunks: [\n          { delay_ms: 0, dataB64: \"bmV3\""
    ));
    assert_eq!(read(after.as_bytes()).unwrap().exchanges[1], exchange);
}

#[test]
fn comments_are_found_and_can_be_changed() {
    let found = comments(FIXTURE);
    assert_eq!(found.len(), 4);
    assert_eq!(&FIXTURE[found[3].clone()], "// changed by hand");
    let text = "/* 'a */ { meta: { program: '// \\' /* no', } /**/ } // end";
    let found = comments(text).into_iter().map(|span| &text[span]);
    assert!(found.eq(["/* 'a */", "/**/", "// end"]));
    let after = edited(FIXTURE, |edits| {
        edits.set_chunk(0, 0, b"x").unwrap();
        for span in comments(FIXTURE) {
            if !edits.is_changed(&span) {
                edits.replace(span, "// *".to_owned());
            }
        }
    });
    assert_eq!(after.matches("// *").count(), 3);
    assert!(after.contains("}, // x\n"));
}

proptest! {
    #[test]
    fn an_edited_tape_says_what_was_changed(
        tape in super::super::read::tests::tape(), data in any::<Vec<u8>>(), at in any::<proptest::sample::Index>(),
        text in any::<String>()
    ) {
        let before = write(&tape);
        prop_assert_eq!(edited(&before, |_| ()), before.clone());
        let mut expected = tape;
        let mut edits = Edits::parse(before.as_bytes()).unwrap();
        edits.set(&[Key("meta"), Key("cwd")], &json5::quoted(&text)).unwrap();
        expected.meta.cwd = text.clone();
        if !expected.exchanges.is_empty() {
            let index = at.index(expected.exchanges.len());
            let exchange = &mut expected.exchanges[index];
            for (chunk, old) in exchange.chunks.iter_mut().enumerate() {
                edits.set_chunk(index, chunk, &data).unwrap();
                old.data.clone_from(&data);
            }
            edits.set(&[Key("exchanges"), Item(index), Key("annotations"), Key(&text)], "[1]").unwrap();
            exchange.annotations.insert(text, json!([1]));
        }
        let after = edits.apply().unwrap();
        prop_assert_eq!(read(after.as_bytes()).unwrap(), expected.clone());
        let lines = (before.lines().count(), after.lines().count());
        prop_assert!(lines.1.abs_diff(lines.0) <= 1);
        let others: Annotations = expected.meta.other;
        prop_assert!(others.keys().all(|key| after.contains(&json5::key(key))));
    }
}
