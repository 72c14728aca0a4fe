//! Secrets that a name gives away: `PASSWORD=…`, `"token": "…"`, `api_key: …`, `X-Api-Key: …`, `--password …`.

use super::key::{self, KeyKind, SecretKey, normalized, secret_key};
use super::prose;
use super::scan::{MAX_BLANKS, after, before, blanks, is_name, run_len, tail_len};
use super::value::Quote;
use super::{sql, tokens};
use crate::redact::engine::{Judge, Rule, Shown, TwoSecrets};
use std::ops::Range;

/// Values whose name ends with a word for a secret.
pub(super) fn rule() -> Rule {
    Rule {
        anchors: &key::ANCHORS,
        judge: Judge::Two(judge),
    }
}

/// Maximum length of a name on either side of its anchor, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// Maximum length of a remark between a name and its colon, in bytes.
const MAX_REMARK_BYTES: usize = 48;

/// A name, the separator after it, and where its value starts.
pub(super) struct Assignment<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) name: &'a str,
    /// Where the name starts.
    pub(super) begin: usize,
    pub(super) key: SecretKey,
    pub(super) separator: Separator,
    /// Where the value starts, including its quote.
    pub(super) start: usize,
    /// The quote that was opened before the name and is still open.
    pub(super) enclosing: Option<Quote>,
    pub(super) position: Position,
}

/// What separates a name from its value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    Equals,
    Colon,
    /// The blank after `--password`.
    Blank,
    /// `<password>`
    Tag,
}

/// Where a name is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    LineStart,
    /// After a bracket, a comma or an open quote.
    ListStart,
    /// In the middle of a sentence.
    Prose,
}

fn judge(shown: Shown<'_>, anchor: Range<usize>) -> TwoSecrets {
    let assigned = Assignment::around(shown.text, anchor.clone()).and_then(|found| found.secret());
    // In a sentence and in a statement, no separator precedes the value.
    let stated = assigned.or_else(|| prose::stated(shown, anchor.clone()));
    match stated.or_else(|| tokens::notion(shown, anchor.start)) {
        Some(secret) => [Some(secret), None],
        None => sql::after_password(shown, anchor.start),
    }
}

impl<'a> Assignment<'a> {
    fn around(text: &'a str, anchor: Range<usize>) -> Option<Self> {
        let bytes = text.as_bytes();
        let start = before(bytes, anchor.start, MAX_NAME_BYTES);
        let begin = anchor.start - tail_len(start, |byte| is_name(byte) || byte == b'.');
        let is_assigned = bytes[anchor.end - 1] == b'=';
        let end = anchor.end - usize::from(is_assigned);
        let end = end + run_len(after(bytes, end, MAX_NAME_BYTES), is_name);
        let name = &text[begin..end];
        let pass = key::PASS;
        let key = secret_key(name).or((is_assigned && key::is_pass(name)).then_some(pass))?;

        let mut enclosing = Quote::before(bytes, begin);
        let mut at = end;
        if enclosing.is_some_and(|quote| quote.is_at(bytes, at)) {
            at += enclosing.take().map_or(0, Quote::len);
            at += usize::from(bytes.get(at) == Some(&b']')); // name["password"] = …
        }
        let (separator, start) = separator(bytes, at, name, begin)?;
        Some(Self {
            bytes,
            name,
            begin,
            key,
            separator,
            start,
            enclosing,
            position: position(bytes, begin),
        })
    }
}

/// Returns the separator after a name, and where the value starts.
fn separator(bytes: &[u8], at: usize, name: &str, begin: usize) -> Option<(Separator, usize)> {
    let is_tag = begin > 0 && bytes[begin - 1] == b'<';
    if is_tag && bytes.get(at) == Some(&b'>') {
        return Some((Separator::Tag, at + 1));
    }
    let at = at + bold_len(bytes, at);
    let sign = at + blanks(bytes, at);
    let sign = sign + remark_len(bytes, sign);
    let (separator, len) = match bytes.get(sign..)? {
        [b':', b':', ..] => return None,
        // `:-` sets the default of a shell variable: ${PASSWORD:-hunter2}.
        [b':', b'=' | b'-', ..] | [b'=', b'=' | b'>', ..] => (Separator::Equals, 2),
        [b'=', ..] => (Separator::Equals, 1),
        [b':', ..] => (Separator::Colon, 1),
        // Two blanks separate the columns of a help text.
        _ if name.starts_with("--") && sign == at + 1 && bytes.get(sign) != Some(&b'-') => {
            return Some((Separator::Blank, sign));
        }
        _ if sign == at + 1 && is_short_option(bytes, name, begin, sign) => {
            return Some((Separator::Blank, sign));
        }
        _ if sign > at && is_key_of_aws(bytes, name, sign) => {
            return Some((Separator::Blank, sign));
        }
        _ => return None,
    };
    let start = sign + len + bold_len(bytes, sign + len);
    let value = start + blanks(bytes, start);
    // A comparison in code is not a secret, unless it compares with a literal.
    let compares = bytes[sign..].starts_with(b"==");
    if compares && !matches!(bytes.get(value), Some(b'"' | b'\'' | b'`')) {
        return None;
    }
    Some((separator, value))
}

/// Returns whether a secret access key of AWS, which has 40 characters, follows its name.
fn is_key_of_aws(bytes: &[u8], name: &str, value: usize) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"/+".contains(&byte);
    normalized(name).ends_with("awssecretaccesskey")
        && run_len(after(bytes, value, MAX_NAME_BYTES), is_part) == 40
}

/// Returns whether a name is an option as in `keytool -password hunter2`, and a value follows at `value`. A help text
/// lists such options at the start of lines and in brackets.
fn is_short_option(bytes: &[u8], name: &str, begin: usize, value: usize) -> bool {
    const EXAMPLES: [&[u8]; 6] = [b"pass", b"passwd", b"password", b"pwd", b"arg", b"val"];
    let is_password = secret_key(name).is_some_and(|key| key.kind == KeyKind::Password);
    let is_option = name.starts_with('-') && !name.starts_with("--") && is_password;
    let is_listed =
        begin == 0 || bytes[begin - 1] != b' ' || position(bytes, begin) != Position::Prose;
    let word = after(bytes, value, MAX_NAME_BYTES);
    let word = &word[..run_len(word, |byte| byte > b' ')];
    is_option && !is_listed && !matches!(word, [] | [b'-', ..]) && !EXAMPLES.contains(&word)
}

/// Returns the length of a remark that is followed by a colon: `AWS Secret Access Key [None]: `, `Password (again): `.
fn remark_len(bytes: &[u8], at: usize) -> usize {
    let remark = after(bytes, at, MAX_REMARK_BYTES);
    let close = match remark.first() {
        Some(b'[') => b']',
        Some(b'(') => b')',
        _ => return 0,
    };
    let len = run_len(remark, |byte| byte != close && byte >= b' ');
    let is_remark = remark.get(len) == Some(&close) && bytes.get(at + len + 1) == Some(&b':');
    if is_remark { len + 1 } else { 0 }
}

/// Returns the length of the `**` at `at` that ends bold text in Markdown; a mask is longer.
fn bold_len(bytes: &[u8], at: usize) -> usize {
    let stars = run_len(after(bytes, at, 3), |byte| byte == b'*');
    if stars == 2 { stars } else { 0 }
}

fn position(bytes: &[u8], begin: usize) -> Position {
    let before = before(bytes, begin, MAX_BLANKS);
    if let Some(b'"' | b'\'' | b'`') = before.last() {
        return Position::ListStart;
    }
    for byte in before.iter().rev() {
        match byte {
            b' ' | b'\t' | b'-' | b'>' | b'+' | b'#' => {}
            b'\n' | b'\r' => return Position::LineStart,
            b'{' | b'[' | b'(' | b',' | b';' | b'|' => return Position::ListStart,
            _ => return Position::Prose,
        }
    }
    if begin <= MAX_BLANKS {
        Position::LineStart
    } else {
        Position::Prose
    }
}
