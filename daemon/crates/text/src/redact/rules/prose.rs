//! Secrets that a sentence states: `my password is hunter2`, `the token is 9f86d081884c7d65`.
//! Most sentences of that form state something else: "the password is wrong".

use super::key::{KeyKind, secret_key};
use super::placeholder::{MAX_COMPARED_BYTES, is_placeholder};
use super::scan::{after, before, blanks, is_mixed, is_name, is_one_of, run_len, tail_len};
use super::value::{Ending, Quote, bare_end};
use crate::redact::engine::Shown;
use crate::words::{WordList, words};
use std::ops::Range;

/// Maximum length of a name on either side of its anchor, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// How much before a name is searched for its owner, in bytes.
const MAX_OWNER_BYTES: usize = 24;

/// A shorter number is a count: "the password is 12 characters long".
const MIN_DIGITS: usize = 4;

/// A shorter token is a word or a version.
const MIN_TOKEN_BYTES: usize = 16;

/// Words after "my password is" that are not the password. Words that end as a participle or an adverb are not listed.
static STATES: WordList = WordList::new(|| words(include_str!("words/states.txt")));

/// Words after `password:` that say what it is about: `password: field on the login page`.
static SUBJECTS: WordList = WordList::new(|| words(include_str!("words/subjects.txt")));

/// Words with digits that name how a password is stored.
const FORMATS: &[&str] = &[
    "base64", "sha", "md5", "utf", "argon2", "pbkdf2", "bcrypt", "aes", "rsa", "oauth2", "x509",
    "http", "sso", "ntlm",
];

/// Returns the secret that a sentence states after the name at `anchor`.
pub(super) fn stated(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = shown.text.as_bytes();
    let begin = anchor.start - tail_len(before(bytes, anchor.start, MAX_NAME_BYTES), is_name);
    let end = anchor.end + run_len(after(bytes, anchor.end, MAX_NAME_BYTES), is_name);
    let start = after_verb(bytes, end)?;
    let horizon = bytes.len().min(start + MAX_COMPARED_BYTES + 1);
    let quote = Quote::at(bytes, start);
    let (value, is_over) = match quote {
        Some(quote) => {
            let inner = start + quote.len();
            let value = inner..quote.content_end(&bytes[..horizon], inner);
            let is_closed = quote.is_at(bytes, value.end);
            (is_closed.then_some(value)?, true)
        }
        None => said(bytes, start, horizon)?,
    };
    let word = &bytes[value.clone()];
    // The cheap checks first: most sentences of this form state no secret.
    let is_token = is_token(word);
    let is_password = is_chosen(word, is_over)
        || (is_over && (quote.is_some() || follows(bytes, begin, &["my", "our"])));
    if !(is_token || is_password) || is_state(word) || is_placeholder(word) {
        return None;
    }
    let is_secret = match secret_key(&shown.text[begin..end])?.kind {
        KeyKind::Password => is_password,
        KeyKind::Generated | KeyKind::Authorization => is_token,
    };
    is_secret.then_some(value)
}

/// Returns the word that starts at `start`, without the punctuation after it, and whether its clause ends there; `None`
/// if it is longer than what somebody says.
fn said(bytes: &[u8], start: usize, horizon: usize) -> Option<(Range<usize>, bool)> {
    let end = bare_end(&bytes[..horizon], start, Ending::Blank);
    if end == horizon && horizon < bytes.len() {
        return None;
    }
    let value = start..end - tail_len(&bytes[start..end], |byte| b".,;:!?)\"'`".contains(&byte));
    let is_over = value.end < end || ends_sentence(bytes, end);
    (!value.is_empty()).then_some((value, is_over))
}

/// Returns where a value starts after "is" or "was".
fn after_verb(bytes: &[u8], name_end: usize) -> Option<usize> {
    let verb = name_end + blanks(bytes, name_end);
    let words = ["is", "was"].iter();
    let mut lens = words.map(|word| word.len());
    let len = lens.find(|len| is_one_of(after(bytes, verb, *len), &["is", "was"]))?;
    let colon = verb + len + usize::from(bytes.get(verb + len) == Some(&b':'));
    let start = colon + blanks(bytes, colon);
    (verb > name_end && start > colon && start < bytes.len()).then_some(start)
}

/// Returns whether a word has the shape of a password that somebody chose: it is not a word of a language.
fn is_chosen(word: &[u8], is_over: bool) -> bool {
    let has_digit = word.iter().any(u8::is_ascii_digit);
    let has_letter = word.iter().any(u8::is_ascii_alphabetic);
    let has_sign = word.iter().any(|byte| b"!@#$%^&*+=?~".contains(byte));
    if has_digit && !has_letter && !has_sign {
        return is_over && word.len() >= MIN_DIGITS && word.iter().all(u8::is_ascii_digit);
    }
    word.len() >= MIN_DIGITS && has_letter && (has_digit || has_sign) && !is_code(word)
}

/// Returns whether a word after `password:` has letters and digits like a password that somebody chose.
pub(super) fn is_mixed_password(word: &[u8]) -> bool {
    const MIN_BYTES: usize = 6; // a shorter one may be the number of a task: `T012`
    word.len() >= MIN_BYTES && word.iter().any(u8::is_ascii_digit) && is_chosen(word, false)
}

/// Returns whether a word is a call, a path, or names a format: `validate(x2)`, `/etc/x1`, `base64-encoded`.
fn is_code(word: &[u8]) -> bool {
    let lower = word.to_ascii_lowercase();
    let is_format = |format: &&str| lower.starts_with(format.as_bytes());
    word.iter().any(|byte| b"()/\\<>{}[]".contains(byte)) || FORMATS.iter().any(is_format)
}

fn is_token(word: &[u8]) -> bool {
    let is_part = |byte: &u8| is_name(*byte) || b".~+/=".contains(byte);
    word.len() >= MIN_TOKEN_BYTES && is_mixed(word) && word.iter().all(is_part)
}

/// Returns whether a word after `password:` describes a password instead of being one.
pub(super) fn is_description(word: &[u8]) -> bool {
    is_state(word) || is_one_of(word, &SUBJECTS)
}

fn is_state(word: &[u8]) -> bool {
    let lower = word.to_ascii_lowercase();
    let has_end = |end: &&str| lower.ends_with(end.as_bytes());
    let is_compound = lower.iter().any(|byte| b"-'".contains(byte));
    let is_letter = |byte: &u8| byte.is_ascii_lowercase() || b"-'".contains(byte);
    lower.iter().all(is_letter)
        && (is_compound
            || ["ed", "ing", "ly", "ble", "en"].iter().any(has_end)
            || is_one_of(&lower, &STATES))
}

fn ends_sentence(bytes: &[u8], at: usize) -> bool {
    let rest = &bytes[at + blanks(bytes, at)..];
    rest.first().is_none_or(|byte| b"\r\n".contains(byte))
        || rest.starts_with(b"and ")
        || rest.starts_with(b"- ")
}

/// Returns whether the words before a name say that its value follows: "log in with", "use".
pub(super) fn is_announced(bytes: &[u8], begin: usize) -> bool {
    follows(bytes, begin, &["with", "use", "using"])
}

/// Returns whether one of `wanted` is before `begin` in its clause.
fn follows(bytes: &[u8], begin: usize, wanted: &[&str]) -> bool {
    let window = before(bytes, begin, MAX_OWNER_BYTES);
    let is_break = |byte: &u8| b".,;:!?\r\n".contains(byte);
    let clause = window.rsplit(is_break).next().unwrap_or_default();
    let mut words = clause.split(|byte| *byte == b' ');
    words.any(|word| is_one_of(word, wanted))
}
