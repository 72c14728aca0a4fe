//! The lines of a `.netrc`: `machine example.org login me password …`, on one line or several.

use super::placeholder::is_placeholder;
use super::value::Quote;
use crate::redact::engine::{Rule, Shown, Verdict};
use std::ops::Range;

pub(super) const RULE: Rule = Rule {
    anchors: &["machine ", "machine\t", "default login "],
    judge,
};

const MAX_WORD_BYTES: usize = 512;

/// Maximum number of blanks and line breaks between two words.
const MAX_GAP_BYTES: usize = 64;

/// A shorter word is a name rather than a word of a sentence.
const MIN_PROSE_BYTES: usize = 3;

/// The words before a value, except `password`.
const KEYS: [&[u8]; 3] = [b"login", b"account", b"port"];

/// Accepts only the exact form: in a sentence, other words follow "machine".
fn judge(shown: Shown<'_>, anchor: Range<usize>) -> Verdict {
    password(shown, &anchor).into()
}

fn password(shown: Shown<'_>, anchor: &Range<usize>) -> Option<Range<usize>> {
    let bytes = shown.text.as_bytes();
    let before = shown.before(anchor.start);
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte)) {
        return None;
    }
    let enclosing = Quote::before(bytes, anchor.start);
    // The host, or the login of all hosts.
    let host = word(bytes, anchor.end, enclosing)?;
    let begins = matches!(before, None | Some(b'\n' | b'\r')) || enclosing.is_some();
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
        if !KEYS.iter().any(|known| name.eq_ignore_ascii_case(known)) {
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
    let after = bytes.get(from..)?;
    let gap = after.iter().take(MAX_GAP_BYTES + 1);
    let start = from + gap.take_while(|byte| byte.is_ascii_whitespace()).count();
    let rest = bytes.get(start..)?;
    let ends = |at: &usize| {
        let is_closing = enclosing.is_some() && Quote::at(bytes, start + at) == enclosing;
        is_closing || rest[*at].is_ascii_whitespace()
    };
    let len = (0..rest.len().min(MAX_WORD_BYTES + 1)).find(ends);
    let len = len.unwrap_or_else(|| rest.len().min(MAX_WORD_BYTES + 1));
    (len > 0 && len <= MAX_WORD_BYTES).then_some(start..start + len)
}
