//! Texts of others as a page shows them: without what was meant for a terminal, and with a name for what nobody can see.

use ccd_base::clip::clip;
use ccd_base::number::grouped;
use ccd_base::visible::is_unseen;
use ccd_text::escape::{Piece, Splitter};
use std::borrow::Cow;

/// The signs of [`Markup`](crate::markup::Markup), which no text contains: control characters are shown by name. A browser keeps
/// a text that has only characters up to U+00FF in half the memory.
pub(crate) const SIGNS: [char; 3] = ['\u{91}', '\u{92}', '\u{9c}'];

const C0_NAMES: [&str; 32] = [
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "TAB", "LF", "VT", "FF", "CR",
    "SO", "SI", "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC",
    "FS", "GS", "RS", "US",
];

/// Returns the name of an unseen character: `ESC`, `U+202E`.
pub(crate) fn name_of(c: char) -> Cow<'static, str> {
    let number = u32::from(c);
    match C0_NAMES.get(number as usize) {
        Some(name) => (*name).into(),
        None if number == 0x7f => "DEL".into(),
        None => format!("U+{number:04X}").into(),
    }
}

/// Returns a text without sequences for a terminal.
pub(crate) fn without_sequences(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return text.into();
    }
    let mut kept = Vec::with_capacity(text.len());
    Splitter::new().pieces(text.as_bytes(), |piece| {
        if let Piece::Text(bytes) = piece {
            kept.extend_from_slice(bytes);
        }
    });
    String::from_utf8_lossy(&kept).into_owned().into()
}

/// Returns a text for a label, with the names of unseen characters in their places: `‹ESC›`.
pub(crate) fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in without_sequences(text).chars() {
        if is_unseen(c) {
            shown.push('‹');
            shown.push_str(&name_of(c));
            shown.push('›');
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Returns the start of a text in one line, at most `max` characters.
pub(crate) fn gist(text: &str, max: usize) -> String {
    // Only what the line can need is looked at: the text may have megabytes.
    let start: String = text.chars().take(max * 8).collect();
    let start = without_sequences(&start);
    let words: Vec<&str> = start.split_whitespace().collect();
    clip(&plain(&words.join(" ")), max)
}

/// Returns the start of Markdown in one line, without the signs that mean nothing there.
pub(crate) fn gist_of_markdown(text: &str, max: usize) -> String {
    let start = gist(text, max + 40).replace("**", "").replace('`', "");
    clip(start.trim_start_matches(['#', ' ']), max)
}

/// Returns `1 line`, `3,000 lines`.
pub(crate) fn plural(number: usize, what: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {what}{s}", grouped(number as u64))
}

/// Returns `340 ms`, `2.5 s`, `3 min 20 s`.
pub(crate) fn duration(ms: f64) -> String {
    match ms {
        ms if ms < 1000.0 => format!("{ms:.0} ms"),
        ms if ms < 60_000.0 => format!("{:.1} s", ms / 1000.0),
        ms => format!(
            "{:.0} min {:.0} s",
            (ms / 60_000.0).floor(),
            ms % 60_000.0 / 1000.0
        ),
    }
}

/// Returns a size: `340 B`, `1.2 kB`, `3.4 MB`.
pub(crate) fn bytes(len: f64) -> String {
    match len {
        len if len < 1e3 => format!("{len:.0} B"),
        len if len < 1e6 => format!("{:.1} kB", len / 1e3),
        len => format!("{:.1} MB", len / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_short_and_visible() {
        for (text, expected) in [
            ("one\n  two", "one two"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("a\u{202e}b\u{91}", "a‹U+202E›b‹U+0091›"),
            ("\u{8}\u{7f}", "‹BS›‹DEL›"),
            ("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrs…"),
            ("👩‍🔬", "👩‍🔬"),
        ] {
            assert_eq!(gist(text, 20), expected);
        }
    }

    #[test]
    fn a_title_has_no_signs_of_markdown() {
        assert_eq!(
            gist_of_markdown("## Fix **the** `total`", 20),
            "Fix the total"
        );
    }

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!(
            [grouped(7), grouped(1234), grouped(1_234_567)],
            ["7", "1,234", "1,234,567"]
        );
        assert_eq!(
            [plural(1, "line"), plural(3000, "line")],
            ["1 line", "3,000 lines"]
        );
        assert_eq!(
            [duration(340.0), duration(2500.0), duration(200_000.0)],
            ["340 ms", "2.5 s", "3 min 20 s"]
        );
        assert_eq!(
            [bytes(340.0), bytes(1234.0), bytes(3.4e6)],
            ["340 B", "1.2 kB", "3.4 MB"]
        );
    }
}
