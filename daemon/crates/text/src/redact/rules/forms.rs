//! Secrets that are known by what is around them: bearer tokens, cookies, lines that people type to servers. The patterns are
//! data: `forms.txt`.

use super::placeholder::is_placeholder;
use super::protocol::{begins_line, ends_line};
use super::scan::blanks;
use super::tokens::{literal_starts, patterns};
use super::word::begins_token;
use crate::redact::engine::{Judge, Rule, Shown};
use regex::{Regex, RegexBuilder};
use std::ops::Range;
use std::sync::LazyLock;

pub(super) fn rule() -> Rule {
    Rule {
        anchors: &ANCHORS,
        judge: Judge::One(judge),
    }
}

/// What stands for parts of patterns.
const PARTS: [(&str, &str); 6] = [
    (
        "<value>",
        r#"(?:<text>|([^\s"'\\](?:[^\s"'\\]|["'][^\s)]|\\[^rn\s])*))"#,
    ),
    (
        "<text>",
        r#"\\?(?:"((?:[^"\\\r\n]|\\[^"\r\n])+)\\?"|'((?:[^'\\\r\n]|\\[^'\r\n])+)\\?')"#,
    ),
    ("<word>", r"(?:<string>|\S+)"),
    (
        "<string>",
        r#"\\?(?:"(?:[^"\\\r\n]|\\[^"\r\n])*\\?"|'(?:[^'\\\r\n]|\\[^'\r\n])*\\?')"#,
    ),
    ("<name>", r"[A-Za-z0-9!#$%&*+.^_|~-]+"),
    // What starts as a mask or a placeholder is none.
    (
        "<cookie>",
        r#"(?:[^\s;"'`\\*$%#{]|[$%#{][^\s;"'`\\({])[^\s;"'`\\]*"#,
    ),
];

struct Form {
    conditions: &'static str,
    source: String,
    pattern: Regex,
}

static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    patterns(include_str!("forms.txt"))
        .map(Form::parse)
        .collect()
});

static STARTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    FORMS
        .iter()
        .flat_map(|form| literal_starts(&form.source))
        .collect()
});

static ANCHORS: LazyLock<Vec<&str>> = LazyLock::new(|| STARTS.iter().map(String::as_str).collect());

fn judge(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    let mut forms = FORMS.iter();
    forms.find_map(|form| form.secret(shown, anchor.start))
}

impl Form {
    fn parse(line: &'static str) -> Self {
        let (conditions, pattern) = line.split_once(' ').unwrap_or(("", line));
        let parts = PARTS.iter();
        let source = parts.fold(pattern.to_owned(), |source, (name, part)| {
            source.replace(name, part)
        });
        let pattern = RegexBuilder::new(&format!("^(?:{source})"))
            .case_insensitive(true)
            .build();
        Self {
            conditions,
            source,
            pattern: pattern.expect("a test compiles every pattern"),
        }
    }

    fn secret(&self, shown: Shown<'_>, start: usize) -> Option<Range<usize>> {
        let needs = |condition| self.conditions.contains(condition);
        let begins = (needs("anywhere") || !needs("line") && begins_token(shown, start))
            || (needs("line") && begins_line(shown, start));
        let found = self
            .pattern
            .captures(shown.text.get(start..)?)
            .filter(|_| begins)?;
        let secret = found.iter().skip(1).flatten().next()?.range();
        let secret = start + secret.start..start + secret.end;
        let bytes = shown.text.as_bytes();
        let (value, end) = (&bytes[secret.clone()], start + found[0].len());
        let is_secret = !is_placeholder(value)
            && (!needs("digit") || value.iter().any(u8::is_ascii_digit))
            && (!needs("end") || ends_line(bytes, end + blanks(bytes, end)));
        is_secret.then_some(secret)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_compiles_and_starts_with_something_rare() {
        for form in FORMS.iter() {
            let starts = literal_starts(&form.source);
            assert!(
                !starts.is_empty() && starts.iter().all(|start| start.len() >= 5),
                "{}: {starts:?}",
                form.source
            );
        }
    }
}
