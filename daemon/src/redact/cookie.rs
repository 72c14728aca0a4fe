//! What a browser is known by: `Cookie: sid=…; theme=…`, `Set-Cookie: sid=…; Path=/`.

use super::assignment::{blanks, is_name};
use super::placeholder::{MAX_COMPARED_BYTES, is_placeholder};
use super::redactor::{Rule, Verdict};
use super::value::{Quote, line_end};
use std::ops::Range;

pub(super) const RULE: Rule = Rule {
    anchors: &["cookie"],
    judge,
};

/// What stands before `Cookie` where the server gives one.
const SET: &[u8] = b"set-";

/// Longest name of a cookie, in bytes.
const MAX_NAME_BYTES: usize = 128;

/// A header has a colon and `name=value` behind it; "Cookie: chocolate chip" has not.
fn judge(text: &str, anchor: Range<usize>) -> Verdict {
    match value(text.as_bytes(), anchor) {
        Some(value) => Verdict::Secret(value),
        None => Verdict::Innocent,
    }
}

fn value(bytes: &[u8], anchor: Range<usize>) -> Option<Range<usize>> {
    let before = &bytes[..anchor.start];
    let set = before.len().saturating_sub(SET.len());
    let is_set = before[set..].eq_ignore_ascii_case(SET);
    let begin = if is_set { set } else { anchor.start };
    if bytes[..begin].last().is_some_and(|byte| is_name(*byte)) {
        return None;
    }
    let enclosing = Quote::before(bytes, begin);
    let mut at = anchor.end;
    // The name alone may be quoted: {"Cookie": "sid=…"}.
    let is_closed = enclosing.is_some_and(|quote| Quote::at(bytes, at) == Some(quote));
    at += enclosing.filter(|_| is_closed).map_or(0, Quote::len);
    at += blanks(bytes, at);
    if bytes.get(at) != Some(&b':') {
        return None;
    }
    at += 1 + blanks(bytes, at + 1);
    let own = Quote::at(bytes, at).filter(|_| is_closed || enclosing.is_none());
    at += own.map_or(0, Quote::len);
    let quote = own.or(enclosing.filter(|_| !is_closed));
    let behind = bytes.get(at..)?;
    let name = behind.iter().take(MAX_NAME_BYTES);
    let name_len = name.take_while(|byte| is_cookie_name(**byte)).count();
    if name_len == 0 || behind.get(name_len) != Some(&b'=') {
        return None;
    }
    let start = at + name_len + 1;
    let end_in = |bytes: &[u8]| {
        let end = quote.map_or_else(
            || line_end(bytes, start),
            |quote| quote.content_end(bytes, start).min(line_end(bytes, start)),
        );
        // What the browser sends has nothing else; the server adds where and how long it counts.
        let is_end = |byte: &u8| *byte == b';' || byte.is_ascii_whitespace();
        match bytes[start..end].iter().position(is_end) {
            Some(len) if is_set => start + len,
            _ => start + bytes[start..end].trim_ascii_end().len(),
        }
    };
    let horizon = bytes.len().min(start + MAX_COMPARED_BYTES + 1);
    let end = end_in(&bytes[..horizon]);
    if end == horizon && horizon < bytes.len() {
        return Some(start..end_in(bytes));
    }
    (!is_placeholder(&bytes[start..end])).then_some(start..end)
}

fn is_cookie_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&*+-.^_|~".contains(&byte)
}
