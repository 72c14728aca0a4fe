//! Texts of other programs, without what controls a terminal or misleads a reader.

use ccd_base::visible::is_unseen;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Returns a text without control sequences, and without characters that cannot be seen or that reorder others. Line ends
/// and tabs stay.
pub(crate) fn readable(text: &str) -> String {
    let text = without_sequences(text);
    text.chars().filter(|c| !is_unseen(*c)).collect()
}

/// Returns a text in one line: as [`readable`], and control characters and spaces become one space each time.
pub(crate) fn on_one_line(text: &str) -> String {
    let text = without_sequences(text);
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<String> = words
        .map(readable)
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ")
}

/// Returns a text with each character escaped that cannot be seen or that reorders others, for names: two that differ look
/// different.
pub(crate) fn printable(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || is_unseen(c) {
            clean.extend(c.escape_default());
        } else {
            clean.push(c);
        }
    }
    clean
}

/// Returns a message in one line, otherwise as [`printable`]: it names files of others.
pub(crate) fn message(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    printable(&words.join(" "))
}

fn without_sequences(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find('\u{1b}') else {
        return Cow::Borrowed(text);
    };
    let mut clean = text[..first].to_owned();
    let mut rest = &text[first..];
    while let Some(c) = rest.chars().next() {
        let len = sequence_len(rest).unwrap_or_else(|| {
            clean.push(c);
            c.len_utf8()
        });
        rest = &rest[len..];
    }
    Cow::Owned(clean)
}

/// Returns the length of the control sequence at the start of a text, if there is one: of a colour, of the cursor, of a title.
fn sequence_len(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('\u{1b}')?;
    match rest.bytes().next()? {
        // It may be cut off, or end where another character is.
        b'[' => Some(2 + final_len(&rest[1..], ' '..='?', '@'..='~')),
        b']' | b'P' | b'X' | b'^' | b'_' => {
            let end = rest.find(['\u{7}', '\u{1b}', '\n'])?;
            match &rest[end..] {
                end_of if end_of.starts_with('\u{7}') => Some(end + 2),
                end_of if end_of.starts_with("\u{1b}\\") => Some(end + 3),
                _ => None,
            }
        }
        // Such as a character set.
        b' '..=b'~' => Some(1 + final_len(rest, ' '..='/', '0'..='~')),
        _ => None,
    }
}

/// Returns the length of characters of a kind, and of the one after them if it ends the sequence.
fn final_len(text: &str, inner: RangeInclusive<char>, last: RangeInclusive<char>) -> usize {
    let end = text
        .find(|c: char| !inner.contains(&c))
        .unwrap_or(text.len());
    end + usize::from(text[end..].starts_with(|c: char| last.contains(&c)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sequences_are_removed_whole() {
        for (text, clean) in [
            ("\u{1b}[1;31mred\u{1b}[0m\r\n\tx", "red\n\tx"),
            ("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\b", "ab"),
            ("\u{1b}Pq#0\u{1b}\\a\u{1b}(B\u{1b}[mb\u{1b}7\u{1b}=c", "abc"),
            ("\u{1b}]never ends\nb", "]never ends\nb"),
            ("cut \u{1b}[3", "cut "),
            ("\u{1b}[\u{e4}b\u{1b}", "\u{e4}b"),
            ("a\u{202e}b\u{9b}c\u{e0041}d\u{200d}", "abcd\u{200d}"),
        ] {
            assert_eq!(readable(text), clean, "{text:?}");
        }
    }

    #[test]
    fn texts_cannot_control_the_terminal() {
        assert_eq!(
            on_one_line(" a\n\t\x1b[2Jb\r\n c\u{2066} 1\r2"),
            "a b c 1 2"
        );
        assert_eq!(message(" a\x1b[2J:\n\tb"), "a\\u{1b}[2J: b");
        assert_eq!(printable("a\x1b[2J\u{202e}\n"), "a\\u{1b}[2J\\u{202e}\\n");
    }

    proptest! {
        #[test]
        fn nothing_unseen_is_left(text in "[\u{1b}\\[\\];0-9m(P\u{7}\\\\\n\u{202e}a-z\u{80}-\u{a0}]{0,30}") {
            for text in [readable(&text), printable(&text)] {
                prop_assert!(!text.chars().any(is_unseen));
            }
        }
    }
}
