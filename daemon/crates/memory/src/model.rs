//! What all parts share: limits, shares, times, texts that are shown in part.

use ccd_protocol::memory::MemoryFact;
use ccd_text::redact::redact;
use regex::Regex;
use std::collections::BTreeMap;
use std::time::SystemTime;
use time::OffsetDateTime;
use time::format_description::well_known::{Iso8601, Rfc3339};

/// Of the file.
pub const MAX_BYTES: usize = 51_200;
pub(crate) const MAX_NEXT_TASKS: usize = 5;
/// Failures of one run that are kept while it is read: enough for the file, its blockers and its steps.
pub(crate) const READ_FAILURES: usize = 200;
pub(crate) const MAX_FILES: usize = 50;
pub(crate) const MAX_STEPS: usize = 10;

/// How many entries of a list were left out, by the list's path in JSON (`testResults.unit.failures`).
pub type Cuts = BTreeMap<String, u64>;

/// Where facts are from, by their path in JSON (`testResults.unit`).
pub type Provenance = BTreeMap<String, MemoryFact>;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Notes {
    pub provenance: Provenance,
    /// What a save left out of the memory, and why.
    pub warnings: Vec<String>,
}

/// Returns how much of `total` `part` is, with one decimal; halves away from zero. Nothing of nothing is 0.
pub(crate) fn percentage(part: u64, total: u64) -> f64 {
    if total == 0 {
        return 0.0;
    }
    let (part, total) = (u128::from(part), u128::from(total));
    let tenths = (part * 2000 + total) / (total * 2);
    tenths as f64 / 10.0
}

pub(crate) const TITLE_CHARS: usize = 100;
/// Of a message of a failure and of an error of the build.
pub(crate) const MESSAGE_CHARS: usize = 200;

/// Of a text that are looked at for its first line.
const LOOKED_AT_BYTES: usize = 16 * 1024;

/// What hides lines of Markdown: a block of code, with the mark that ends it, or a comment.
enum HiddenBlock<'a> {
    Code(&'a str),
    Comment,
}

/// Returns the lines of Markdown without blanks around them; those of blocks of code and of comments are empty.
pub(crate) fn prose_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut hidden = None;
    text.lines().map(move |line| {
        let line = line.trim();
        let rest = line.trim_start_matches(['`', '~']);
        let mark = &line[..line.len() - rest.len()];
        let is_end = line.contains("-->");
        match hidden {
            Some(HiddenBlock::Code(open)) if !mark.starts_with(open) || !rest.is_empty() => (),
            Some(HiddenBlock::Comment) if !is_end => (),
            Some(_) => hidden = None,
            None if mark.len() >= 3 => hidden = Some(HiddenBlock::Code(mark)),
            None if line.starts_with("<!--") => {
                hidden = (!is_end).then_some(HiddenBlock::Comment);
            }
            None => return line,
        }
        ""
    })
}

/// In all patterns, `^` and `$` are the ends of a line.
pub(crate) fn pattern(pattern: &str) -> Regex {
    #[expect(clippy::unwrap_used, reason = "each is compiled by the tests")]
    Regex::new(&format!("(?m){pattern}")).unwrap()
}

/// Returns the first line that says something, of at most `max` characters and without secrets: once a text is cut, half a
/// secret is not recognised any more.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    let text = &text[..text.floor_char_boundary(LOOKED_AT_BYTES)];
    let text = redact(text).text;
    // A carriage return alone ends a line, too.
    let mut lines = text.split(['\n', '\r']);
    let line = lines.find(|line| !line.trim().is_empty());
    ccd_base::clip::clip(line.unwrap_or(""), max)
}

/// Returns at most `max` characters without secrets; the last one of a text that was longer is `…`.
pub(crate) fn clip(text: &str, max: usize) -> String {
    ccd_base::clip::clip(&redact(text).text, max)
}

/// True for a time in ISO 8601, with its date and its zone.
pub(crate) fn is_time(text: &str) -> bool {
    OffsetDateTime::parse(text, &Rfc3339).is_ok()
        || OffsetDateTime::parse(text, &Iso8601::DEFAULT).is_ok()
}

/// Returns the end of the second that a time is in, as times of files are more exact; nothing if it is not known.
pub(crate) fn since(text: &str) -> Option<SystemTime> {
    let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    Some(time.replace_nanosecond(999_999_999).ok()?.into())
}

/// Returns seconds as `40 s`, `5 min`, `3 h` or `9 days`.
pub(crate) fn age(seconds: f64) -> String {
    let seconds = seconds.max(0.0) as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_away_from_zero() {
        assert_eq!(percentage(1, 16), 6.3);
        assert_eq!(percentage(60, 155), 38.7);
        assert_eq!(percentage(2, 3), 66.7);
        assert_eq!(percentage(0, 0), 0.0);
        assert_eq!(percentage(7, 7), 100.0);
    }
}
