//! Normalises inputs for matching.

use super::hash::Fingerprint;
use super::scrub::scrub;
use ccd_text::redact::{Source, redact_chunks};
use std::borrow::Cow;

/// Replaces a line on a tape that was typed while the terminal did not echo.
pub(super) const HIDDEN_INPUT: &str = "***";

/// Ctrl-U and Ctrl-W.
const KILL: u8 = 0x15;
const WORD_ERASE: u8 = 0x17;

/// The marks that terminals put around a paste.
const PASTE_MARKS: [&[u8]; 2] = [b"\x1b[200~", b"\x1b[201~"];

/// Returns the normal form of an input for matching: without secrets, paste marks, erased characters, and blanks at
/// line ends; with `\n` for every Enter; and scrubbed.
/// The result is the same for an input that was redacted before.
pub fn normal_input(raw: &[u8]) -> Vec<u8> {
    let mut normal = Vec::with_capacity(raw.len());
    let raw = redacted(raw);
    let mut rest = &raw[..];
    while let Some(end) = memchr::memchr2(b'\r', b'\n', rest) {
        let behind = &rest[end..];
        let len = if behind.starts_with(b"\r\n") { 2 } else { 1 };
        normal.extend_from_slice(without_blanks(&erased(&edited(&rest[..end]))));
        normal.push(b'\n');
        rest = &behind[len..];
    }
    // A blank at the end of an open line is significant.
    normal.extend_from_slice(&edited(rest));
    scrubbed(&normal)
}

impl Fingerprint {
    pub(crate) fn from_input(raw: &[u8]) -> Self {
        Self::new("input", &normal_input(raw))
    }

    /// Returns the hash of a line that was typed while the terminal did not echo; no visible input has the same.
    pub(crate) fn hidden_input() -> Self {
        Self::new("hidden input", b"")
    }
}

/// Returns the normal form of a whole line, without its end, for the chain of inputs.
pub(super) fn normal_line(raw: &[u8]) -> Vec<u8> {
    let line = edited(&redacted(raw));
    scrubbed(without_blanks(&line))
}

/// Returns the normal form of a line that has not ended.
pub(super) fn normal_part(raw: &[u8]) -> Vec<u8> {
    scrubbed(&edited(&redacted(raw)))
}

pub(super) fn redacted(raw: &[u8]) -> Vec<u8> {
    redact_chunks([raw], Source::Typed).concat()
}

pub(super) fn without_blanks(line: &[u8]) -> &[u8] {
    let blanks = line.iter().rev().take_while(|byte| b" \t".contains(byte));
    &line[..line.len() - blanks.count()]
}

/// Removes paste marks, and characters erased by Backspace, from the line.
pub(crate) fn edited(line: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = memchr::memchr3(0x1b, 0x7f, 0x08, rest) {
        kept.extend_from_slice(&rest[..at]);
        let behind = &rest[at..];
        let mark = PASTE_MARKS.iter().find(|mark| behind.starts_with(mark));
        let len = mark.map_or(1, |mark| mark.len());
        // If there is nothing to erase, the key was meant for the program, as any other control byte.
        if mark.is_none() && (behind[0] == 0x1b || !take_back(&mut kept)) {
            kept.push(behind[0]);
        }
        rest = &behind[len..];
    }
    kept.extend_from_slice(rest);
    kept
}

/// Removes what Ctrl-U and Ctrl-W erased from the line, as a terminal in canonical mode does.
/// Only for lines that have ended: in the middle of a line, these keys may be commands of the program, such as
/// scrolling.
pub(super) fn erased(line: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr2(KILL, WORD_ERASE, line).is_none() {
        return Cow::Borrowed(line);
    }
    let mut kept = Vec::with_capacity(line.len());
    for &byte in line {
        let before = kept.len();
        match byte {
            KILL => while take_back(&mut kept) {},
            WORD_ERASE => erase_word(&mut kept),
            _ => {}
        }
        if before == kept.len() {
            kept.push(byte);
        }
    }
    Cow::Owned(kept)
}

/// Removes the last word, and the blanks after it.
fn erase_word(line: &mut Vec<u8>) {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    while line.last().is_some_and(|byte| !is_word(byte)) && take_back(line) {}
    while line.last().is_some_and(is_word) && take_back(line) {}
}

pub(crate) fn ends_line(input: &[u8]) -> bool {
    matches!(input.last(), Some(b'\r' | b'\n'))
}

/// True for text that is being typed and that Enter will end; erased characters do not count.
pub fn is_open_text(typed: &[u8]) -> bool {
    let line = edited(typed);
    let is_text = |byte: &u8| *byte >= b' ' || *byte == b'\t';
    erased(&line).iter().all(is_text)
}

/// Removes the last character, if it is a visible one.
fn take_back(line: &mut Vec<u8>) -> bool {
    let tail = line.iter().rev().take(3);
    let len = tail.take_while(|byte| **byte & 0xc0 == 0x80).count() + 1;
    match line.len().checked_sub(len) {
        Some(start) if line[start] >= b' ' && line[start] != 0x7f => {
            line.truncate(start);
            true
        }
        _ => false,
    }
}

/// Scrubs the parts of `bytes` that are text; other bytes are kept.
fn scrubbed(bytes: &[u8]) -> Vec<u8> {
    let mut changed = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        changed.extend_from_slice(scrub(chunk.valid()).as_bytes());
        changed.extend_from_slice(chunk.invalid());
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(raw: &str) -> String {
        String::from_utf8(normal_input(raw.as_bytes())).unwrap()
    }

    #[test]
    fn how_a_line_ends_and_was_typed_does_not_count() {
        for raw in [
            "select 1;\r",
            "select 1;\r\n",
            "select 1;\n",
            "select 1;  \t\r",
            "\u{1b}[200~select 1;\u{1b}[201~\r",
            "selct\u{7f}\u{7f}ect 1;é\u{8}\r",
        ] {
            assert_eq!(text(raw), "select 1;\n", "{raw:?}");
        }
        assert_eq!(text("a\r\n\r\rb"), "a\n\n\nb");
    }

    #[test]
    fn a_line_or_a_word_that_was_taken_back_does_not_count() {
        for (raw, line) in [
            ("z\u{15}q\r", "q\n"),
            ("a b\u{15}\u{15}q\r", "\u{15}q\n"),
            ("say good bye\u{17}day\r", "say good day\n"),
            ("say foo-bar \u{17}x\r", "say foo-x\n"),
            ("one\u{17}\u{17}two\u{7f}\r", "\u{17}tw\n"),
            ("é\u{15}q\rz\u{15}", "q\nz\u{15}"),
        ] {
            assert_eq!(text(raw), line, "{raw:?}");
        }
        for (typed, is_text) in [
            (&b"z\x15"[..], true),
            (b"z\x15q", true),
            (b"z\x17", true),
            (b"a\tb", true),
            (b"\x15", false),
            (b"\x1b[A", false),
            (b"q\r", false),
        ] {
            assert_eq!(is_open_text(typed), is_text, "{typed:?}");
        }
    }

    #[test]
    fn keys_that_show_nothing_count_as_they_are() {
        #[rustfmt::skip]
        let texts = [
            "\u{1b}[A", "\u{7f}", "\u{3}", " ", "\u{1b}\u{7f}", "\t", "\u{4}",
        ];
        for raw in texts {
            assert_eq!(text(raw), raw, "{raw:?}");
        }
        assert_eq!(normal_input(b"\xff\xfe\r"), b"\xff\xfe\n");
    }

    #[test]
    fn secrets_and_what_changes_from_run_to_run_do_not_count() {
        assert_eq!(
            text("export password=hunter2hunter2\r"),
            "export password=***\n"
        );
        assert_eq!(text("cat /tmp/x.Ab12\r"), "cat <tmp>\n");
    }

    proptest! {
        #[test]
        fn an_input_that_was_redacted_is_the_same(
            raw in "(password=|token: |ghp_[a-zA-Z0-9]{36}|[a-z0-9]{0,12}| |\r|\n|\u{7f}){0,8}"
        ) {
            prop_assert_eq!(normal_input(&redacted(raw.as_bytes())), normal_input(raw.as_bytes()));
        }

        #[test]
        fn any_bytes_are_taken(raw in proptest::collection::vec(any::<u8>(), 0..100)) {
            normal_input(&raw);
        }
    }
}
