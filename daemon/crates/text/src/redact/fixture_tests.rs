//! Every case of `tests/fixtures/redaction.json`, in every form in which it can reach the rules, and those of
//! `tests/fixtures/redaction_forms.json`, as they are.

use super::bytes::raw_tests::{redact_bytes, redact_input, redact_output};
use super::*;
use crate::expect::clean_lossy;
use serde_json::Value;
use std::sync::LazyLock;

const FIXTURE: &str = include_str!("../../../../../tests/fixtures/redaction.json");
const FORMS: &str = include_str!("../../../../../tests/fixtures/redaction_forms.json");

/// A text and what it becomes.
struct Case {
    text: String,
    redacted: String,
}

static SECRETS: LazyLock<Vec<Case>> = LazyLock::new(|| secrets(FIXTURE));

fn secrets(fixture: &str) -> Vec<Case> {
    let fixture: Value = serde_json::from_str(fixture).unwrap();
    let cases = fixture["secrets"].as_array().unwrap().iter();
    let case = |case: &Value| Case {
        text: filled(case["text"].as_str().unwrap()),
        redacted: case["redacted"].as_str().unwrap().to_owned(),
    };
    cases.map(case).collect()
}

fn innocent(fixture: &str) -> Vec<String> {
    let texts: Value = serde_json::from_str(fixture).unwrap();
    let texts = texts["innocent"].as_array().unwrap().iter();
    texts
        .map(|text| text.as_str().unwrap().to_owned())
        .collect()
}

/// Replaces each placeholder of the fixture by as many letters and digits as it asks for.
fn filled(text: &str) -> String {
    const MIXED: &str = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3";
    const HEX: &str = "3f786850e387550fdab836ed7e6dc881";
    let mut filled = String::new();
    for (index, part) in text.split("{{").enumerate() {
        let Some((gap, rest)) = part.split_once("}}").filter(|_| index > 0) else {
            filled.push_str(part);
            continue;
        };
        let (alphabet, len) = match gap.strip_prefix("hex ") {
            Some(len) => (HEX, len),
            None => (MIXED, gap),
        };
        filled.extend(alphabet.chars().cycle().take(len.parse().unwrap()));
        filled.push_str(rest);
    }
    filled
}

#[test]
fn every_secret_goes_and_nothing_else() {
    for Case { text, redacted } in SECRETS.iter().chain(&secrets(FORMS)) {
        let found = redact(text);
        assert_eq!(&found.text, redacted);
        assert!(found.removed > 0, "{text:?}");
        let again = redact(redacted);
        assert_eq!((again.removed, again.text.as_ref()), (0, redacted.as_str()));
        for form in [redact_bytes, redact_input] {
            assert_eq!(form(text.as_bytes()).0, redacted.as_bytes(), "{text:?}");
        }
    }
}

/// `tests/fixtures/sensitive.json` says only what must be gone and what must stay. Its secrets are in parts, so that the
/// repository contains none.
#[test]
fn no_text_of_the_other_fixture_keeps_a_secret_or_loses_anything_else() {
    let cases: Value =
        serde_json::from_str(include_str!("../../../../../tests/fixtures/sensitive.json")).unwrap();
    let joined = |text: &Value| {
        let parts = text["join"].as_array().unwrap().iter();
        parts.map(|part| part.as_str().unwrap()).collect::<String>()
    };
    let cases = cases["cases"].as_array().unwrap();
    for case in cases {
        let text = joined(&case["text"]);
        let clean = redact(&text).text;
        match case["must_not_contain"].as_array() {
            Some(secrets) => assert!(
                !secrets.iter().any(|secret| clean.contains(&joined(secret))),
                "{}: {clean}",
                case["id"]
            ),
            None => assert_eq!(clean, text, "{}", case["id"]),
        }
    }
    assert_eq!(cases.len(), 40);
}

#[test]
fn innocent_text_stays() {
    let fixture = innocent(FIXTURE);
    for text in fixture.iter().chain(&innocent(FORMS)) {
        let found = redact(text);
        assert_eq!((found.removed, found.text.as_ref()), (0, text.as_str()));
        let bytes = text.as_bytes();
        assert_eq!(redact_bytes(bytes), (bytes.to_vec(), 0), "{text:?}");
    }
    for text in fixture {
        let bytes = text.as_bytes();
        assert_eq!(redact_input(bytes), (bytes.to_vec(), 0), "{text:?}");
    }
}

#[test]
fn arguments_are_redacted_one_by_one() {
    let differences = |mut texts: Vec<String>, expected: Vec<String>| {
        let (program, args) = ("sh", &mut texts[..]);
        redact_values(Values::Args { program, args });
        let both = texts.into_iter().zip(expected);
        both.filter(|(found, expected)| found != expected)
            .collect::<Vec<_>>()
    };
    assert_eq!(differences(innocent(FIXTURE), innocent(FIXTURE)), []);
    let texts = SECRETS.iter().map(|case| case.text.clone()).collect();
    let expected = SECRETS.iter().map(|case| case.redacted.clone()).collect();
    assert_eq!(differences(texts, expected), []);
}

#[test]
fn a_cut_at_any_place_hides_no_secret_and_moves_no_other_byte() {
    for Case { text, redacted } in SECRETS.iter() {
        let whole = redact(text).removed;
        let secrets = Secrets::new(text);
        let places = secrets.places();
        for cut in 0..=text.len() {
            let (before, after) = text.as_bytes().split_at(cut);
            let mut chunks = vec![before.to_vec(), after.to_vec()];
            assert_eq!(redact_output(&mut chunks), whole, "{text:?} at {cut}");
            assert_eq!(chunks.concat(), redacted.as_bytes(), "{text:?} at {cut}");
            let masked = places.iter().filter(|place| place.start < cut);
            let lost = masked.clone().map(|place| place.end.min(cut) - place.start);
            let len = before.len() - lost.sum::<usize>() + masked.count() * MASK.len();
            assert_eq!(chunks[0].len(), len, "{text:?} at {cut}");
        }
    }
}

#[test]
fn a_chunk_for_each_byte_hides_no_secret() {
    for Case { text, redacted } in SECRETS.iter() {
        let mut chunks: Vec<Vec<u8>> = text.bytes().map(|byte| vec![byte]).collect();
        redact_output(&mut chunks);
        assert_eq!(chunks.concat(), redacted.as_bytes(), "{text:?}");
        assert_eq!(chunks.len(), text.len());
    }
}

#[test]
fn control_sequences_at_any_place_hide_no_secret() {
    for Case { text, redacted } in SECRETS.iter() {
        let expected = clean_lossy(redacted.as_bytes(), encoding_rs::UTF_8);
        for at in 0..=text.len() {
            for sequence in [
                "\x1b[1;31m",
                "\x1b]0;title\x07",
                "\x1b(B",
                "\x1b[K\x1b[?25h",
            ] {
                let (before, after) = text.as_bytes().split_at(at);
                let raw = [before, sequence.as_bytes(), after].concat();
                let (clean, removed) = redact_bytes(&raw);
                assert!(removed > 0, "{text:?} at {at}");
                let shown = clean_lossy(&clean, encoding_rs::UTF_8);
                assert_eq!(shown, expected, "{text:?} at {at}");
                assert_eq!(redact_bytes(&clean), (clean, 0), "{text:?} at {at}");
            }
        }
    }
}

#[test]
fn what_is_invisible_beside_a_secret_hides_none() {
    for Case { text, redacted } in SECRETS.iter() {
        for (before, after) in [("a\0", "\0b"), ("a\x1b[1m\0", "\x1b[m\0b")] {
            let raw = [before, text, after].concat();
            let expected = [before, redacted, after].concat();
            let (clean, _) = redact_bytes(raw.as_bytes());
            assert_eq!(String::from_utf8_lossy(&clean), expected, "{text:?}");
        }
    }
}
