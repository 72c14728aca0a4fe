use super::*;
use crate::format::{Meta, Recorder, TypedInput};
use proptest::prelude::*;

fn tape(input: &str, chunks: &[&str]) -> Tape {
    let chunk = |(delay_ms, data): (u64, &&str)| Chunk {
        delay_ms,
        data: data.as_bytes().to_vec(),
        ..Chunk::default()
    };
    let exchange = Exchange {
        input: TypedInput {
            kind: if input.ends_with('\r') {
                InputKind::Line
            } else {
                InputKind::Raw
            },
            bytes: input.as_bytes().to_vec(),
            ..TypedInput::default()
        },
        chunks: (1..).zip(chunks).map(chunk).collect(),
        ..Exchange::default()
    };
    Tape {
        meta: Meta {
            program: "app".to_owned(),
            ..Meta::default()
        },
        session: Recorder::default(),
        exchanges: vec![exchange],
    }
}

fn replace(on: DecoratorTarget, replace: &str, with: &str) -> Decorator {
    Decorator {
        on,
        replace: Some(replace.to_owned()),
        with: Some(with.to_owned()),
        filter: None,
    }
}

fn filter(on: DecoratorTarget, words: &[&str]) -> Decorator {
    Decorator {
        on,
        replace: None,
        with: None,
        filter: Some(words.iter().map(|&word| word.to_owned()).collect()),
    }
}

/// Imitates `tr a-z A-Z`, `double` and `fail`.
fn run(words: &[String], input: &[u8]) -> Result<Vec<u8>, String> {
    match words[0].as_str() {
        "tr" => Ok(input.to_ascii_uppercase()),
        "double" => Ok(input.repeat(2)),
        "retag" => {
            let mut tape: Value = serde_json::from_slice(input).unwrap();
            tape["meta"]["tag"] = "new".into();
            Ok(tape.to_string().into_bytes())
        }
        _ => Err("it ended with status 3".to_owned()),
    }
}

fn applied(tape: &Tape, decorators: &[Decorator]) -> Result<Tape, DecorateError> {
    let mut decorated = tape.clone();
    let result = Decorators::new(decorators)
        .unwrap()
        .apply(&mut decorated, &mut run);
    match result {
        Ok(()) => Ok(decorated),
        Err(error) => {
            assert_eq!(&decorated, tape, "an error changes nothing");
            Err(error)
        }
    }
}

fn chunks(tape: &Tape) -> Vec<(u64, String)> {
    let chunks = tape.exchanges[0].chunks.iter();
    let shown = |chunk: &Chunk| {
        (
            chunk.delay_ms,
            String::from_utf8_lossy(&chunk.data).into_owned(),
        )
    };
    chunks.map(shown).collect()
}

fn shown(chunks: &[(u64, &str)]) -> Vec<(u64, String)> {
    chunks
        .iter()
        .map(|(delay_ms, data)| (*delay_ms, (*data).to_owned()))
        .collect()
}

#[test]
fn a_replacement_stands_in_the_chunk_where_its_match_begins() {
    let tape = tape("", &["host=ab", "c.de ", "ok"]);
    let decorated = applied(
        &tape,
        &[replace(
            DecoratorTarget::Output,
            r"host=(\w)\S+",
            "$1.example",
        )],
    )
    .unwrap();
    assert_eq!(
        chunks(&decorated),
        shown(&[(1, "a.example"), (2, " "), (3, "ok")])
    );
    let note = &decorated.exchanges[0].annotations["decorators"];
    assert_eq!(
        note,
        &json!([{"on": "output", "replace": r"host=(\w)\S+", "with": "$1.example"}])
    );
    let end = applied(&tape, &[replace(DecoratorTarget::Output, "$", "!")]).unwrap();
    assert_eq!(
        chunks(&end),
        shown(&[(1, "host=ab"), (2, "c.de "), (3, "ok!")])
    );
    let begin = applied(&tape, &[replace(DecoratorTarget::Output, "c", "CC")]).unwrap();
    assert_eq!(
        chunks(&begin),
        shown(&[(1, "host=ab"), (2, "CC.de "), (3, "ok")])
    );
}

#[test]
fn a_filter_keeps_the_chunks_where_the_length_stays() {
    let tape = tape("", &["ab", "", "cd"]);
    let upper = applied(&tape, &[filter(DecoratorTarget::Output, &["tr"])]).unwrap();
    assert_eq!(chunks(&upper), shown(&[(1, "AB"), (2, ""), (3, "CD")]));
    let double = applied(&tape, &[filter(DecoratorTarget::Output, &["double"])]).unwrap();
    assert_eq!(chunks(&double), shown(&[(1, "abcdabcd")]));
}

#[test]
fn a_line_keeps_its_enter() {
    let line = tape("select 1;\r", &[]);
    let changed = applied(
        &line,
        &[
            replace(DecoratorTarget::Input, "1;$", "2;"),
            filter(DecoratorTarget::Input, &["tr"]),
        ],
    )
    .unwrap();
    assert_eq!(changed.exchanges[0].input.bytes, b"SELECT 2;\r");
    assert_eq!(
        changed.exchanges[0].annotations["decorators"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let mut hidden = line.clone();
    hidden.exchanges[0].pre.hidden = true;
    assert_eq!(
        applied(&hidden, &[replace(DecoratorTarget::Input, ".", "x")]).unwrap(),
        hidden
    );
}

#[test]
fn a_tape_is_changed_as_json() {
    let tape = tape("a\r", &["b"]);
    let changed = applied(&tape, &[filter(DecoratorTarget::Tape, &["retag", "x"])]).unwrap();
    assert_eq!(changed.meta.tag.as_deref(), Some("new"));
    assert_eq!(
        changed.exchanges[0].annotations["decorators"],
        json!([{"on": "tape", "filter": ["retag", "x"]}])
    );
    let error = applied(&tape, &[replace(DecoratorTarget::Tape, "\"meta\"", "")]).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("decorators[0] did not return a tape: "),
        "{error}"
    );
}

#[test]
fn a_filter_that_fails_is_named() {
    let error = applied(
        &tape("a", &["b"]),
        &[
            replace(DecoratorTarget::Input, "a", "b"),
            filter(DecoratorTarget::Output, &["fail", "-x"]),
        ],
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the filter fail of decorators[1] failed: it ended with status 3"
    );
}

#[test]
fn decorators_are_checked_before_they_are_used() {
    let error = |decorator: Decorator| {
        let good = replace(DecoratorTarget::Input, "a", "b");
        Decorators::new(&[good, decorator]).unwrap_err().to_string()
    };
    let on = DecoratorTarget::Input;
    let both = Decorator {
        filter: Some(vec!["x".to_owned()]),
        ..replace(on, "a", "b")
    };
    assert!(error(both).starts_with("decorators[1] must have either"));
    let half = Decorator {
        with: None,
        ..replace(on, "a", "b")
    };
    assert!(error(half).starts_with("decorators[1] must have either"));
    assert_eq!(
        error(replace(on, "(", "")),
        "decorators[1].replace is not a regular expression: unclosed group"
    );
    assert_eq!(
        error(filter(on, &[])),
        "decorators[1].filter must name a program"
    );
    assert!(error(replace(on, &"a".repeat(MAX_TEXT_BYTES + 1), "")).contains("longer"));
    assert!(Decorators::new(&vec![replace(on, "a", "b"); MAX_DECORATORS + 1]).is_err());
}

proptest! {
    #[test]
    fn borders_of_chunks_do_not_change_what_is_replaced(
        pieces in prop::collection::vec("[abc]{0,4}", 0..6),
        pattern in prop::sample::select(vec!["a", "ab+", "b*", "^", "$", "bc|ca", ""]),
    ) {
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let tape = tape("", &pieces);
        let changed = applied(&tape, &[replace(DecoratorTarget::Output, pattern, "<$0>")]).unwrap();
        let whole = regex::Regex::new(pattern).unwrap();
        let joined = pieces.concat();
        let expected = if joined.is_empty() { String::new() } else { whole.replace_all(&joined, "<$0>").into_owned() };
        let found: String = chunks(&changed).into_iter().map(|(_, data)| data).collect();
        prop_assert_eq!(found, expected);
        prop_assert_eq!(changed.exchanges[0].chunks.len(), pieces.len());
    }
}

#[test]
fn a_note_has_no_secret() {
    let notes = |decorator: Decorator| {
        let mut tape = tape("x\r", &["hunter2 and TOKEN=abc"]);
        let decorators = Decorators::new(&[decorator]).unwrap();
        decorators.apply(&mut tape, &mut run).unwrap();
        crate::tools::redact_tape(&mut tape);
        tape.exchanges[0].annotations["decorators"][0].clone()
    };
    let on = DecoratorTarget::Output;
    let hidden = notes(replace(on, "hunter2", "***"));
    assert_eq!(
        hidden,
        json!({"on": "output", "replace": "***", "with": "***"})
    );
    let found = notes(replace(on, "TOKEN=abc", "TOKEN=x"));
    assert_eq!(found["replace"], "TOKEN=***");
    let other = notes(replace(on, "hunter[0-9]", "***"));
    assert_eq!(other["replace"], "hunter[0-9]");
}
