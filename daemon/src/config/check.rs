use super::keys::{Config, KEYS, Key, is_group};
use super::remark::Remark;
use ccd_base::json5::{self, Fault, Format, Kind, Stop};
use ccd_base::nearest::nearest;
use std::collections::BTreeSet;
use std::ops::Range;

/// Nesting that a configuration may have; no key needs more than a few levels.
const MAX_DEPTH: u32 = 32;

/// Maximum length of an invalid value in a message, in characters.
const MAX_SHOWN_CHARS: usize = 40;

#[derive(Debug, Default)]
pub(super) struct Checked {
    /// The configuration, with defaults for missing and invalid values.
    pub(super) config: Config,
    pub(super) set: BTreeSet<&'static str>,
    pub(super) mistakes: Vec<Remark>,
    pub(super) warnings: Vec<Remark>,
}

/// The configuration's limits and error type for the JSON5 scanner.
#[derive(Debug, Clone)]
enum ConfigText {}

impl Format for ConfigText {
    const WHOLE: &'static str = "the file's object";
    const MAX_DEPTH: u32 = MAX_DEPTH;
    const MAX_VALUES: u32 = u32::MAX;
    type Fault = Fault;
}

type Scanner<'a> = json5::Scanner<'a, ConfigText>;
type Scanned<T> = json5::Scanned<T, ConfigText>;

/// Reads a configuration; all mistakes are reported, not only the first. The caller must limit the size of `bytes`.
pub(super) fn check(bytes: &[u8]) -> Checked {
    let mut checked = Checked::default();
    if let Err(mistake) = checked.read(bytes) {
        checked.mistakes.push(mistake);
    }
    checked
}

/// Returns the mistakes and warnings in a configuration, for the fuzzer.
#[cfg(feature = "fuzzing")]
pub(crate) fn remarks(bytes: &[u8]) -> Vec<String> {
    let checked = check(bytes);
    let mistakes = checked.mistakes.iter().map(ToString::to_string);
    let warnings = checked.warnings.iter().map(ToString::to_string);
    mistakes.chain(warnings).collect()
}

impl Checked {
    /// Reads the text if it is a JSON5 object of bounded depth.
    fn read(&mut self, bytes: &[u8]) -> Result<(), Remark> {
        let text = std::str::from_utf8(bytes)
            .map_err(|error| Remark::new(bytes, error.valid_up_to(), "the text is not UTF-8"))?;
        let syntax = |stop| syntax(stop, bytes);
        let mut scanner = Scanner::new(text);
        let kind = scanner.kind().map_err(syntax)?;
        let start = scanner.offset();
        let mut whole = scanner.clone();
        whole.skip().map_err(syntax)?;
        whole.end().map_err(syntax)?;
        if kind != Kind::Object {
            let what = "the file must contain one object, { … }";
            return Err(Remark::new(bytes, start, what));
        }
        let mut walk = Walk {
            text,
            checked: self,
            seen: BTreeSet::new(),
        };
        walk.object(&mut scanner, "").map_err(syntax)
    }
}

fn syntax(stop: Stop, text: &[u8]) -> Remark {
    let offset = stop.offset();
    match stop.into_fault() {
        Fault::TooDeep { .. } => {
            let what = format!("brackets are nested more than {MAX_DEPTH} deep");
            Remark::new(text, offset, what)
        }
        Fault::Ends { .. } => Remark::new(text, text.len(), "the file ends too early"),
        fault => Remark::new(text, offset, fault.to_string()),
    }
}

/// A walk through a text whose syntax has been checked.
struct Walk<'a, 'c> {
    text: &'a str,
    checked: &'c mut Checked,
    seen: BTreeSet<String>,
}

impl Walk<'_, '_> {
    fn object(&mut self, scanner: &mut Scanner<'_>, parent: &str) -> Scanned<()> {
        scanner.object(|scanner, key| {
            let path = join(parent, &key.name);
            let start = key.span.start;
            if !self.seen.insert(path.clone()) {
                let what = format!("duplicate key {path}: the last value is used");
                self.warn(start, what);
            }
            if is_group(&path) {
                return self.group(scanner, &path);
            }
            if let Some(key) = Key::named(&path) {
                return self.value(scanner, key, &path);
            }
            let nearest = nearest(&path, KEYS.iter().map(|key| key.name));
            let meant = nearest.map(|name| format!(", did you mean {name}?"));
            let what = format!("unknown key {path}{}", meant.unwrap_or_default());
            self.warn(start, what);
            scanner.skip()
        })
    }

    fn group(&mut self, scanner: &mut Scanner<'_>, path: &str) -> Scanned<()> {
        if scanner.kind()? == Kind::Object {
            return self.object(scanner, path);
        }
        let span = scanner.span()?;
        self.mistaken(path, span, "an object");
        Ok(())
    }

    fn value(&mut self, scanner: &mut Scanner<'_>, key: &'static Key, path: &str) -> Scanned<()> {
        let mut list = scanner.clone();
        scanner.kind()?;
        let start = scanner.offset();
        let value = scanner.value()?;
        if key.set(&mut self.checked.config, &value) {
            self.checked.set.insert(key.name);
        } else if let Some((wrong, expected)) = key.accepts.wrong_entry(&value) {
            list.list(|list, index| {
                let span = list.span()?;
                if index == wrong {
                    self.mistaken(&format!("{path}[{index}]"), span, &expected);
                }
                Ok(())
            })?;
        } else {
            let span = start..scanner.offset();
            self.mistaken(path, span, &key.accepts.to_string());
        }
        Ok(())
    }

    fn warn(&mut self, offset: usize, what: String) {
        let warning = Remark::new(self.text.as_bytes(), offset, what);
        self.checked.warnings.push(warning);
    }

    fn mistaken(&mut self, key: &str, value: Range<usize>, expected: &str) {
        let found = shown(&self.text[value.clone()]);
        let what = format!("{key} must be {expected}, found {found}");
        let mistake = Remark::new(self.text.as_bytes(), value.start, what);
        self.checked.mistakes.push(mistake);
    }
}

/// Returns the dotted path of a key. A key that itself contains a dot is quoted, so that it is never taken for a path.
fn join(parent: &str, key: &str) -> String {
    let key = if key.contains('.') {
        format!("{key:?}")
    } else {
        key.to_owned()
    };
    match parent {
        "" => key,
        parent => format!("{parent}.{key}"),
    }
}

/// The text in the file, on one line and truncated.
fn shown(value: &str) -> String {
    match value.as_bytes().first() {
        Some(b'{') => return "an object".to_owned(),
        Some(b'[') => return "a list".to_owned(),
        _ => {}
    }
    let start = value.chars().take(MAX_SHOWN_CHARS);
    let mut shown: String = start
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
            ("{\n  a: 1\n  b: 2 }", "3:3: expected `,` or `}`, found `b`"),
            ("{ max_sessions: ", "1:17: the file ends too early"),
            ("", "1:1: the file ends too early"),
            (
                "{} {}",
                "1:4: expected the end of the file, found an object",
            ),
            (
                "{ a: 'x\ny' }",
                "1:6: a string must end on its line: close it with ', or end the line with a backslash",
            ),
        ] {
            assert_eq!(mistakes(text), [expected], "{text}");
        }
        assert!(mistakes("max_sessions = 1")[0].starts_with("1:1"));
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
    fn deep_nesting_is_refused() {
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
