//! How far a value reaches.

use std::ops::Range;

/// How an unquoted value ends, besides at a blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// `NAME=value` in shells, query strings and connection strings: also at `;` `&` `|` `<` `>`.
    Operator,
    /// `name: value`: at blanks only.
    Blank,
}

/// An opening quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quote {
    byte: u8,
    /// It has a backslash, as in JSON within JSON.
    escaped: bool,
}

impl Quote {
    /// Returns the quote that begins at `start`.
    pub(super) fn at(bytes: &[u8], start: usize) -> Option<Self> {
        let escaped = bytes.get(start) == Some(&b'\\');
        let byte = *bytes.get(start + usize::from(escaped))?;
        matches!(byte, b'"' | b'\'' | b'`').then_some(Self { byte, escaped })
    }

    /// Returns the quote that ends right before `end`.
    pub(super) fn before(bytes: &[u8], end: usize) -> Option<Self> {
        let start = end.checked_sub(1)?;
        let quote = Self::at(bytes, start)?;
        let escaped = start > 0 && bytes[start - 1] == b'\\';
        Some(Self { escaped, ..quote })
    }

    pub(super) fn len(self) -> usize {
        1 + usize::from(self.escaped)
    }

    /// Returns where a text that this quote opened before `start` ends: at the same quote, else with the line.
    pub(super) fn content_end(self, bytes: &[u8], start: usize) -> usize {
        let mut offset = start;
        while let Some(&byte) = bytes.get(offset) {
            match byte {
                b'\n' | b'\r' => break,
                b'\\' if self.escaped && bytes.get(offset + 1) == Some(&self.byte) => break,
                b'\\' if !matches!(bytes.get(offset + 1), None | Some(b'\n' | b'\r')) => {
                    offset += 1
                }
                _ if byte == self.byte && !self.escaped => break,
                _ => {}
            }
            offset += 1;
        }
        offset
    }
}

/// Returns where the unquoted value at `start` ends.
pub(super) fn bare_end(bytes: &[u8], start: usize, ending: Ending) -> usize {
    (start..bytes.len())
        .find(|&at| ends_bare(bytes, at, ending))
        .unwrap_or(bytes.len())
}

/// Returns an unquoted `value` without commas and brackets that belong to what is around it.
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
    let outer_len = content
        .iter()
        .rev()
        .take_while(|byte| is_outer(**byte))
        .count();
    value.start..value.end - outer_len
}

/// Returns where the shell word ends whose first, quoted part was closed before `start`: 'it'"'"'s' is one word.
pub(super) fn joined_end(bytes: &[u8], start: usize) -> usize {
    let mut end = start;
    loop {
        if let Some(quote) = Quote::at(bytes, end) {
            let content_end = quote.content_end(bytes, end + quote.len());
            let closes = Quote::at(bytes, content_end) == Some(quote);
            // Before a blank it closes what was opened before the word.
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
    bytes[start..]
        .iter()
        .position(|byte| matches!(byte, b'\n' | b'\r'))
        .map_or(bytes.len(), |len| start + len)
}

fn ends_bare(bytes: &[u8], at: usize, ending: Ending) -> bool {
    match bytes[at] {
        byte if byte <= b' ' => true,
        b';' | b'&' | b'|' | b'<' | b'>' => ending == Ending::Operator,
        b',' => begins_next_pair(&bytes[at + 1..]),
        b'"' | b'\'' | b'`' => closes_word(bytes.get(at + 1)),
        b'\\' => Quote::at(bytes, at).is_some() && closes_word(bytes.get(at + 2)),
        _ => false,
    }
}

/// A quote with one of these behind it closes what was opened before the value.
fn closes_word(behind: Option<&u8>) -> bool {
    closes_outer(behind) || behind.is_some_and(|byte| b":>\\\"'".contains(byte))
}

fn closes_outer(behind: Option<&u8>) -> bool {
    behind.is_none_or(|&byte| byte <= b' ' || b",;)]}".contains(&byte))
}

/// `name=` or `name:` behind a comma: arguments of a call, members of an object.
fn begins_next_pair(behind: &[u8]) -> bool {
    let name_len = behind
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
        .count();
    name_len > 0 && matches!(behind.get(name_len), Some(b'=' | b':'))
}
