//! Cookies of a browser: `Cookie: sid=…; theme=…`, `Set-Cookie: sid=…; Path=/`.

use super::placeholder::{MAX_COMPARED_BYTES, is_placeholder};
use super::scan::{after, blanks, is_name, run_len};
use super::value::Quote;
use crate::redact::engine::{Judge, Rule, Shown};
use std::ops::Range;

pub(super) const RULE: Rule = Rule {
    anchors: &["cookie"],
    judge: Judge::One(value),
};

/// The prefix of `Cookie` in the answer of a server.
const SET: &[u8] = b"set-";

/// Maximum length of the name of a cookie, in bytes.
const MAX_NAME_BYTES: usize = 128;

/// In a header, a colon and `name=value` follow, unlike in "Cookie: chocolate chip".
fn value(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = shown.text.as_bytes();
    let before = &bytes[..anchor.start];
    let set = before.len().saturating_sub(SET.len());
    let is_set = before[set..].eq_ignore_ascii_case(SET);
    let begin = if is_set { set } else { anchor.start };
    if shown.before(begin).is_some_and(is_name) {
        return None;
    }
    let enclosing = Quote::before(bytes, begin);
    let mut at = anchor.end;
    // The name alone may be quoted: {"Cookie": "sid=…"}.
    let is_closed = enclosing.is_some_and(|quote| quote.is_at(bytes, at));
    at += enclosing.filter(|_| is_closed).map_or(0, Quote::len);
    at += blanks(bytes, at);
    if bytes.get(at) != Some(&b':') {
        return None;
    }
    at += 1 + blanks(bytes, at + 1);
    let own = Quote::at(bytes, at).filter(|_| is_closed || enclosing.is_none());
    at += own.map_or(0, Quote::len);
    let quote = own.or(enclosing.filter(|_| !is_closed));
    let start = value_start(bytes, at)?;
    // If the text is innocent, only a bounded part of it was read.
    let head = &bytes[..bytes.len().min(start + MAX_COMPARED_BYTES + 1)];
    let known = value_end(head, start, quote);
    let others = |first: usize| pairs_end(bytes, first, quote);
    if is_placeholder(&head[start..known]) && (known > start || others(start) == start) {
        return None;
    }
    let first = value_end(bytes, known, quote);
    // The attributes after the single cookie of a server are kept.
    Some(start..if is_set { first } else { others(first) }).filter(|value| !value.is_empty())
}

/// Returns the end of the last of several cookies.
fn pairs_end(bytes: &[u8], first: usize, quote: Option<Quote>) -> usize {
    let mut end = first;
    while bytes.get(end) == Some(&b';')
        && let Some(start) = value_start(bytes, end + 1 + blanks(bytes, end + 1))
    {
        end = value_end(bytes, start, quote);
    }
    end
}

/// Returns the end of a name at `at` and the `=` after it.
fn value_start(bytes: &[u8], at: usize) -> Option<usize> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&*+-.^_|~".contains(&byte);
    let end = at + run_len(after(bytes, at, MAX_NAME_BYTES), is_part);
    (end > at && bytes.get(end) == Some(&b'=')).then_some(end + 1)
}

/// Returns the end of the value of a cookie, which contains no blanks.
fn value_end(bytes: &[u8], start: usize, quote: Option<Quote>) -> usize {
    let ends = |at: &usize| {
        let is_closing = quote.is_some_and(|quote| quote.is_at(bytes, *at));
        is_closing || bytes[*at] <= b' ' || bytes[*at] == b';'
    };
    (start..bytes.len()).find(ends).unwrap_or(bytes.len())
}
