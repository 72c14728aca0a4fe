//! Which bytes of an assignment are secret, if any.
//! To take linear time, a value is rejected after reading at most [`MAX_COMPARED_BYTES`] of it.

use super::assignment::{Assignment, Position, Separator};
use super::key::{KeyKind, is_pass, normalized};
use super::placeholder::{MAX_COMPARED_BYTES, begins_a_gap, is_expression, is_placeholder};
use super::prose;
use super::scan::{after, blanks, is_mixed, is_name, is_one_of, run_len};
use super::value::{Ending, Quote, bare_end, joined_end, line_end, without_outer};
use std::ops::Range;

/// A shorter value that starts with a digit is a count rather than a token.
const MIN_TOKEN_BYTES: usize = 6;

/// A shorter one is an example: `{ token: "a" }`.
const MIN_QUOTED_BYTES: usize = 3;

/// A value of letters and digits that is at least this long is not a word of a sentence.
const MIN_MIXED_BYTES: usize = 8;

/// Words before the credentials of an `Authorization` header.
const SCHEMES: [&str; 7] = [
    "bearer",
    "basic",
    "token",
    "apikey",
    "bot",
    "negotiate",
    "ntlm",
];

/// Schemes with several parameters, including the signature.
const SCHEMES_OF_PAIRS: [&str; 2] = ["digest", "aws4-hmac-sha256"];

impl Assignment<'_> {
    /// Returns the bytes to mask; the range is never empty.
    pub(super) fn secret(&self) -> Option<Range<usize>> {
        let quote = Quote::at(self.bytes, self.start).filter(|_| self.separator != Separator::Tag);
        let secret = quote.map_or_else(|| self.unquoted(), |quote| self.quoted(quote));
        secret.filter(|secret| !secret.is_empty())
    }

    fn quoted(&self, quote: Quote) -> Option<Range<usize>> {
        let inner = self.start + quote.len();
        if self.closes_outer(quote) {
            return None;
        }
        if self.key.kind == KeyKind::Authorization {
            return self.credentials(inner, Some(quote));
        }
        let value = self.credible(inner, |bytes| quote.content_end(bytes, inner))?;
        let is_closed = quote.is_at(self.bytes, value.end);
        if self.separator == Separator::Colon || !is_closed {
            return Some(value).filter(|value| !is_closed || value.len() >= MIN_QUOTED_BYTES);
        }
        let closed = value.end + quote.len();
        let end = joined_end(self.bytes, closed);
        Some(if end > closed { self.start..end } else { value })
    }

    fn unquoted(&self) -> Option<Range<usize>> {
        let head = after(self.bytes, self.start, MAX_COMPARED_BYTES);
        if !self.is_environment() && is_expression(head) {
            return None;
        }
        if self.key.kind == KeyKind::Authorization {
            return self.credentials(self.start, self.enclosing);
        }
        match (self.separator, self.enclosing) {
            (Separator::Colon, Some(quote)) => {
                self.credible(self.start, |bytes| quote.content_end(bytes, self.start))
            }
            (Separator::Colon, None) => {
                let value = self.after_colon()?;
                // The `\n` that ends it may be a part of a password.
                let is_cut = self.bytes.get(value.end) == Some(&b'\\');
                let end = bare_end(self.bytes, value.end, Ending::Blank);
                Some(if is_cut { value.start..end } else { value })
            }
            (Separator::Tag, _) => {
                let value = self.credible_word(self.start, Ending::Operator)?;
                self.bytes[value.end..].starts_with(b"</").then_some(value)
            }
            (Separator::Equals | Separator::Blank, _) => {
                let value = self.credible_word(self.start, Ending::Operator)?;
                (!self.is_code(&value)).then_some(value)
            }
        }
    }

    /// Returns what follows the scheme of an `Authorization` header.
    fn credentials(&self, start: usize, quote: Option<Quote>) -> Option<Range<usize>> {
        let head = after(self.bytes, start, MAX_COMPARED_BYTES);
        let scheme = &head[..run_len(head, is_name)];
        let is_apart = head.get(scheme.len()) == Some(&b' ');
        let begin = start + scheme.len() + 1;
        if is_apart && is_one_of(scheme, &SCHEMES) {
            return self.credible_word(begin, Ending::Blank);
        }
        if is_apart && is_one_of(scheme, &SCHEMES_OF_PAIRS) {
            self.credible_word(begin, Ending::Blank)?;
            let end = match quote {
                Some(quote) => quote.content_end(self.bytes, begin),
                None => line_end(self.bytes, begin),
            };
            return Some(trimmed(self.bytes, begin..end));
        }
        let value = self.credible_word(start, Ending::Blank)?;
        let is_header = quote.is_some()
            || self.position == Position::LineStart
            || is_generated(&self.bytes[value.clone()]);
        is_header.then_some(value)
    }

    /// Returns an unquoted value after a colon, which is also used in prose.
    fn after_colon(&self) -> Option<Range<usize>> {
        let value = self.credible_word(self.start, Ending::Line)?;
        if self.is_code(&value) {
            return None;
        }
        let after = &self.bytes[value.end..];
        let alone = ends_value(after);
        let is_password = self.key.kind == KeyKind::Password;
        let begins = self.position != Position::Prose;
        let word = &self.bytes[value.clone()];
        let is_said = is_password && (prose::is_mixed_password(word) || self.is_noted(word, after));
        if is_generated(word) || is_said || (alone && (begins || is_password)) {
            return Some(value);
        }
        // `passphrase: correct horse battery staple`, where the name is not a word of prose.
        let is_name = self.key.compound || self.name.eq_ignore_ascii_case("passphrase");
        if self.position == Position::LineStart && is_name {
            let line = value.start..line_end(self.bytes, value.start);
            return Some(trimmed(self.bytes, line));
        }
        None
    }

    /// Returns whether a note follows the password, as in `password: swordfish on port 3001`. After other words, the
    /// same form may be about something else: `Fix password: icons on the login page`.
    fn is_noted(&self, word: &[u8], after: &[u8]) -> bool {
        let is_announced = prose::is_announced(self.bytes, self.begin);
        let notes: &[&str] = match self.position {
            _ if is_announced => &[" on ", " for ", " at ", " and ", " then "],
            Position::LineStart => &[" on ", " for ", " at "],
            Position::ListStart | Position::Prose => &[" on port"],
        };
        let has_note = notes.iter().any(|note| after.starts_with(note.as_bytes()));
        has_note && !prose::is_description(word)
    }

    fn credible_word(&self, start: usize, ending: Ending) -> Option<Range<usize>> {
        self.credible(start, |bytes| bare_end(bytes, start, ending))
            .map(|value| without_outer(self.bytes, value))
    }

    /// Returns the value that `end_in` finds, unless it is something that is not a secret.
    fn credible(&self, start: usize, end_in: impl Fn(&[u8]) -> usize) -> Option<Range<usize>> {
        let horizon = self.bytes.len().min(start + MAX_COMPARED_BYTES + 1);
        let end = end_in(&self.bytes[..horizon]);
        let may_be_longer = end == horizon && horizon < self.bytes.len();
        let known = &self.bytes[start..end];
        let is_path = self.key.may_be_path && matches!(known.first(), Some(b'/' | b'~' | b'.'));
        if is_path || begins_a_gap(known) {
            return None;
        }
        if may_be_longer {
            return Some(start..end_in(self.bytes));
        }
        let plain = &self.bytes[without_outer(self.bytes, start..end)];
        (!is_placeholder(plain) && !self.names_itself(plain)).then_some(start..end)
    }

    /// Returns whether the quote in place of the value closes a text such as `"Enter password: "`, so that there is no
    /// value. A quoted text may have such quotes too: `got "password = "hunter2""`.
    fn closes_outer(&self, quote: Quote) -> bool {
        let inner = self.start + quote.len();
        if self.enclosing == Some(quote) {
            return !quote.has_word(self.bytes, inner);
        }
        match self.bytes.get(inner) {
            None | Some(b'\n' | b'\r' | b',' | b';' | b')' | b']' | b'}') => true,
            Some(b' ') => self.position == Position::Prose,
            Some(_) => false,
        }
    }

    /// Returns whether a value is not a secret because of its name: `password=password` in a call, `token: 17` in
    /// statistics, `--password PASSWORD` in a help text.
    fn names_itself(&self, value: &[u8]) -> bool {
        let own_name = normalized(last_part(self.name));
        let is_own_name =
            std::str::from_utf8(value).is_ok_and(|value| normalized(last_part(value)) == own_name);
        // `PASS=12` counts tests.
        let may_be_count = self.key.kind == KeyKind::Generated || is_pass(self.name);
        let is_count = may_be_count
            && value.len() < MIN_TOKEN_BYTES
            && value.first().is_some_and(u8::is_ascii_digit);
        let is_meta = self.separator == Separator::Blank
            && value
                .iter()
                .all(|byte| byte.is_ascii_uppercase() || *byte == b'_');
        is_own_name || is_count || is_meta
    }

    /// Returns whether the surroundings show that a value is a type or a variable of a program:
    /// `token: CancellationToken,` and `let token = next;`.
    fn is_code(&self, value: &Range<usize>) -> bool {
        let word = &self.bytes[value.clone()];
        if word.len() > MAX_COMPARED_BYTES {
            return false;
        }
        let is_path = word.windows(2).any(|pair| pair == b"::");
        let is_part = |byte: &u8| byte.is_ascii_alphabetic() || b"_:".contains(byte);
        let is_name = word.iter().all(is_part);
        let after = self.bytes.get(value.end + blanks(self.bytes, value.end));
        if self.separator == Separator::Colon {
            let is_type = word.first().is_some_and(u8::is_ascii_uppercase)
                && (word.len() == 1 || word.iter().any(u8::is_ascii_lowercase));
            return after == Some(&b'=')
                || ((is_path || (is_type && is_name))
                    && after.is_some_and(|byte| b",;){|".contains(byte)));
        }
        let is_spaced = self.bytes[self.start - 1] == b' ';
        if is_path && is_name && is_spaced {
            return true;
        }
        let is_member = self.name.starts_with("self.") || self.name.starts_with("this.");
        let is_variable = is_member || after == Some(&b';');
        is_name && is_variable && is_spaced && self.key.kind == KeyKind::Generated
    }

    /// Returns whether this is `NAME=value` as in an environment, where nothing is a call.
    fn is_environment(&self) -> bool {
        self.separator == Separator::Equals
            && !self.name.bytes().any(|byte| byte.is_ascii_lowercase())
    }
}

/// Returns whether only the end of the line, of a list, or a comment follows.
fn ends_value(after: &[u8]) -> bool {
    let rest = &after[blanks(after, 0)..];
    match rest.first() {
        Some(b'#') => rest.len() < after.len(),
        next => next.is_none_or(|byte| b"\n\r,;}])\"'\\".contains(byte)),
    }
}

/// Returns whether a long word has letters and digits, so that it is not a word of a language.
fn is_generated(word: &[u8]) -> bool {
    word.len() > MAX_COMPARED_BYTES || (word.len() >= MIN_MIXED_BYTES && is_mixed(word))
}

fn trimmed(bytes: &[u8], value: Range<usize>) -> Range<usize> {
    value.start..value.start + bytes[value].trim_ascii_end().len()
}

/// Returns what follows the last dot: `token` of `self.token`.
fn last_part(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(_, last)| last)
}
