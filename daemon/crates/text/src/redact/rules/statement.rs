//! What surrounds a literal in a statement of SQL, and where the literal is.

use super::assignment::blanks;
use super::value::Quote;
use crate::redact::engine::Shown;
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
        Self {
            bytes: &bytes[..bytes
                .len()
                .min(at + MAX_STATEMENT_BYTES + MAX_PASSWORD_BYTES)],
            at,
        }
        .at(at)
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
        let is_whole = !word.ends_with(|c: char| c.is_ascii_alphanumeric())
            || !self
                .bytes
                .get(end)
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        (is_whole && found.eq_ignore_ascii_case(word.as_bytes())).then(|| self.at(end))
    }

    /// Returns the next word that is not quoted, and the rest; without the comma or semicolon after it.
    pub(super) fn word(self) -> Option<(Range<usize>, Self)> {
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b",;()'\"`\\".contains(byte);
        let len = self.bytes.get(self.at..)?.iter().position(ends);
        let end = len.map_or(self.bytes.len(), |len| self.at + len);
        (end > self.at).then(|| (self.at..end, self.at(end)))
    }

    /// Returns the inner bytes of the literal that follows, and the rest: `'…'`, `"…"`, `N'…'`, `$$…$$`, `$tag$…$tag$`.
    pub(super) fn literal(self) -> Option<(Range<usize>, Self)> {
        if self.bytes.get(self.at) == Some(&b'$') {
            return self.dollar_quoted();
        }
        let is_prefix = self
            .bytes
            .get(self.at)
            .is_some_and(|byte| b"NEne".contains(byte));
        let start = self.at + usize::from(is_prefix);
        let quote = Quote::at(self.bytes, start)?;
        let inner = start + quote.len();
        let mut end = quote.content_end(self.bytes, inner);
        // A doubled quote stands for itself.
        while Quote::at(self.bytes, end) == Some(quote)
            && Quote::at(self.bytes, end + quote.len()) == Some(quote)
            && end > inner
        {
            end = quote.content_end(self.bytes, end + 2 * quote.len());
        }
        let is_closed =
            Quote::at(self.bytes, end) == Some(quote) && end <= inner + MAX_PASSWORD_BYTES;
        is_closed.then(|| (inner..end, self.at(end + quote.len())))
    }

    fn dollar_quoted(self) -> Option<(Range<usize>, Self)> {
        let rest = &self.bytes[self.at..];
        let is_tag = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let tag_len = rest[1..].iter().take_while(|byte| is_tag(byte)).count();
        let mark = rest
            .get(..tag_len + 2)
            .filter(|mark| mark.ends_with(b"$"))?;
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
        const CLAUSES: &[&str] = &[
            "valid",
            "login",
            "nologin",
            "superuser",
            "nosuperuser",
            "createdb",
            "createrole",
            "inherit",
            "replication",
            "connection",
            "in",
            "role",
            "expire",
            "account",
            "require",
            "with",
            "must_change",
            "change",
            "default",
            "admin",
            "set",
            "and",
            "check_policy",
            "from",
            "using",
            "profile",
            "quota",
            "temporary",
            "replace",
        ];
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
    let bytes = shown.text.as_bytes();
    let window = &bytes[at.saturating_sub(MAX_STATEMENT_BYTES)..at];
    let start = window
        .iter()
        .rposition(|byte| *byte == b';')
        .map_or(0, |at| at + 1);
    let text = String::from_utf8_lossy(&window[start..]).to_ascii_lowercase();
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    words.join(" ")
}

/// Returns whether only blanks or a prompt are before `at` in its line.
pub(super) fn begins_line(shown: Shown<'_>, at: usize) -> bool {
    let before = shown.text.as_bytes()[..at].iter().rev();
    let mut before = before
        .take(MAX_STATEMENT_BYTES)
        .skip_while(|byte| b" \t".contains(byte));
    matches!(
        before.next(),
        None | Some(b'\n' | b'\r' | b'>' | b'#' | b'(')
    )
}
