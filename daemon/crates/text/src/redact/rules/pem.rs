//! Private keys.

use super::scan::run_len;
use crate::redact::engine::{Judge, Rule, Shown};
use regex::bytes::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// A private key in PEM, from `BEGIN` to `END`, or to the point where it was cut off.
pub(in crate::redact) const RULE: Rule = Rule {
    anchors: &["-----BEGIN "],
    judge: Judge::One(judge),
};

const DASHES: &str = "-----";

/// How far the end of a block is searched for, in bytes; an RSA key of 16,384 bits has 12,700.
pub(in crate::redact) const MAX_BLOCK_BYTES: usize = 64 * 1024;

/// Maximum length of an `END` line, in bytes.
const MAX_END_BYTES: usize = 64;

/// Maximum length of a header line, in bytes.
const MAX_HEADER_BYTES: usize = 128;

/// Minimum length of a line, in bytes: a shorter one may be a word of the text after the key.
const MIN_LINE_BYTES: usize = 16;

/// The same for a key that an `END` line closes: nothing but prompts can be in it.
const MIN_CLOSED_LINE_BYTES: usize = 12;

/// A line shorter than this is the last line of a block: full lines have 64, 70 or 76 characters.
const MIN_FULL_LINE_BYTES: usize = 60;

/// Maximum length of the first line, in bytes.
const MAX_BEGIN_BYTES: usize = 128;

/// The marker alone, as in a program that searches for it, is innocent.
fn judge(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    let text = shown.text;
    let body = anchor.start + begin_len(&text.as_bytes()[anchor.start..])?;
    let end = block_end(text, body).or_else(|| cut_off_end(text, body))?;
    Some(anchor.start..end)
}

/// Returns the length of the first line of a private key that `bytes` start with.
pub(in crate::redact) fn begin_len(bytes: &[u8]) -> Option<usize> {
    static BEGIN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new("^-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
            .expect("a test compiles every pattern")
    });
    let line = &bytes[..bytes.len().min(MAX_BEGIN_BYTES)];
    BEGIN.find(line).map(|begin| begin.end())
}

/// Returns the end of the `END` line if the next dashes belong to one and a line of the key comes before it.
/// If a key was typed line by line, its lines may have been masked already, and only prompts are left.
fn block_end(text: &str, body: usize) -> Option<usize> {
    let window = &text[body..text.floor_char_boundary(body + MAX_BLOCK_BYTES)];
    let end = body + window.find(DASHES)?;
    let line = &text[end..text.floor_char_boundary(end + MAX_END_BYTES)];
    let label = line.strip_prefix("-----END ")?;
    let label_len = label.find(DASHES)?;
    let is_base64 = |c: char| c.is_ascii() && is_base64(c as u8);
    let mut words = text[body..end].split(|c: char| !is_base64(c));
    words.find(|word| word.len() >= MIN_CLOSED_LINE_BYTES)?;
    Some(end + line.len() - label.len() + label_len + DASHES.len())
}

/// Returns the end of the Base64 lines at `body`, if there are any. Stops at the first text that is not Base64.
fn cut_off_end(text: &str, body: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut end = None;
    let mut offset = body;
    loop {
        // In a quotation, each line starts with `>`.
        let is_between = |byte: u8| byte.is_ascii_whitespace() || byte == b'>';
        offset += run_len(&bytes[offset..], is_between);
        if let Some(header_len) = header_len(&text[offset..]) {
            offset += header_len;
            continue;
        }
        let len = run_len(&bytes[offset..], is_base64);
        offset += len;
        if len >= MIN_LINE_BYTES {
            end = Some(offset);
        }
        let ends_line = matches!(bytes.get(offset), Some(b'\n' | b'\r'));
        if len < MIN_FULL_LINE_BYTES || !ends_line {
            return end;
        }
    }
}

/// Returns the length of the header line of a key, if `text` starts with one.
fn header_len(text: &str) -> Option<usize> {
    let line = &text[..text.floor_char_boundary(MAX_HEADER_BYTES)];
    is_header(line).then(|| line.find('\n').unwrap_or(line.len()))
}

/// Returns whether a line is a header, such as `Proc-Type: 4,ENCRYPTED` or `Version: 3`.
pub(in crate::redact) fn is_header(line: &str) -> bool {
    let is_name = |name: &str| {
        let is_part = |byte: u8| byte.is_ascii_alphabetic() || byte == b'-';
        !name.is_empty() && name.bytes().all(is_part)
    };
    line.split_once(": ").is_some_and(|(name, _)| is_name(name))
}

/// Includes the backslash of keys that were written on one line with `\n`.
fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=\\".contains(&byte)
}
