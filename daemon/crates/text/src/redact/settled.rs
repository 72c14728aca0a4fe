//! How much of a text that goes on is decided.

use super::pem;
use super::redactor::{Redactor, in_force};
use super::view::readable;

/// Most bytes that stay undecided: a secret that is longer is taken out piece by piece, where it has blanks.
pub const MAX_UNDECIDED_BYTES: usize = pem::MAX_BLOCK_BYTES;

const PEM_BEGIN: &[u8] = b"-----BEGIN ";
const DASHES: &[u8] = b"-----";

/// Returns how many bytes of `text` no continuation changes the redaction of: that much may be written now.
///
/// What comes behind the first sign of a secret in the last line is not decided before the line ends, and a private key
/// not before its end. Rules of the user may begin anywhere in the last line.
pub fn settled(text: impl AsRef<[u8]>) -> usize {
    settled_by(&in_force(), text.as_ref())
}

fn settled_by(redactor: &Redactor, text: &[u8]) -> usize {
    let line = memchr::memrchr2(b'\n', b'\r', text).map_or(0, |end| end + 1);
    let rest = &text[line..];
    let in_line = if redactor.has_user_rules() || rest.iter().any(|byte| is_control(*byte)) {
        line
    } else {
        line + redactor.first_anchor(rest).unwrap_or(rest.len())
    };
    let decided = match open_key(&text[..line]) {
        Some(key) => before_secret(redactor, text, key.min(in_line)),
        None => in_line,
    };
    if text.len() - decided <= MAX_UNDECIDED_BYTES {
        return decided;
    }
    // A line, or what looked like a key, that does not end.
    let blank = text.iter().rposition(|byte| byte.is_ascii_whitespace());
    blank.map_or(text.len(), |blank| blank + 1)
}

/// Where the line begins that has the begin of a private key without an end.
fn open_key(lines: &[u8]) -> Option<usize> {
    let window = lines.len().saturating_sub(MAX_UNDECIDED_BYTES);
    let begin = window + memchr::memmem::rfind(&lines[window..], PEM_BEGIN)?;
    let body = begin + pem::begin_len(&lines[begin..])?;
    let is_open = memchr::memmem::find(&lines[body..], DASHES).is_none();
    // In that line there may be other secrets, which the key is a part of.
    let line = memchr::memrchr2(b'\n', b'\r', &lines[..begin]).map_or(0, |end| end + 1);
    is_open.then_some(line)
}

/// A key that was cut off may go on into the line where the next one begins.
fn before_secret(redactor: &Redactor, text: &[u8], at: usize) -> usize {
    let secrets = redactor.places(&readable(text.to_vec()));
    let straddling = secrets
        .iter()
        .find(|secret| secret.start < at && at < secret.end);
    straddling.map_or(at, |secret| secret.start)
}

/// Sequences and erased characters may be inside of a sign.
fn is_control(byte: u8) -> bool {
    (byte < b' ' && byte != b'\t') || byte == 0x7f
}
