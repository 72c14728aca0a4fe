//! Texts of agents as they are shown and kept: bounded, without secrets, without control characters.

use ccd_base::clip::clip;
use ccd_base::visible::is_invisible;
use ccd_text::redact::redact;
use std::borrow::Cow;

/// Characters of a text, and of one line.
pub(crate) const TEXT_CHARS: usize = 2000;
pub(crate) const LINE_CHARS: usize = 200;

/// Returns a text of several lines.
pub(crate) fn text(text: &str) -> String {
    let is_kept = |c: &char| *c == '\n' || !is_invisible(*c);
    clip(
        &masked(text).chars().filter(is_kept).collect::<String>(),
        TEXT_CHARS,
    )
}

/// Returns a text in one line; newlines and runs of spaces are one space.
pub(crate) fn line(text: &str) -> String {
    let mut line = String::new();
    for word in masked(text).split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().filter(|c| !is_invisible(*c)));
    }
    clip(&line, LINE_CHARS)
}

/// Masks secrets in the start of a text. A little more is read than is shown: half of a secret may not be recognised.
fn masked(text: &str) -> Cow<'_, str> {
    /// A single word that is shorter is no secret, and looking at each name of a tool would be most of the work of a hook.
    const SHORTEST_SECRET: usize = 16;
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if text.len() < SHORTEST_SECRET && text.bytes().all(is_word) {
        return Cow::Borrowed(text);
    }
    let start = &text[..text.floor_char_boundary(8 * TEXT_CHARS)];
    redact(start).text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_bounded_harmless_and_without_secrets() {
        let long = "word ".repeat(10_000);
        assert_eq!(text(&long).chars().count(), TEXT_CHARS);
        assert_eq!(line(&long).chars().count(), LINE_CHARS);
        assert_eq!(text("a\u{1b}[31m\r\nb\u{202e}"), "a[31m\nb");
        assert_eq!(line("  a\n\n b\tc\u{7} "), "a b c");
        assert!(
            !line("export TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345").contains("ghp_0123")
        );
    }
}
