//! What surrounds a literal in a statement of SQL, and where the literal is.

use super::scan::{before, blanks, is_blank, run_len};
use super::value::Quote;
use crate::redact::engine::Shown;
use crate::words::{WordList, words};
use std::ops::Range;

/// Maximum length of a password, in bytes.
const MAX_PASSWORD_BYTES: usize = 512;

/// How much of a statement is read, in bytes.
const MAX_STATEMENT_BYTES: usize = 256;

/// A text that is read word by word, without case.
#[derive(Clone, Copy)]
pub(super) struct Statement<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Statement<'a> {
    pub(super) fn after(shown: Shown<'a>, at: usize) -> Self {
        let bytes = shown.text.as_bytes();
        let end = bytes
            .len()
            .min(at + MAX_STATEMENT_BYTES + MAX_PASSWORD_BYTES);
        let bytes = &bytes[..end];
        Self { bytes, at }.at(at)
    }

    fn at(self, at: usize) -> Self {
        Self {
            at: at + blanks(self.bytes, at),
            ..self
        }
    }

    /// Returns the rest after this word or sign; `None` if another one follows.
    pub(super) fn skip(self, word: &str) -> Option<Self> {
        let end = self.at + word.len();
        let found = self.bytes.get(self.at..end)?;
        let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let is_whole = !word.ends_with(|c: char| c.is_ascii_alphanumeric())
            || !self.bytes.get(end).is_some_and(goes_on);
        (is_whole && found.eq_ignore_ascii_case(word.as_bytes())).then(|| self.at(end))
    }

    /// Returns the next word that is not quoted, and the rest; without the comma or semicolon after it.
    pub(super) fn word(self) -> Option<(Range<usize>, Self)> {
        let is_part = |byte: u8| !byte.is_ascii_whitespace() && !b",;()'\"`\\".contains(&byte);
        let end = self.at + run_len(self.bytes.get(self.at..)?, is_part);
        (end > self.at).then(|| (self.at..end, self.at(end)))
    }

    /// Returns the inner bytes of the literal that follows, and the rest: `'…'`, `"…"`, `N'…'`, `$$…$$`, `$tag$…$tag$`.
    pub(super) fn literal(self) -> Option<(Range<usize>, Self)> {
        if self.bytes.get(self.at) == Some(&b'$') {
            return self.dollar_quoted();
        }
        let prefix = self
            .bytes
            .get(self.at)
            .filter(|byte| b"NEne".contains(byte));
        let start = self.at + usize::from(prefix.is_some());
        let quote = Quote::at(self.bytes, start)?;
        let inner = start + quote.len();
        let mut end = quote.content_end(self.bytes, inner);
        // A doubled quote stands for itself.
        while quote.is_at(self.bytes, end)
            && quote.is_at(self.bytes, end + quote.len())
            && end > inner
        {
            end = quote.content_end(self.bytes, end + 2 * quote.len());
        }
        let is_closed = quote.is_at(self.bytes, end) && end <= inner + MAX_PASSWORD_BYTES;
        is_closed.then(|| (inner..end, self.at(end + quote.len())))
    }

    fn dollar_quoted(self) -> Option<(Range<usize>, Self)> {
        let rest = &self.bytes[self.at..];
        let tag_len = run_len(&rest[1..], |byte| {
            byte.is_ascii_alphanumeric() || byte == b'_'
        });
        let mark = rest.get(..tag_len + 2)?;
        mark.strip_suffix(b"$")?;
        let inner = self.at + mark.len();
        let len = memchr::memmem::find(&rest[mark.len()..], mark)?;
        let is_password = (1..=MAX_PASSWORD_BYTES).contains(&len);
        is_password.then(|| (inner..inner + len, self.at(inner + len + mark.len())))
    }

    /// Returns a literal, perhaps in brackets or as the argument of `PASSWORD(…)`.
    pub(super) fn password(self) -> Option<(Range<usize>, Self)> {
        let inner = self.skip("password").unwrap_or(self);
        let inner = inner.skip("(").unwrap_or(inner);
        inner.literal().or_else(|| self.literal())
    }

    /// Returns whether a statement ends here, or goes on with another clause, but not with prose.
    pub(super) fn ends(self) -> bool {
        static CLAUSES: WordList = WordList::new(|| words(include_str!("words/clauses.txt")));
        let is_clause = || CLAUSES.iter().any(|clause| self.skip(clause).is_some());
        match self.bytes.get(self.at) {
            None => true,
            Some(byte) => b"\r\n;,)'\"`\\".contains(byte) || is_clause(),
        }
    }

    /// Returns whether only the end of the line or of the statement follows.
    pub(super) fn is_over(self) -> bool {
        matches!(self.bytes.get(self.at), None | Some(b'\r' | b'\n' | b';'))
    }
}

/// Returns the part of the statement before `at`, in lower case, with single blanks.
pub(super) fn words_before(shown: Shown<'_>, at: usize) -> String {
    let window = before(shown.text.as_bytes(), at, MAX_STATEMENT_BYTES);
    let statement = window.rsplit(|byte| *byte == b';').next();
    let text = String::from_utf8_lossy(statement.unwrap_or_default()).to_ascii_lowercase();
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    words.join(" ")
}

/// Returns whether only blanks or a prompt are before `at` in its line.
pub(super) fn begins_line(shown: Shown<'_>, at: usize) -> bool {
    let before = before(shown.text.as_bytes(), at, MAX_STATEMENT_BYTES);
    let last = before.iter().rfind(|byte| !is_blank(**byte));
    last.is_none_or(|byte| b"\n\r>#(".contains(byte))
}
