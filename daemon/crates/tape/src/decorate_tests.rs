use super::*;
use crate::tools::tests::{exchange, tape as tape_of};
use DecoratorTarget::{Input, Output, Tape as Whole};
use proptest::prelude::*;

/// Returns a tape of one exchange, whose chunks have the delays 1, 2, 3 ….
fn tape(input: &str, chunks: &[&str]) -> Tape {
    let mut exchange = exchange(input, chunks);
    for (delay_ms, chunk) in (1..).zip(&mut exchange.chunks) {
        chunk.delay_ms = delay_ms;
    }
    tape_of(vec![exchange])
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
    let text = |chunk: &Chunk| String::from_utf8_lossy(&chunk.data).into_owned();
    chunks.map(|chunk| (chunk.delay_ms, text(chunk))).collect()
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
    for (pattern, with, expected) in [
        (r"host=(\w)\S+", "$1.example", ["a.example", " ", "ok"]),
        ("$", "!", ["host=ab", "c.de ", "ok!"]),
        ("c", "CC", ["host=ab", "CC.de ", "ok"]),
    ] {
        let decorated = applied(&tape, &[replace(Output, pattern, with)]).unwrap();
        let [first, second, third] = expected;
        assert_eq!(
            chunks(&decorated),
            shown(&[(1, first), (2, second), (3, third)])
        );
        let note = &decorated.exchanges[0].annotations["decorators"];
        assert_eq!(
            note,
            &json!([{"on": "output", "replace": pattern, "with": with}])
        );
    }
}

#[test]
fn a_filter_keeps_the_chunks_where_the_length_stays() {
    let tape = tape("", &["ab", "", "cd"]);
    let upper = applied(&tape, &[filter(Output, &["tr"])]).unwrap();
    assert_eq!(chunks(&upper), shown(&[(1, "AB"), (2, ""), (3, "CD")]));
    let double = applied(&tape, &[filter(Output, &["double"])]).unwrap();
    assert_eq!(chunks(&double), shown(&[(1, "abcdabcd")]));
}

#[test]
fn a_line_keeps_its_enter() {
    let line = tape("select 1;\r", &[]);
    let both = [replace(Input, "1;$", "2;"), filter(Input, &["tr"])];
    let exchange = applied(&line, &both).unwrap().exchanges.remove(0);
    assert_eq!(exchange.input.bytes, b"SELECT 2;\r");
    let notes = exchange.annotations["decorators"].as_array().unwrap();
    assert_eq!(notes.len(), 2);
    let mut hidden = line.clone();
    hidden.exchanges[0].pre.hidden = true;
    let same = applied(&hidden, &[replace(Input, ".", "x")]).unwrap();
    assert_eq!(same, hidden);
}

#[test]
fn a_tape_is_changed_as_json() {
    let tape = tape("a\r", &["b"]);
    let changed = applied(&tape, &[filter(Whole, &["retag", "x"])]).unwrap();
    assert_eq!(changed.meta.tag.as_deref(), Some("new"));
    let note = &changed.exchanges[0].annotations["decorators"];
    assert_eq!(*note, json!([{"on": "tape", "filter": ["retag", "x"]}]));
    let error = applied(&tape, &[replace(Whole, "\"meta\"", "")]).unwrap_err();
    let error = error.to_string();
    assert!(
        error.starts_with("decorators[0] did not return a tape: "),
        "{error}"
    );
}

#[test]
fn a_filter_that_fails_is_named() {
    let both = [replace(Input, "a", "b"), filter(Output, &["fail", "-x"])];
    let error = applied(&tape("a", &["b"]), &both).unwrap_err().to_string();
    let expected = "the filter fail of decorators[1] failed: it ended with status 3";
    assert_eq!(error, expected);
}

#[test]
fn decorators_are_checked_before_they_are_used() {
    let error = |decorator: Decorator| {
        let good = replace(Input, "a", "b");
        Decorators::new(&[good, decorator]).unwrap_err().to_string()
    };
    let good = || replace(Input, "a", "b");
    let (mut both, mut half) = (good(), good());
    both.filter = Some(vec!["x".to_owned()]);
    half.with = None;
    let no_regex = "decorators[1].replace is not a regular expression: unclosed group";
    for (decorator, expected) in [
        (both, "decorators[1] must have either"),
        (half, "decorators[1] must have either"),
        (replace(Input, "(", ""), no_regex),
        (
            filter(Input, &[]),
            "decorators[1].filter must name a program",
        ),
    ] {
        let error = error(decorator);
        assert!(error.starts_with(expected), "{error}");
    }
    assert!(error(replace(Input, &"a".repeat(MAX_TEXT_BYTES + 1), "")).contains("longer"));
    assert!(Decorators::new(&vec![good(); MAX_DECORATORS + 1]).is_err());
}

proptest! {
    #[test]
    fn borders_of_chunks_do_not_change_what_is_replaced(
        pieces in prop::collection::vec("[abc]{0,4}", 0..6),
        pattern in prop::sample::select(vec!["a", "ab+", "b*", "^", "$", "bc|ca", ""]),
    ) {
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let tape = tape("", &pieces);
        let changed = applied(&tape, &[replace(Output, pattern, "<$0>")]).unwrap();
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
    for (replaced, with, noted) in [
        ("hunter2", "***", "***"),
        ("TOKEN=abc", "TOKEN=x", "TOKEN=***"),
        ("hunter[0-9]", "***", "hunter[0-9]"),
    ] {
        assert_eq!(notes(replace(Output, replaced, with))["replace"], noted);
    }
}
