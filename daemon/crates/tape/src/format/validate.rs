//! Validates a tape: reports all errors and warnings with their positions.

use super::exchange::base64;
use super::fault::{SHOWN_CHARS, Scanned, Scanner, shortened};
use super::keys::TapeObject;
use super::read::{outline, text_of};
use ccd_base::json5::{Kind, place};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

pub(super) const MAX_PROBLEMS: usize = 100;

/// The possible exit statuses of a program.
const CODES: RangeInclusive<i64> = 0..=255;

/// The signal numbers of all systems on which ccd runs.
const SIGNALS: RangeInclusive<i64> = 1..=64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub line: u64,
    pub column: u64,
    /// What is wrong, and what to do about it.
    pub message: String,
    /// The tape can be replayed nevertheless.
    pub is_warning: bool,
}

/// Finds the problems of a tape, in the order of the text; at most [`MAX_PROBLEMS`].
/// If the reader rejects the tape, the problem is an error. If the reader may only misunderstand the tape (unknown
/// keys, missing parts, two values for one key), it is a warning, or with `strict` an error.
pub fn validate(bytes: &[u8], strict: bool) -> Vec<Problem> {
    let (mut strange, refused) = match outline(bytes) {
        Ok(outline) => {
            let all_but_last = outline.exchanges.iter().rev().skip(1).rev();
            let early = all_but_last.filter(|exchange| exchange.exit.is_some());
            let message =
                "an `exit` before the last exchange: only the last one can end the program";
            let early = early.map(|exchange| (exchange.span.start, message.to_owned()));
            (early.collect(), None)
        }
        Err(error) => (Vec::new(), Some(error)),
    };
    if let Ok(text) = text_of(bytes) {
        let problems = strange;
        let mut walk = Walk { text, problems };
        // Syntax errors are known from parsing.
        let _ = walk.object(&mut Scanner::new(text), TapeObject::Tape);
        strange = walk.problems;
    }
    strange.sort();
    let strange = strange.into_iter().map(|(offset, message)| {
        let (line, column) = place(bytes, offset);
        Problem {
            line,
            column,
            message,
            is_warning: !strict,
        }
    });
    let refused = refused.map(|error| Problem {
        line: error.line,
        column: error.column,
        message: error.fault.to_string(),
        is_warning: false,
    });
    // A missing required part is reported once, with the reason.
    let is_told = |strange: &Problem| {
        let missing = missing_part(&strange.message);
        refused.as_ref().is_some_and(|refused| {
            (refused.line, refused.column) == (strange.line, strange.column)
                && missing.is_some()
                && missing_part(&refused.message) == missing
        })
    };
    let strange: Vec<Problem> = strange.filter(|strange| !is_told(strange)).collect();
    let mut all: Vec<Problem> = refused.into_iter().chain(strange).collect();
    all.truncate(MAX_PROBLEMS);
    all.sort_by_key(|problem| (problem.line, problem.column));
    all
}

/// Returns the name of the last part that is reported as missing: `program` of "`meta.program` is missing: …".
fn missing_part(message: &str) -> Option<&str> {
    let (part, _) = message.strip_prefix('`')?.split_once("` is missing")?;
    part.rsplit('.').next()
}

/// The values of an object by the written forms of their keys.
type Seen = BTreeMap<&'static str, Value>;

/// Visits all objects of a tape.
struct Walk<'a> {
    text: &'a str,
    problems: Vec<(usize, String)>,
}

impl Walk<'_> {
    fn tell(&mut self, offset: usize, message: String) {
        // More problems are collected than reported, so that those at the start of the text are among them.
        if self.problems.len() < 2 * MAX_PROBLEMS {
            self.problems.push((offset, message));
        }
    }

    fn object(&mut self, scanner: &mut Scanner<'_>, part: TapeObject) -> Scanned<()> {
        let start = scanner.start()?;
        let mut seen = Seen::new();
        scanner.object(|scanner, key| {
            let Some(known) = part.known(&key.name) else {
                let all = part.keys().iter().filter_map(|spellings| spellings.first());
                let (name, all) = (shortened(&key.name, SHOWN_CHARS), quoted(all, ", "));
                let message = format!("unknown key `{name}`: the known keys are {all}");
                self.tell(key.span.start, message);
                return scanner.skip();
            };
            if seen.contains_key(known) {
                let message = format!("duplicate key `{known}`: the last value is used");
                self.tell(key.span.start, message);
            }
            let value = self.value(scanner, part.part_at(&key.name))?;
            seen.insert(known, value);
            Ok(())
        })?;
        self.missing(start, part, &seen);
        match part {
            TapeObject::Chunk | TapeObject::Input => self.data(start, part, &seen),
            TapeObject::Exit => self.exit(start, &seen),
            TapeObject::Session => self.format(&seen),
            _ => {}
        }
        Ok(())
    }

    fn value(&mut self, scanner: &mut Scanner<'_>, part: Option<TapeObject>) -> Scanned<Value> {
        let kind = scanner.kind()?;
        let start = scanner.offset();
        match (kind, part) {
            (Kind::Object, Some(part)) => self.object(scanner, part)?,
            (Kind::List, Some(part)) => scanner.list(|scanner, _| match scanner.kind()? {
                Kind::Object => self.object(scanner, part),
                _ => scanner.skip(),
            })?,
            _ => scanner.skip()?,
        }
        Ok(Value {
            start,
            is_null: kind == Kind::Null,
        })
    }

    fn missing(&mut self, start: usize, part: TapeObject, seen: &Seen) {
        for keys in required(part) {
            // Of two forms of the data, one may be null.
            let is_value = |value: &Value| keys.len() == 1 || !value.is_null;
            if !keys.iter().any(|key| seen.get(key).is_some_and(is_value)) {
                self.tell(start, format!("{} is missing", quoted(keys.iter(), " or ")));
            }
        }
    }

    /// Reports an exit that no program can have.
    fn exit(&mut self, start: usize, seen: &Seen) {
        let (code, signal) = (self.number(seen, "code"), self.number(seen, "signal"));
        for (name, found, possible) in [("code", code, CODES), ("signal", signal, SIGNALS)] {
            if let Some((at, number)) = found
                && !possible.contains(&number)
            {
                let (least, most) = (possible.start(), possible.end());
                let message = format!("`{name}` is {number}: it must be from {least} to {most}");
                self.tell(at, message);
            }
        }
        if code.is_some() && signal.is_some() {
            let message = "both `code` and `signal` are set: a program ends with only one of them; set the other one to null";
            self.tell(start, message.to_owned());
        }
    }

    fn format(&mut self, seen: &Seen) {
        if let Some((at, number)) = self.number(seen, "format")
            && number < 1
        {
            self.tell(at, format!("`format` is {number}: it must be 1 or more"));
        }
    }

    /// Returns the number of a key, and its position.
    fn number(&self, seen: &Seen, key: &str) -> Option<(usize, i64)> {
        let value = seen.get(key)?;
        let mut scanner = Scanner::begin_at(self.text, value.start);
        let number = scanner.number("a whole number").ok()?.to_signed()?;
        Some((value.start, number))
    }

    /// Compares the forms of the data in an input or a chunk.
    fn data(&mut self, start: usize, part: TapeObject, seen: &Seen) {
        let find = |key: &str| {
            let found = seen.get(key).filter(|value| !value.is_null);
            found.map(|value| Scanner::begin_at(self.text, value.start))
        };
        let base64_key = if part == TapeObject::Chunk {
            "dataB64"
        } else {
            "dataBytesB64"
        };
        let text = find("dataText").and_then(|mut scanner| scanner.text().ok());
        let bytes = find(base64_key).and_then(|mut scanner| base64(&mut scanner).ok());
        let is_utf8 = find("isUtf8").and_then(|mut scanner| scanner.bool().ok());
        let line = bytes.as_deref().and_then(|bytes| bytes.strip_suffix(b"\r"));
        let typed = line
            .filter(|_| part == TapeObject::Input)
            .or(bytes.as_deref());
        if let (Some(text), Some(typed)) = (&text, typed)
            && text.as_bytes() != typed
        {
            let message = format!(
                "`dataText` and `{base64_key}` contradict each other: set one of them to null"
            );
            self.tell(start, message);
        }
        let really = text.is_some() || bytes.is_some_and(|bytes| str::from_utf8(&bytes).is_ok());
        if is_utf8.is_some_and(|says| says != really) {
            self.tell(start, format!("`isUtf8` should be {really}"));
        }
    }
}

struct Value {
    start: usize,
    is_null: bool,
}

fn quoted<'k>(names: impl Iterator<Item = &'k &'k str>, between: &str) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    names.join(between)
}

/// Returns the keys of a complete object: one of each row.
fn required(part: TapeObject) -> &'static [&'static [&'static str]] {
    match part {
        TapeObject::Tape => &[&["meta"], &["session"], &["exchanges"]],
        TapeObject::Meta => &[&["program"], &["args"], &["env"], &["cwd"]],
        TapeObject::Pty => &[&["rows"], &["cols"]],
        TapeObject::Session => &[&["format"]],
        TapeObject::Exchange => &[&["pre"], &["input"], &["output"]],
        TapeObject::Pre => &[&["prompt"]],
        TapeObject::Input => &[&["type"], &["dataText", "dataBytesB64"]],
        TapeObject::Output => &[&["chunks"]],
        TapeObject::Chunk => &[&["delay_ms"], &["dataB64", "dataText"]],
        TapeObject::Exit => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::super::write::write;
    use super::*;
    use proptest::prelude::*;

    const FIXTURE: &str = include_str!("../../../../../tests/fixtures/tapes/format_1.json5");

    #[test]
    fn a_part_that_must_be_there_is_missed_once() {
        for (text, part) in [("{}", "`meta`"), ("{ meta: {} }", "`meta.program`")] {
            let mut problems = validate(text.as_bytes(), false);
            problems.retain(|problem| problem.message.contains(part));
            let [problem] = &problems[..] else {
                panic!("{problems:?}")
            };
            let message = format!("{part} is missing: ");
            assert!(problem.message.starts_with(&message) && !problem.is_warning);
        }
    }

    #[test]
    fn what_a_tape_says_is_told_in_short() {
        let long = "x".repeat(1 << 20);
        for text in [
            format!("{{ meta: {{ program: \"a\", {long}: 1 }} }}"),
            format!("{{ meta: {{ program: {long} }} }}"),
            format!(
                "{{ meta: {{ program: \"a\", seed: 1{} }} }}",
                "0".repeat(1 << 20)
            ),
        ] {
            for problem in validate(text.as_bytes(), false) {
                assert!(problem.message.len() < 1_000, "{}", problem.message.len());
            }
        }
    }

    fn said(text: &str, strict: bool) -> Vec<String> {
        let problems = validate(text.as_bytes(), strict).into_iter();
        let say = |problem: Problem| {
            let warning = if problem.is_warning { "warning: " } else { "" };
            format!(
                "{}:{}: {warning}{}",
                problem.line, problem.column, problem.message
            )
        };
        problems.map(say).collect()
    }

    #[test]
    fn unknown_keys_are_warnings_and_with_strict_errors() {
        let loose = said(FIXTURE, false);
        assert_eq!(loose.len(), 2, "{loose:?}");
        let mood = "14:5: warning: unknown key `mood`: the known keys are `createdAt`, ";
        assert!(loose[0].starts_with(mood));
        assert!(loose[1].starts_with("21:5: warning: unknown key `shoe_size`"));
        assert!(said(FIXTURE, true)[0].starts_with("14:5: unknown key `mood`"));
    }

    #[test]
    fn strict_finds_what_is_missing() {
        let text = "{ meta: { program: 'p', args: [], env: {}, cwd: '' }, session: { format: 1 }, exchanges: [\n\
            { pre: { prompt: '' }, input: { type: 'raw', dataText: null, dataBytesB64: null }, output: {} },\n\
            { output: { chunks: [ {}, { delay_ms: 0, dataText: '' }, ] } } ] }";
        let expected = [
            "2:31: `dataText` or `dataBytesB64` is missing",
            "2:92: `chunks` is missing",
            "3:1: `input` is missing",
            "3:1: `pre` is missing",
            "3:23: `dataB64` or `dataText` is missing",
            "3:23: `delay_ms` is missing",
        ];
        assert_eq!(said(text, true), expected);
        let loose = said(text, false);
        assert!(loose.iter().all(|problem| problem.contains(": warning: ")));
    }

    #[test]
    fn contradictions_are_found() {
        let text = "{ meta: { program: 'p', program: 'q', args: [], env: {}, cwd: '' }, session: { format: 1 }, exchanges: [\n\
            { pre: { prompt: '' }, input: { type: 'line', dataText: 'a', dataBytesB64: 'YQ0' }, exit: { code: 1 }, output: { chunks: [\n\
            { delay_ms: 0, dataText: 'a', dataB64: 'Yg==' },\n { delay_ms: 0, dataB64: '/w==', isUtf8: true } ] } },\n\
            { pre: { prompt: '' }, input: { kind: 'line', data_text: 'a' }, output: { chunks: [] }, exit: { code: 1 } } ] }";
        let expected = [
            "1:25: duplicate key `program`: the last value is used",
            "2:1: an `exit` before the last exchange: only the last one can end the program",
            "3:1: `dataText` and `dataB64` contradict each other: set one of them to null",
            "4:2: `isUtf8` should be false",
        ];
        assert_eq!(said(text, true), expected);
    }

    #[test]
    fn values_that_no_program_has_are_found() {
        let tape = |format: &str, exit: &str| {
            format!(
                "{{ meta: {{ program: 'p', args: [], env: {{}}, cwd: '' }}, session: {{ format: {format} }}, exchanges: [\n\
                {{ pre: {{ prompt: '' }}, input: {{ type: 'raw', dataText: '' }}, output: {{ chunks: [] }}, exit: {{ {exit} }} }} ] }}"
            )
        };
        let both = "2:92: both `code` and `signal` are set: a program ends with only one of them; set the other one to null";
        #[rustfmt::skip]
        let rows = [
            ("1", "code: 255, signal: null", ""),
            ("1", "code: null, signal: 64", ""),
            ("0", "code: 0", "1:74: `format` is 0: it must be 1 or more"),
            ("1", "code: 256", "2:100: `code` is 256: it must be from 0 to 255"),
            ("1", "code: -1", "2:100: `code` is -1: it must be from 0 to 255"),
            ("1", "signal: 0", "2:102: `signal` is 0: it must be from 1 to 64"),
            ("1", "signal: 99", "2:102: `signal` is 99: it must be from 1 to 64"),
            ("1", "code: 1, signal: 9", both),
        ];
        for (format, exit, expected) in rows {
            let text = tape(format, exit);
            assert_eq!(said(&text, true).concat(), expected, "{format} {exit}");
            let loose = said(&text, false);
            assert!(loose.iter().all(|problem| problem.contains(": warning: ")));
        }
        let negative = FIXTURE.replacen("delay_ms: ", "delay_ms: -", 1);
        let refused = said(&negative, false);
        assert!(refused.concat().contains("0 or more"), "{refused:?}");
    }

    #[test]
    fn what_cannot_be_read_is_an_error_beside_the_rest() {
        let text = "{ meta: { program: 1, x: 2 } ";
        let said = said(text, false);
        let refused = "1:20: `meta.program` must be a string in quotation marks, not `1`";
        assert!(said.iter().any(|problem| problem == refused), "{said:?}");
        let unknown = "1:23: warning: unknown key `x`";
        assert!(said.iter().any(|problem| problem.starts_with(unknown)));
        assert_eq!(validate(b"\xff", true).len(), 1);
        let many = format!(
            "{{ meta: {{ program: 'p', {} }} }}",
            "x: 1, ".repeat(10_000)
        );
        assert_eq!(validate(many.as_bytes(), true).len(), MAX_PROBLEMS);
    }

    proptest! {
        #[test]
        fn nothing_is_wrong_with_what_is_written(mut tape in super::super::read::tests::tape()) {
            tape.meta.other.clear();
            tape.session.other.clear();
            let all_but_last = tape.exchanges.len().saturating_sub(1);
            tape.exchanges.iter_mut().take(all_but_last).for_each(|exchange| exchange.exit = None);
            tape.session.format = 1;
            for exit in tape.exchanges.iter_mut().filter_map(|exchange| exchange.exit.as_mut()) {
                exit.code = exit.code.map(|code| code & 0xff);
                exit.signal = exit.signal.filter(|_| exit.code.is_none()).map(|signal| (signal & 63) + 1);
            }
            prop_assert_eq!(validate(write(&tape).as_bytes(), true), []);
        }

        #[test]
        fn no_bytes_panic(bytes in any::<Vec<u8>>(), text in "[{}\\[\\]a-z:,' ]{0,40}") {
            let _ = validate(&bytes, true);
            let _ = validate(text.as_bytes(), false);
        }
    }
}
