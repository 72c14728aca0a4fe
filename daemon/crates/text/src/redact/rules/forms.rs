//! Secrets that are known by what is around them: bearer tokens, cookies, lines that people type to servers. The patterns are
//! data: `forms.txt`.

use super::placeholder::is_placeholder;
use super::protocol::{begins_line, ends_line};
use super::scan::{blanks, run_len};
use super::tokens::{literal_starts, patterns};
use super::word::begins_word;
use crate::redact::engine::{Judge, Rule, Shown};
use regex::{Regex, RegexBuilder};
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

pub(super) fn rule() -> Rule {
    Rule {
        anchors: &STARTS,
        judge: Judge::One(judge),
    }
}

/// How much after its start a pattern reads, in bytes. A word that is longer is a secret as a whole.
const MAX_READ_BYTES: usize = 1024;
const MAX_LONG_BYTES: usize = 16 << 10;

struct Form {
    conditions: &'static str,
    source: String,
    starts: Vec<String>,
    pattern: OnceLock<Regex>,
}

static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let lines = patterns(include_str!("forms.txt"));
    let (parts, forms): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with('<'));
    forms
        .into_iter()
        .map(|line| Form::parse(line, &parts))
        .collect()
});

static STARTS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let starts = FORMS.iter().flat_map(|form| &form.starts);
    starts.map(String::as_str).collect()
});

/// Returns whether a program, perhaps with its directories, takes passwords as arguments.
pub(in crate::redact) fn takes_password(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    let is_program = |start: &&str| start.split(' ').next() == Some(name);
    STARTS.iter().any(is_program)
}

fn judge(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    let mut forms = FORMS.iter();
    forms.find_map(|form| form.secret(shown, anchor.start))
}

impl Form {
    fn parse(line: &'static str, parts: &[&str]) -> Self {
        let (conditions, pattern) = line.split_once(' ').unwrap_or(("", line));
        let mut source = pattern.to_owned();
        for (name, part) in parts.iter().filter_map(|part| part.split_once(' ')) {
            source = source.replace(name, part);
        }
        Self {
            conditions,
            starts: literal_starts(&source),
            source,
            pattern: OnceLock::new(),
        }
    }

    fn needs(&self, condition: &str) -> bool {
        self.conditions.split(',').any(|one| one == condition)
    }

    /// Compiled for the first text that starts like it.
    fn pattern(&self) -> &Regex {
        self.pattern.get_or_init(|| {
            let mut builder = RegexBuilder::new(&format!("^(?:{})", self.source));
            let pattern = builder.case_insensitive(!self.needs("exact")).build();
            pattern.expect("a test compiles every pattern")
        })
    }

    fn secret(&self, shown: Shown<'_>, start: usize) -> Option<Range<usize>> {
        let (bytes, rest) = (shown.text.as_bytes(), &shown.text[start..]);
        let is_start = |literal: &String| {
            let head = bytes.get(start..start + literal.len());
            head.is_some_and(|head| head.eq_ignore_ascii_case(literal.as_bytes()))
        };
        // The cheap check first.
        let begins = self.starts.iter().any(is_start)
            && ((self.needs("word") && begins_word(shown, start))
                || (self.needs("line") && begins_line(shown, start))
                || self.needs("anywhere"));
        if !begins {
            return None;
        }
        let read_bytes = if self.needs("long") {
            MAX_LONG_BYTES
        } else {
            MAX_READ_BYTES
        };
        let head = &rest[..rest.floor_char_boundary(read_bytes)];
        let found = self.pattern().captures(head)?;
        let secret = found.iter().skip(1).flatten().next()?.range();
        let goes_on = |byte: u8| byte > b' ' && !b"\"'".contains(&byte);
        let is_cut = secret.end == head.len();
        let more = if is_cut {
            run_len(&bytes[start + secret.end..], goes_on)
        } else {
            0
        };
        let secret = start + secret.start..start + secret.end + more;
        let (value, end) = (&bytes[secret.clone()], start + found[0].len() + more);
        let is_secret = !is_placeholder(value)
            && (!self.needs("digit") || value.iter().any(u8::is_ascii_digit))
            && (!self.needs("end") || ends_line(bytes, end + blanks(bytes, end)));
        is_secret.then_some(secret)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_compiles_and_starts_with_something_rare() {
        for form in FORMS.iter() {
            let (source, starts) = (form.pattern(), &form.starts);
            let is_rare = |start: &String| start.len() >= 3;
            assert!(
                !starts.is_empty() && starts.iter().all(is_rare),
                "{source}: {starts:?}"
            );
        }
    }
}
