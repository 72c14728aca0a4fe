//! The lines of a `.netrc`: `machine example.org login me password …`, on one line or several.

use super::placeholder::is_placeholder;
use super::scan::{after, is_one_of, run_len};
use super::value::Quote;
use super::word::begins_word;
use crate::redact::engine::{Judge, Rule, Shown};
use std::ops::Range;

pub(super) const RULE: Rule = Rule {
    anchors: &["machine ", "machine\t", "default login "],
    judge: Judge::One(password),
};

const MAX_WORD_BYTES: usize = 512;

/// Maximum number of blanks and line breaks between two words.
const MAX_GAP_BYTES: usize = 64;

/// A shorter word is a name rather than a word of a sentence.
const MIN_PROSE_BYTES: usize = 3;

/// The words before a value, except `password`.
pub(in crate::redact) const KEYS: [&str; 3] = ["login", "account", "port"];

/// Accepts only the exact form: in a sentence, other words follow "machine".
fn password(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = shown.text.as_bytes();
    if !begins_word(shown, anchor.start) {
        return None;
    }
    let enclosing = Quote::before(bytes, anchor.start);
    // The host, or the login of all hosts.
    let host = word(bytes, anchor.end, enclosing)?;
    let begins =
        matches!(shown.before(anchor.start), None | Some(b'\n' | b'\r')) || enclosing.is_some();
    // In the middle of a line, after a name without a dot, only a value that is no word of a sentence counts.
    let is_doubtful = !begins && !bytes[host.clone()].contains(&b'.');
    let is_name = is_plain_word(&bytes[host.clone()]);
    let mut may_be_prose = is_name && enclosing.is_none();
    let mut at = host.end;
    for _ in 0..=KEYS.len() {
        // The sentence continues.
        if at > 0 && b",:;".contains(&bytes[at - 1]) {
            return None;
        }
        let key = word(bytes, at, enclosing)?;
        let value = word(bytes, key.end, enclosing)?;
        let name = &bytes[key.clone()];
        let begins_line = bytes[at..key.start].contains(&b'\n');
        may_be_prose &= !begins_line && is_plain_word(&bytes[value.clone()]);
        if name.eq_ignore_ascii_case(b"password") {
            let password = &bytes[value.clone()];
            let is_prose =
                may_be_prose || (is_doubtful && password.iter().all(u8::is_ascii_lowercase));
            let is_secret = !is_prose && !is_placeholder(password);
            return is_secret.then_some(value);
        }
        if !is_one_of(name, &KEYS) {
            return None;
        }
        at = value.end;
    }
    None
}

/// Returns whether a sentence could contain this word. A sentence can contain all words of an entry by chance: "machine
/// learning login page password policy".
fn is_plain_word(word: &[u8]) -> bool {
    let is_lower = word.iter().all(u8::is_ascii_lowercase);
    is_lower && word.len() >= MIN_PROSE_BYTES && word != b"localhost"
}

/// Returns the next word; `None` if there is none, or if it is too long or too far away.
fn word(bytes: &[u8], from: usize, enclosing: Option<Quote>) -> Option<Range<usize>> {
    let gap = after(bytes, from, MAX_GAP_BYTES + 1);
    let start = from + run_len(gap, |byte| byte.is_ascii_whitespace());
    let end = bytes.len().min(start + MAX_WORD_BYTES + 1);
    let ends = |at: &usize| {
        let is_closing = enclosing.is_some_and(|quote| quote.is_at(bytes, *at));
        is_closing || bytes[*at].is_ascii_whitespace()
    };
    let end = (start..end).find(ends).unwrap_or(end);
    (end > start && end <= start + MAX_WORD_BYTES).then_some(start..end)
}
