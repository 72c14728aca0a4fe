//! Texts that are shown in part.

use ccd_text::redact::redact;

pub(crate) const TITLE_CHARS: usize = 100;
/// Of a message of a failure and of an error of the build.
pub(crate) const MESSAGE_CHARS: usize = 200;

/// Of a text that are looked at for its first line.
const LOOKED_AT_BYTES: usize = 16 * 1024;

/// Returns the first line that says something, of at most `max` characters and without secrets: once a text is cut, half a
/// secret is not recognised any more.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    let text = &text[..text.floor_char_boundary(LOOKED_AT_BYTES)];
    let text = redact(text).text;
    // A carriage return alone ends a line, too.
    let mut lines = text.split(['\n', '\r']);
    let line = lines.find(|line| !line.trim().is_empty());
    ccd_base::clip::clip(line.unwrap_or(""), max)
}

/// Returns at most `max` characters without secrets; the last one of a text that was longer is `…`.
pub(crate) fn clip(text: &str, max: usize) -> String {
    ccd_base::clip::clip(&redact(text).text, max)
}
