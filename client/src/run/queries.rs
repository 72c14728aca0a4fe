//! Takes questions to the terminal out of output on its way to the user's terminal.
//!
//! The session is the program's terminal and answers them. A second answer, from the user's terminal, would
//! reach the program as typed text.

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;

/// A sequence longer than this is no question and is passed on.
const MAX_QUERY_LEN: usize = 256;

/// Removes questions from a stream. The end of a chunk is held back while it may be the start of one.
#[derive(Debug, Default)]
pub(crate) struct QueryFilter {
    held: Vec<u8>,
}

/// What stands at the start of some bytes.
#[derive(Debug, PartialEq, Eq)]
enum Start {
    /// A whole sequence of so many bytes.
    Sequence { len: usize, is_query: bool },
    /// Not yet to be told.
    Open,
}

impl QueryFilter {
    /// Returns what to show of what was held back and `bytes`.
    pub(crate) fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        let mut shown = Vec::with_capacity(self.held.len());
        let mut rest = &self.held[..];
        while let Some(text_len) = rest.iter().position(|&byte| byte == ESCAPE) {
            shown.extend_from_slice(&rest[..text_len]);
            rest = &rest[text_len..];
            match start(rest) {
                Start::Sequence { len, is_query } => {
                    if !is_query {
                        shown.extend_from_slice(&rest[..len]);
                    }
                    rest = &rest[len..];
                }
                Start::Open => {
                    let held_len = rest.len();
                    self.held.drain(..self.held.len() - held_len);
                    return shown;
                }
            }
        }
        shown.extend_from_slice(rest);
        self.held.clear();
        shown
    }
}

/// Looks at `bytes`, which begin with an escape.
fn start(bytes: &[u8]) -> Start {
    let sequence = match bytes.get(1) {
        None => return Start::Open,
        Some(b'[') => control_sequence(bytes),
        Some(b']' | b'P') => string_sequence(bytes),
        // DECID, an old way to ask for the attributes.
        Some(b'Z') => Some((2, true)),
        Some(_) => Some((1, false)),
    };
    match sequence {
        Some((len, is_query)) => Start::Sequence { len, is_query },
        None if bytes.len() > MAX_QUERY_LEN => Start::Sequence {
            len: 1,
            is_query: false,
        },
        None => Start::Open,
    }
}

/// `ESC [` parameters intermediates final.
fn control_sequence(bytes: &[u8]) -> Option<(usize, bool)> {
    let body = &bytes[2..];
    let len = body.iter().position(|byte| !(0x20..=0x3f).contains(byte))?;
    let parameters = std::str::from_utf8(&body[..len]).unwrap_or_default();
    let is_query = match body[len] {
        b'c' => matches!(parameters, "" | "0" | ">" | ">0" | "=" | "=0"),
        b'n' => matches!(parameters, "5" | "6") || parameters.starts_with('?'),
        b'p' => parameters.ends_with('$'),
        b'q' => matches!(parameters, ">" | ">0"),
        b'u' => parameters == "?",
        b't' => {
            let number = parameters
                .split(';')
                .next()
                .and_then(|number| number.parse().ok());
            number.is_some_and(|number: u16| matches!(number, 11 | 13..=16 | 18..=21))
        }
        b'x' => matches!(parameters, "" | "0" | "1"),
        b'w' => parameters.ends_with('$'),
        b'y' => parameters.ends_with('*'),
        b'S' | b'm' => parameters.starts_with('?'),
        _ => false,
    };
    Some((2 + len + 1, is_query))
}

/// `ESC ]` or `ESC P`, a text, and a bell or `ESC \`.
fn string_sequence(bytes: &[u8]) -> Option<(usize, bool)> {
    let body = &bytes[2..];
    let text_len = body
        .iter()
        .position(|&byte| byte == BELL || byte == ESCAPE)?;
    let end_len = match (body[text_len], body.get(text_len + 1)) {
        (BELL, _) => 1,
        (_, Some(b'\\')) => 2,
        (_, None) => return None,
        // Broken off by another sequence.
        (_, Some(_)) => 0,
    };
    let text = &body[..text_len];
    let is_query = if bytes[1] == b'P' {
        text.starts_with(b"$q") || text.starts_with(b"+q")
    } else {
        asks_for_colour(text)
    };
    Some((2 + text_len + end_len, is_query && end_len > 0))
}

/// Colours are asked for by a question mark in the place of a value; so are fonts and the clipboard.
fn asks_for_colour(text: &[u8]) -> bool {
    let mut fields = text.split(|&byte| byte == b';');
    let number = fields
        .next()
        .and_then(|field| std::str::from_utf8(field).ok());
    let number = number.and_then(|number| number.parse::<u16>().ok());
    matches!(number, Some(4 | 5 | 10..=19 | 50 | 52)) && fields.any(|field| field == b"?")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(chunks: &[&[u8]]) -> Vec<u8> {
        let mut filter = QueryFilter::default();
        chunks.iter().flat_map(|chunk| filter.pass(chunk)).collect()
    }

    #[test]
    fn questions_go_and_all_else_stays() {
        let output = b"a\x1b[6nb\x1b[31mc\x1b]11;?\x07d\x1b]0;t?\x07\x1b[c\x1b[>c\x1b[?25h\x1b[?2026$p\x1b7e\x1bP+q544e\x1b\\f\x1b]4;1;?\x1b\\g\x1b[2J\x1b[8;1;1t";
        let expected = b"ab\x1b[31mcd\x1b]0;t?\x07\x1b[?25h\x1b7efg\x1b[2J\x1b[8;1;1t";
        assert_eq!(pass(&[output]), expected);
        let single: Vec<&[u8]> = output.chunks(1).collect();
        assert_eq!(pass(&single), expected);
    }

    #[test]
    fn a_long_text_is_not_held_back() {
        let mut filter = QueryFilter::default();
        let long = [&b"\x1b]52;c;"[..], &[b'A'; MAX_QUERY_LEN]].concat();
        assert_eq!(filter.pass(&long), long);
        assert_eq!(filter.pass(b"AA\x07x\x1b[c"), b"AA\x07x");
    }

    #[test]
    fn a_broken_sequence_loses_nothing() {
        let output = b"\x1b]11;?\x1b[0mx\x1b[3\xffy\x1b\x1b[mz";
        assert_eq!(pass(&[output]), output);
    }
}
