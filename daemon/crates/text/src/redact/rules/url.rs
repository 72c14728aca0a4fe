//! Secrets in URLs.

use super::placeholder::is_placeholder;
use super::scan::{before, tail_len};
use crate::redact::engine::{Judge, Rule, Shown};
use crate::words::{WordList, words};
use std::ops::Range;

/// The password in `scheme://user:password@host`; the user and the host are kept. The address of a database goes as a
/// whole.
pub(super) const RULE: Rule = Rule {
    anchors: &["://"],
    judge: Judge::One(credentials),
};

/// Schemes of databases. Their addresses also reveal where the data is.
static DATABASES: WordList = WordList::new(|| words(include_str!("words/databases.txt")));

/// Maximum length of a scheme, in bytes.
const MAX_SCHEME_BYTES: usize = 32;

fn credentials(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = shown.text.as_bytes();
    bytes[..anchor.start]
        .last()
        .filter(|byte| byte.is_ascii_alphanumeric())?;
    let mut colon = None;
    let mut at = None;
    for (offset, &byte) in bytes[anchor.end..].iter().enumerate() {
        match byte {
            b':' => colon = colon.or(Some(anchor.end + offset)),
            b'@' => at = Some(anchor.end + offset), // a password can contain @
            b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\' => break,
            _ if byte <= b' ' => break,
            _ => {}
        }
    }
    // Without an `@` after it, the colon comes before a port.
    let (colon, at) = (colon?, at?);
    let password = bytes.get(colon + 1..at)?;
    if is_placeholder(password) {
        return None;
    }
    let is_database = is_database(before(bytes, anchor.start, MAX_SCHEME_BYTES));
    Some(if is_database {
        anchor.end..address_end(bytes, at)
    } else {
        colon + 1..at
    })
}

/// Returns whether `before` ends with the scheme of a database: `postgres`, `mysql+pymysql`.
fn is_database(before: &[u8]) -> bool {
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let scheme = before.rsplit(|byte| !is_scheme(byte)).next();
    let name = scheme.and_then(|scheme| scheme.split(|byte| *byte == b'+').next());
    name.is_some_and(|name| {
        let name = name.to_ascii_lowercase();
        // The `n` of a `\n` that was not decoded may precede it.
        let ends_name = |known: &&str| name.ends_with(known.as_bytes());
        DATABASES.iter().any(ends_name)
    })
}

/// Returns the end of the address that `at` is in, without the punctuation of a sentence.
fn address_end(bytes: &[u8], at: usize) -> usize {
    let ends = |byte: &u8| *byte <= b' ' || b"\"'`<>\\;|(){}[]".contains(byte);
    let rest = &bytes[at..];
    let address = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
    at + address.len() - tail_len(address, |byte| b".,:!".contains(&byte))
}
