//! What was typed hidden into a session, kept in memory so that no row shows it when the terminal does.

use std::collections::VecDeque;
use std::fmt::{Debug, Formatter};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Stands in rows for what was typed hidden.
pub(crate) const HIDDEN: &str = "<hidden>";

/// Hidden texts that a session remembers; older ones go.
const MAX_TEXTS: usize = 16;

/// Bytes of each that are remembered.
const MAX_TEXT_BYTES: usize = 4096;

/// A shorter line says `<hidden>` everywhere and hides nothing.
const MIN_LINE_CHARS: usize = 4;

/// The last hidden texts of one session; never on disk.
#[derive(Default)]
pub(crate) struct HiddenTexts(Mutex<VecDeque<Secret>>);

impl Debug for HiddenTexts {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("HiddenTexts")
    }
}

/// A text that is overwritten when it is forgotten.
struct Secret(Vec<u8>);

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.fill(0);
        // Else the compiler may leave out a write that nobody reads.
        std::hint::black_box(&self.0);
    }
}

impl HiddenTexts {
    /// Remembers a text, each line of which is masked from now on; returns false when there is nothing to mask in it.
    pub(crate) fn remember(&self, text: &str) -> bool {
        if lines_of(text).next().is_none() {
            return false;
        }
        let end = text.floor_char_boundary(MAX_TEXT_BYTES);
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts.retain(|known| known.0 != text.as_bytes()[..end]);
        while texts.len() >= MAX_TEXTS {
            texts.pop_front();
        }
        texts.push_back(Secret(text.as_bytes()[..end].to_vec()));
        true
    }

    /// True when nothing is to be masked.
    pub(crate) fn is_empty(&self) -> bool {
        let texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts.is_empty()
    }

    /// All that is remembered, for the next process.
    pub(crate) fn texts(&self) -> Vec<String> {
        let texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = |secret: &Secret| String::from_utf8_lossy(&secret.0).into_owned();
        texts.iter().map(text).collect()
    }

    /// The longest line that is remembered, in bytes; 0 when there is none.
    pub(super) fn longest_line(&self) -> usize {
        let texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = texts
            .iter()
            .flat_map(|text| text.0.split(u8::is_ascii_control));
        lines.map(<[u8]>::len).max().unwrap_or(0)
    }

    /// Returns the part `shown` of `text` with [`HIDDEN`] in place of what is remembered, also of what of it is at
    /// the part's border.
    pub(crate) fn mask(&self, text: &str, shown: Range<usize>) -> String {
        let places = self.places_in(text).into_iter();
        part_of(text, shown, places.map(|place| (place, HIDDEN)))
    }

    /// Where in `text` something stands that is remembered, by its begin.
    pub(super) fn places_in(&self, text: &str) -> Vec<Range<usize>> {
        let texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if texts.is_empty() {
            return Vec::new();
        }
        let squeezed = Squeezed::of(text);
        let texts = texts
            .iter()
            .filter_map(|text| std::str::from_utf8(&text.0).ok());
        let mut found: Vec<Range<usize>> = texts
            .flat_map(lines_of)
            .flat_map(|line| squeezed.places_of(&line))
            .collect();
        found.sort_unstable_by_key(|place| place.start);
        found
    }
}

/// Returns the part `shown` of `text` with a mask at each of the places, which are in order of their begins; where they
/// overlap the first one counts.
pub(super) fn part_of(
    text: &str,
    shown: Range<usize>,
    places: impl Iterator<Item = (Range<usize>, &'static str)>,
) -> String {
    let mut masked = String::new();
    let mut at = shown.start;
    for (place, mask) in places {
        if place.end <= at || place.start >= shown.end {
            continue;
        }
        if place.start >= at || masked.is_empty() {
            masked.push_str(&text[at..place.start.max(at)]);
            masked.push_str(mask);
        }
        at = place.end.min(shown.end);
    }
    masked.push_str(&text[at..shown.end]);
    masked
}

/// The lines of a text as they are looked for: what is between keys like Enter.
fn lines_of(text: &str) -> impl Iterator<Item = String> {
    text.split(char::is_control)
        .map(|line| line.chars().filter(|c| counts(*c)).collect::<String>())
        .filter(|line| line.chars().count() >= MIN_LINE_CHARS)
}

/// Line editors wrap and redraw, and patterns quote: blanks and backslashes do not count.
fn counts(c: char) -> bool {
    !c.is_whitespace() && !c.is_control() && c != '\\'
}

/// A text without what does not count, and where each of its bytes stands in the text.
struct Squeezed {
    text: String,
    places: Vec<usize>,
}

impl Squeezed {
    fn of(text: &str) -> Self {
        let mut squeezed = Self {
            text: String::with_capacity(text.len()),
            places: Vec::with_capacity(text.len()),
        };
        for (at, c) in text.char_indices().filter(|(_, c)| counts(*c)) {
            squeezed.text.push(c);
            squeezed.places.extend(at..at + c.len_utf8());
        }
        squeezed
    }

    /// Where `line` stands in the text that was squeezed.
    fn places_of(&self, line: &str) -> Vec<Range<usize>> {
        self.text
            .match_indices(line)
            .map(|(at, line)| self.places[at]..self.places[at + line.len() - 1] + 1)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(texts: &[&str], text: &str) -> String {
        let hidden = HiddenTexts::default();
        for text in texts {
            hidden.remember(text);
        }
        hidden.mask(text, 0..text.len())
    }

    #[test]
    fn every_line_of_a_hidden_text_is_masked() {
        assert_eq!(
            masked(
                &["hunter2\r", "first\nsecond"],
                "a hunter2, second firsthunter2!"
            ),
            "a <hidden>, <hidden> <hidden><hidden>!"
        );
        assert_eq!(masked(&["hunter2"], "nothing of it"), "nothing of it");
    }

    #[test]
    fn wrapped_and_quoted_texts_are_masked() {
        assert_eq!(masked(&["hun ter-2"], "x hu \r\nnter-2 y"), "x <hidden> y");
        assert_eq!(masked(&["hunter-2.5"], r"x hunter\-2\.5 y"), "x <hidden> y");
        assert_eq!(masked(&["pässwört"], "é pässwört é"), "é <hidden> é");
    }

    #[test]
    fn lines_that_overlap_are_masked_once() {
        assert_eq!(masked(&["abcdef", "defghi"], "-abcdefghi-"), "-<hidden>-");
    }

    #[test]
    fn what_is_short_hides_nothing() {
        assert_eq!(masked(&["yes", "\r", "a b c"], "yes a b c"), "yes a b c");
    }

    #[test]
    fn what_reaches_over_a_border_is_masked() {
        let hidden = HiddenTexts::default();
        hidden.remember("hunter2");
        let text = "say hunter2 twice: hunter2";
        assert_eq!(hidden.mask(text, 6..21), "<hidden> twice: <hidden>");
        assert_eq!(hidden.mask(text, 6..8), "<hidden>");
        assert_eq!(hidden.mask(text, 0..4), "say ");
    }

    #[test]
    fn only_the_last_texts_are_remembered_each_once() {
        let hidden = HiddenTexts::default();
        hidden.remember("the first");
        for number in 0..40 {
            hidden.remember(&format!("number {}", number % 15));
        }
        assert_eq!(hidden.mask("the first", 0..9), HIDDEN);
        hidden.remember("one more");
        assert_eq!(hidden.mask("the first", 0..9), "the first");
        assert_eq!(hidden.longest_line(), 9);
    }
}
