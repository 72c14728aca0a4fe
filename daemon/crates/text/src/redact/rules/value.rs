//! Where a value ends.

use super::placeholder::MAX_COMPARED_BYTES;
use super::scan::{run_len, tail_len};
use std::ops::Range;

/// What ends an unquoted value, in addition to a blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// `NAME=value` in shells, query strings and connection strings: `;` `&` `|` `<` `>`.
    Operator,
    /// `name: value`: only blanks.
    Blank,
    /// Blanks, and a line end that is written as `\n`, as in JSON within JSON.
    Line,
}

/// How quotes are written: in a command line that is itself in single quotes, after a backslash as in JSON within JSON,
/// and as they are.
const QUOTES: [&[u8]; 8] = [
    br"'\''",
    br#"'"'"'"#,
    br#"\""#,
    br"\'",
    br"\`",
    b"\"",
    b"'",
    b"`",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quote(&'static [u8]);

impl Quote {
    pub(super) fn at(bytes: &[u8], start: usize) -> Option<Self> {
        let rest = bytes.get(start..)?;
        let written = QUOTES.into_iter().find(|quote| rest.starts_with(quote));
        written.map(Self)
    }

    /// Returns the quote that ends immediately before `end`.
    pub(super) fn before(bytes: &[u8], end: usize) -> Option<Self> {
        let before = &bytes[..end];
        let written = QUOTES.into_iter().find(|quote| before.ends_with(quote));
        written.map(Self)
    }

    pub(super) fn is_at(self, bytes: &[u8], start: usize) -> bool {
        bytes[start.min(bytes.len())..].starts_with(self.0)
    }

    pub(super) fn len(self) -> usize {
        self.0.len()
    }

    /// Returns whether only one word, which starts at `start`, is between this quote and the next one.
    pub(super) fn has_word(self, bytes: &[u8], start: usize) -> bool {
        let horizon = &bytes[..bytes.len().min(start + MAX_COMPARED_BYTES)];
        let end = self.content_end(horizon, start);
        let word = &horizon[start..end];
        word.first().is_some_and(u8::is_ascii_alphanumeric)
            && word.iter().all(|byte| *byte > b' ')
            && (end == start + MAX_COMPARED_BYTES || self.is_at(bytes, end))
    }

    /// Returns the end of a text that this quote opened before `start`: the next such quote, or the end of the line.
    pub(super) fn content_end(self, bytes: &[u8], start: usize) -> usize {
        let mut offset = start;
        while let Some(&byte) = bytes.get(offset) {
            if matches!(byte, b'\n' | b'\r') || self.is_at(bytes, offset) {
                break;
            }
            let is_line_end = matches!(bytes.get(offset + 1), None | Some(b'\n' | b'\r'));
            offset += 1 + usize::from(byte == b'\\' && !is_line_end);
        }
        offset
    }
}

pub(super) fn bare_end(bytes: &[u8], start: usize, ending: Ending) -> usize {
    let end = (start..bytes.len()).find(|&at| ends_bare(bytes, at, ending));
    end.unwrap_or(bytes.len())
}

/// Returns an unquoted `value` without commas and brackets at its end that belong to the surrounding text.
pub(super) fn without_outer(bytes: &[u8], value: Range<usize>) -> Range<usize> {
    let content = &bytes[value.clone()];
    let opens = [b'(', b'[', b'{'].map(|open| content.contains(&open));
    let is_outer = |byte: u8| match byte {
        b',' | b';' | b':' => true,
        b')' => !opens[0],
        b']' => !opens[1],
        b'}' => !opens[2],
        _ => false,
    };
    value.start..value.end - tail_len(content, is_outer)
}

/// Returns the end of the shell word whose first, quoted part was closed before `start`: 'it'"'"'s' is one word.
pub(super) fn joined_end(bytes: &[u8], start: usize) -> usize {
    let mut end = start;
    loop {
        // A single quote between two parts in single quotes: 'it'\''s'.
        let escaped_len = if bytes[end..].starts_with(br"\''") {
            2
        } else {
            0
        };
        if let Some(quote) = Quote::at(bytes, end + escaped_len) {
            let content_end = quote.content_end(bytes, end + escaped_len + quote.len());
            let closes = quote.is_at(bytes, content_end);
            // A quote before a blank closes one that was opened before the word.
            if !closes || closes_outer(bytes.get(end + quote.len())) {
                return end;
            }
            end = content_end + quote.len();
        } else {
            match bytes.get(end) {
                Some(byte) if byte.is_ascii_alphanumeric() || b"-_.$%+/@".contains(byte) => {
                    end += 1
                }
                _ => return end,
            }
        }
    }
}

/// Returns the end of the line that `start` is in, without its line break.
pub(super) fn line_end(bytes: &[u8], start: usize) -> usize {
    start + run_len(&bytes[start..], |byte| !matches!(byte, b'\n' | b'\r'))
}

fn ends_bare(bytes: &[u8], at: usize, ending: Ending) -> bool {
    match bytes[at] {
        byte if byte <= b' ' => true,
        b';' | b'&' | b'|' | b'<' | b'>' => ending == Ending::Operator,
        b',' => begins_next_pair(&bytes[at + 1..]),
        b'"' | b'\'' | b'`' => closes_word(bytes.get(at + 1)),
        b'\\' if Quote::at(bytes, at).is_some() => closes_word(bytes.get(at + 2)),
        b'\\' => {
            let is_break = matches!(
                bytes[at + 1..],
                [b'n' | b'r', ..] | [b'\\', b'n' | b'r', ..]
            );
            ending == Ending::Line && is_break
        }
        _ => false,
    }
}

/// Returns whether a quote followed by this byte closes one that was opened before the value.
fn closes_word(after: Option<&u8>) -> bool {
    closes_outer(after) || after.is_some_and(|byte| b":>\\\"'".contains(byte))
}

fn closes_outer(after: Option<&u8>) -> bool {
    after.is_none_or(|&byte| byte <= b' ' || b",;)]}".contains(&byte))
}

/// Returns whether `name=` or `name:` follows a comma, as in calls and objects.
fn begins_next_pair(after: &[u8]) -> bool {
    let name_len = run_len(after, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    name_len > 0 && matches!(after.get(name_len), Some(b'=' | b':'))
}
