use super::locate::{self, Member};
use super::mistake::{MAX_DEPTH, Mistake, Place, Warning};
use super::schema::{KEYS, Key, is_group};
use super::values::Config;
use ccd_text::nearest::nearest;
use json5::ErrorCode;
use serde_json::Value;
use std::collections::BTreeSet;

/// Maximum length of an invalid value in a message, in characters.
const MAX_SHOWN_CHARS: usize = 40;

/// The result of checking a configuration.
#[derive(Debug, Default)]
pub(super) struct Checked {
    /// The configuration, with defaults for missing and invalid values.
    pub(super) config: Config,
    /// The keys that the text sets.
    pub(super) set: BTreeSet<&'static str>,
    pub(super) mistakes: Vec<Mistake>,
    pub(super) warnings: Vec<Warning>,
}

/// Reads a configuration; all mistakes are reported, not only the first.
///
/// The caller must limit the size of `bytes`.
pub(super) fn check(bytes: &[u8]) -> Checked {
    let mut checked = Checked::default();
    match parse(bytes) {
        Ok(text) => checked.read_members(text),
        Err(mistake) => checked.mistakes.push(mistake),
    }
    checked
}

/// Returns the text if it is a JSON5 object of bounded depth.
fn parse(bytes: &[u8]) -> Result<&str, Mistake> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let place = Place::end_of(&valid);
        Mistake::Encoding { place }
    })?;
    if let Some(offset) = locate::too_deep(text, MAX_DEPTH) {
        let place = Place::of(offset, text);
        return Err(Mistake::TooDeep { place });
    }
    let value: Value = json5::from_str(text).map_err(|error| syntax(&error, text))?;
    if !value.is_object() {
        let offset = locate::first(text).unwrap_or(0);
        let place = Place::of(offset, text);
        return Err(Mistake::NotAnObject { place });
    }
    Ok(text)
}

fn syntax(error: &json5::Error, text: &str) -> Mistake {
    if error.code().is_some_and(is_end) {
        // The parser reports the position of the outermost value instead.
        return Mistake::Syntax {
            place: Place::end_of(text),
            what: "the file ends too early".to_owned(),
        };
    }
    Mistake::Syntax {
        place: error.position().map_or(Place::end_of(text), Place::from),
        what: error
            .code()
            .map_or_else(|| error.to_string(), |code| code.to_string()),
    }
}

fn is_end(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::EofParsingArray
            | ErrorCode::EofParsingBool
            | ErrorCode::EofParsingComment
            | ErrorCode::EofParsingEscapeSequence
            | ErrorCode::EofParsingIdentifier
            | ErrorCode::EofParsingNull
            | ErrorCode::EofParsingNumber
            | ErrorCode::EofParsingObject
            | ErrorCode::EofParsingString
            | ErrorCode::EofParsingValue
    )
}

impl Checked {
    fn read_members(&mut self, text: &str) {
        let mut seen = BTreeSet::new();
        for member in locate::members(text) {
            if !member.parent.is_empty() && !is_group(&member.parent) {
                continue; // the object around it has been reported
            }
            let place = Place::of(member.key.start, text);
            if !seen.insert(member.path.clone()) {
                let key = member.path.clone();
                self.warnings.push(Warning::Duplicate { place, key });
            }
            if is_group(&member.path) {
                self.read_group(&member, text);
            } else if let Some(key) = Key::named(&member.path) {
                self.read_value(key, &member, text);
            } else {
                let nearest = nearest(&member.path, KEYS.iter().map(|key| key.name));
                let key = member.path;
                self.warnings.push(Warning::UnknownKey {
                    place,
                    key,
                    nearest,
                });
            }
        }
    }

    fn read_group(&mut self, member: &Member, text: &str) {
        if !text[member.value.clone()].starts_with('{') {
            let mistake = mistaken(member, text, "an object".to_owned());
            self.mistakes.push(mistake);
        }
    }

    fn read_value(&mut self, key: &'static Key, member: &Member, text: &str) {
        let value = json5::from_str::<Value>(&text[member.value.clone()]).unwrap_or_default();
        if key.set(&mut self.config, &value) {
            self.set.insert(key.name);
            return;
        }
        let entry = key
            .accepts
            .wrong_entry(&value)
            .and_then(|(index, expected)| {
                let entry = locate::entries(text, &member.value)
                    .into_iter()
                    .nth(index)?;
                let member = Member {
                    path: format!("{}[{index}]", member.path),
                    value: entry,
                    ..member.clone()
                };
                Some(mistaken(&member, text, expected))
            });
        let mistake = entry.unwrap_or_else(|| mistaken(member, text, key.accepts.to_string()));
        self.mistakes.push(mistake);
    }
}

fn mistaken(member: &Member, text: &str, expected: String) -> Mistake {
    Mistake::Value {
        place: Place::of(member.value.start, text),
        key: member.path.clone(),
        expected,
        found: shown(&text[member.value.clone()]),
    }
}

/// The text in the file, on one line and truncated.
fn shown(value: &str) -> String {
    match value.as_bytes().first() {
        Some(b'{') => return "an object".to_owned(),
        Some(b'[') => return "a list".to_owned(),
        _ => {}
    }
    let mut shown: String = value
        .chars()
        .take(MAX_SHOWN_CHARS)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if shown.len() < value.len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mistakes(text: &str) -> Vec<String> {
        check(text.as_bytes())
            .mistakes
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    fn warnings(text: &str) -> Vec<String> {
        check(text.as_bytes())
            .warnings
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn what_the_text_sets_is_used_and_known() {
        let checked = check(b"{ max_sessions: 3, limits: { rows: 50 }, log_level: 'DEBUG' }");
        assert_eq!(checked.config.max_sessions, Some(3));
        assert_eq!(checked.config.limits.rows, 50);
        assert_eq!(checked.config.limits.cols, Config::default().limits.cols);
        assert_eq!(
            Vec::from_iter(checked.set),
            ["limits.rows", "log_level", "max_sessions"]
        );
        assert!(checked.mistakes.is_empty() && checked.warnings.is_empty());
    }

    #[test]
    fn every_wrong_value_is_named_with_its_place() {
        let text = "{\n  max_sessions: \"abc\", // no\n  limits: { rows: 0,\n    cols: [1] },\n  logging: 7,\n}";
        let expected = [
            "2:17: max_sessions must be a whole number from 0 to 4096, found \"abc\"",
            "3:19: limits.rows must be a whole number from 1 to 10000, found 0",
            "4:11: limits.cols must be a whole number from 1 to 10000, found a list",
            "5:12: logging must be an object, found 7",
        ];
        assert_eq!(mistakes(text), expected);
    }

    #[test]
    fn a_wrong_entry_of_a_list_has_its_own_place() {
        let text =
            "{ replay: { redact_rules: ['a',\n  '(b'], allow_env: ['A', 5], ignore_args: 'x' } }";
        let expected = [
            "2:3: replay.redact_rules[1] must be a regular expression (unclosed group), found '(b'",
            "2:27: replay.allow_env[1] must be the name of a variable, or its first letters and *, found 5",
            "2:44: replay.ignore_args must be a list of at most 256 indices (from 0), exact texts, or /regex/, found 'x'",
        ];
        assert_eq!(mistakes(text), expected);
    }

    #[test]
    fn numbers_that_are_none_and_long_values_are_shown_as_written() {
        let found = mistakes("{ session_timeout: Infinity }");
        assert!(found[0].ends_with("found Infinity"), "{found:?}");
        let text = format!("{{ log_level: '{}' }}", "é".repeat(100));
        assert!(mistakes(&text)[0].ends_with("é…"));
    }

    #[test]
    fn malformed_text_is_an_error_with_its_place() {
        for (text, expected) in [
            ("{\n  a: 1\n  b: 2 }", "3:3: expected comma"),
            ("{ max_sessions: ", "1:17: the file ends too early"),
            ("", "1:1: the file ends too early"),
            ("{} {}", "1:4: trailing characters"),
            ("{ a: 'x\ny' }", "1:8: line terminator in string"),
        ] {
            assert_eq!(mistakes(text), [expected], "{text}");
        }
        assert_eq!(
            mistakes(" [1]"),
            ["1:2: the file must contain one object, { … }"]
        );
        assert_eq!(
            check(b"{\n \xff }").mistakes[0].to_string(),
            "2:2: the text is not UTF-8"
        );
    }

    #[test]
    fn deep_nesting_is_refused_before_it_can_overflow_the_parser() {
        let deep = format!("{{ a: {}", "[".repeat(60_000));
        assert_eq!(
            mistakes(&deep),
            ["1:37: brackets are nested more than 32 deep"]
        );
        let allowed = format!("{{ a: {}{} }}", "[".repeat(31), "]".repeat(31));
        assert!(mistakes(&allowed).is_empty());
    }

    #[test]
    fn unknown_keys_warn_with_the_nearest_name_and_count_once() {
        let text = "{ max_session: 1,\n  colour: { depth: { a: 1 } }, limits: { Rows: 1 }, 'limits.rows': 3 }";
        let expected = [
            "1:3: unknown key max_session, did you mean max_sessions?",
            "2:3: unknown key colour",
            "2:42: unknown key limits.Rows, did you mean limits.rows?",
            "2:53: unknown key \"limits.rows\", did you mean limits.rows?",
        ];
        assert_eq!(warnings(text), expected);
        assert!(check(text.as_bytes()).set.is_empty());
    }

    #[test]
    fn of_duplicate_keys_the_last_counts_and_the_text_warns() {
        let text = "{ max_sessions: 1, limits: {rows: 5}, max_sessions: 2, limits: {rows: 6} }";
        let checked = check(text.as_bytes());
        assert_eq!(checked.config.max_sessions, Some(2));
        assert_eq!(checked.config.limits.rows, 6);
        let expected = [
            "1:39: duplicate key max_sessions: the last value is used",
            "1:56: duplicate key limits: the last value is used",
            "1:65: duplicate key limits.rows: the last value is used",
        ];
        assert_eq!(warnings(text), expected);
    }

    proptest! {
        #[test]
        fn any_bytes_are_checked_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            check(&bytes);
        }
    }
}
