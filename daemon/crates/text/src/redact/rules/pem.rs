use crate::redact::engine::Shown;
use crate::redact::engine::{Rule, Verdict};
use regex::bytes::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// A private key in PEM, from `BEGIN` to `END`, or to where it was cut off.
pub(in crate::redact) const RULE: Rule = Rule {
    anchors: &["-----BEGIN "],
    judge,
};

const DASHES: &str = "-----";

/// Longest block that is looked through for its end, in bytes; an RSA key of 16,384 bits has 12,700.
pub(in crate::redact) const MAX_BLOCK_BYTES: usize = 64 * 1024;

/// Longest `END` line, in bytes.
const MAX_END_BYTES: usize = 64;

/// Longest header line of an encrypted key, in bytes.
const MAX_HEADER_BYTES: usize = 128;

/// A shorter line may as well be a word of the text behind.
const MIN_LINE_BYTES: usize = 16;

/// A line shorter than this is the last one of a block: full ones have 64 characters, 70 or 76.
const MIN_FULL_LINE_BYTES: usize = 60;

/// Longest first line, in bytes.
const MAX_BEGIN_BYTES: usize = 128;

fn judge(shown: Shown<'_>, anchor: Range<usize>) -> Verdict {
    let text = shown.text;
    let Some(begin_len) = begin_len(&text.as_bytes()[anchor.start..]) else {
        return Verdict::Innocent;
    };
    let body = anchor.start + begin_len;
    match block_end(text, body).or_else(|| cut_off_end(text, body)) {
        Some(end) => Verdict::Secret(anchor.start..end),
        None => Verdict::Innocent, // only the marker, as in a program that looks for it
    }
}

/// Returns the length of the first line of a private key that `bytes` begin with.
pub(in crate::redact) fn begin_len(bytes: &[u8]) -> Option<usize> {
    static BEGIN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new("^-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
            .expect("a test compiles every pattern")
    });
    let line = &bytes[..bytes.len().min(MAX_BEGIN_BYTES)];
    BEGIN.find(line).map(|begin| begin.end())
}

/// Returns the end of the `END` line that closes the block, if the next dashes are one and there is a key between.
///
/// Of a key that was typed line by line the lines may have gone before, and prompts stand there.
fn block_end(text: &str, body: usize) -> Option<usize> {
    let window = &text[body..text.floor_char_boundary(body + MAX_BLOCK_BYTES)];
    let end = body + window.find(DASHES)?;
    let line = &text[end..text.floor_char_boundary(end + MAX_END_BYTES)];
    let label = line.strip_prefix("-----END ")?;
    let label_len = label.find(DASHES)?;
    let is_base64 = |c: char| c.is_ascii() && is_base64(c as u8);
    let mut words = text[body..end].split(|c: char| !is_base64(c));
    words.find(|word| word.len() >= MIN_LINE_BYTES)?;
    Some(end + line.len() - label.len() + label_len + DASHES.len())
}

/// Returns where base64 ends, line by line, if there is any.
///
/// Looks no further than the first text that is no base64.
fn cut_off_end(text: &str, body: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut end = None;
    let mut offset = body;
    loop {
        // A quotation has a sign before each line.
        offset += count(&bytes[offset..], |byte| {
            byte.is_ascii_whitespace() || byte == b'>'
        });
        if let Some(header_len) = header_len(&text[offset..]) {
            offset += header_len;
            continue;
        }
        let len = count(&bytes[offset..], is_base64);
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

/// Returns the length of the header line that an encrypted key has, if `text` begins with one.
fn header_len(text: &str) -> Option<usize> {
    let is_header = text.starts_with("Proc-Type:") || text.starts_with("DEK-Info:");
    let line = &text[..text.floor_char_boundary(MAX_HEADER_BYTES)];
    is_header.then(|| line.find('\n').unwrap_or(line.len()))
}

fn count(bytes: &[u8], wanted: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| wanted(**byte)).count()
}

/// The backslash stands in keys that were written as one line with `\n`.
fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=\\".contains(&byte)
}
