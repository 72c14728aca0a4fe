//! The secrets of one session: hidden input, and those that a rule has recognised. They are kept in memory, to be
//! masked where the terminal shows them or where they are typed again.

use crate::redact::{KnownTexts, Source, TypedLines, part_of, redact_chunks};
use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::fmt::{Debug, Formatter};
use std::ops::Range;

/// Replaces hidden input in records.
pub const HIDDEN: &str = "<hidden>";

/// Maximum number of hidden inputs that a session remembers; older ones are dropped.
const MAX_TEXTS: usize = 16;

/// Maximum length of each that is remembered.
const MAX_TEXT_BYTES: usize = 4096;

/// Maximum number of recognised lines that are remembered; older ones are dropped.
const MAX_RECOGNISED: usize = 128;

/// In a longer input, rules find secrets whole, in bytes.
const MAX_INPUT_BYTES: usize = 64 * 1024;

/// A shorter line occurs in too much other text, and is not masked: in bytes as typed, in characters as shown.
const MIN_LINE_LEN: usize = 4;

/// The last secrets of one session; never on disk.
#[derive(Default)]
pub struct HiddenTexts(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// As the program received them.
    typed: VecDeque<Secret>,
    /// The part of a line that was typed in several inputs, so far.
    open: Secret,
    /// Single lines.
    recognised: VecDeque<Secret>,
    lines: TypedLines,
}

/// A text that is overwritten when it is dropped.
#[derive(Default, PartialEq)]
struct Secret(String);

impl Drop for Secret {
    fn drop(&mut self) {
        let mut bytes = std::mem::take(&mut self.0).into_bytes();
        bytes.fill(0);
        // Otherwise the compiler may omit a write that nothing reads.
        std::hint::black_box(&bytes);
    }
}

impl Debug for HiddenTexts {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("HiddenTexts")
    }
}

impl HiddenTexts {
    /// Remembers hidden input; each of its lines is masked from now on. Returns false if there is nothing to mask.
    pub fn remember(&self, text: &str) -> bool {
        let end = text.floor_char_boundary(MAX_TEXT_BYTES);
        let text = edited(&text[..end]);
        if long_lines(&text).next().is_none() {
            return false;
        }
        let mut known = self.known();
        known.typed.retain(|before| before.0 != text);
        push(&mut known.typed, text, MAX_TEXTS);
        true
    }

    /// Remembers a part of hidden input; `is_last` if it ends the line. The parts of a line are masked as one text.
    /// Returns false if there is nothing to mask.
    pub fn remember_part(&self, text: &str, is_last: bool) -> bool {
        let mut known = self.known();
        let before = edited(&known.open.0);
        let whole = format!("{}{text}", known.open.0);
        known
            .typed
            .retain(|typed| before.is_empty() || typed.0 != before);
        known.open = if is_last || whole.len() > MAX_TEXT_BYTES {
            Secret::default()
        } else {
            Secret(whole.clone())
        };
        drop(known);
        self.remember(&Secret(whole).0)
    }

    /// Notes that the next hidden input starts a line.
    pub fn end_line(&self) {
        self.known().open = Secret::default();
    }

    /// Remembers the lines that a rule has found, except common words; false if there are none.
    pub fn recognise<T: AsRef<str>>(&self, texts: &[T]) -> bool {
        let texts = texts.iter().map(AsRef::as_ref);
        let lines: Vec<&str> = texts.flat_map(KnownTexts::distinctive_lines).collect();
        lines.iter().for_each(|line| self.add(line));
        !lines.is_empty()
    }

    /// Remembers a line of a secret that has several lines.
    pub fn add(&self, line: &str) {
        let mut known = self.known();
        let is_known = known.recognised.iter().any(|before| before.0 == line);
        if line.len() <= MAX_TEXT_BYTES && !is_known {
            push(&mut known.recognised, line.to_owned(), MAX_RECOGNISED);
        }
    }

    /// Returns how far a secret of several lines has been typed.
    pub fn typed_lines(&self) -> TypedLines {
        self.known().lines
    }

    pub fn set_typed_lines(&self, lines: TypedLines) {
        self.known().lines = lines;
    }

    /// Takes each input; returns whether it goes on with a secret of several lines that an earlier one has begun.
    /// `is_part`: its last line goes on in the next one.
    pub fn goes_on(&self, input: &str, is_part: bool) -> bool {
        if input.len() > MAX_INPUT_BYTES {
            return false;
        }
        let lines = self.known().lines.take(input.as_bytes(), is_part);
        let texts = lines.iter().flat_map(|lines| &lines.texts);
        texts.for_each(|text| self.add(text));
        lines.is_some()
    }

    pub fn is_empty(&self) -> bool {
        self.known().typed.is_empty()
    }

    pub fn texts(&self) -> Vec<String> {
        self.show(|texts| texts.iter().map(|text| (*text).to_owned()).collect())
    }

    /// Passes all hidden input to `see`.
    pub fn show<T>(&self, see: impl FnOnce(&[&str]) -> T) -> T {
        let known = self.known();
        let texts: Vec<&str> = known.typed.iter().map(|text| &*text.0).collect();
        see(&texts)
    }

    pub fn recognised(&self) -> Vec<String> {
        let known = self.known();
        known.recognised.iter().map(|line| line.0.clone()).collect()
    }

    /// Returns the hidden lines that are masked in recorded output.
    pub fn lines(&self) -> Vec<String> {
        let known = self.known();
        let lines = known.typed.iter().flat_map(|text| long_lines(&text.0));
        lines.map(str::to_owned).collect()
    }

    /// Returns whether one of these secrets is typed again in `raw`, except secrets that rules recognise there anyway.
    pub fn are_in(&self, raw: &[u8]) -> bool {
        let has = |raw: &[u8], text: &str| memchr::memmem::find(raw, text.as_bytes()).is_some();
        let known = self.known();
        let mut typed = known.typed.iter().flat_map(|text| long_lines(&text.0));
        let in_raw: Vec<&Secret> = known
            .recognised
            .iter()
            .filter(|line| has(raw, &line.0))
            .collect();
        let is_left = || {
            let clean = redact_chunks([raw], Source::Typed).concat();
            in_raw.iter().any(|line| has(&clean, &line.0))
        };
        typed.any(|line| has(raw, line)) || (!in_raw.is_empty() && is_left())
    }

    /// Returns the length of the longest hidden line in bytes; 0 if there is none.
    pub fn longest_line(&self) -> usize {
        let known = self.known();
        let lines = known
            .typed
            .iter()
            .flat_map(|text| text.0.split(|c: char| c.is_ascii_control()));
        lines.map(str::len).max().unwrap_or(0)
    }

    /// Returns the part `shown` of `text` with [`HIDDEN`] in place of remembered texts, even where the part contains
    /// only a part of one.
    pub fn mask(&self, text: &str, shown: Range<usize>) -> String {
        let places = self.places_in(text).into_iter();
        part_of(text, shown, places.map(|place| (place, HIDDEN)))
    }

    /// Returns the ranges of hidden input in `text`, sorted by start.
    pub(super) fn places_in(&self, text: &str) -> Vec<Range<usize>> {
        let known = self.known();
        if known.typed.is_empty() {
            return Vec::new();
        }
        let squeezed = Squeezed::new(text);
        let lines = known.typed.iter().flat_map(|text| lines_of(&text.0));
        let mut found: Vec<Range<usize>> =
            lines.flat_map(|line| squeezed.places_of(&line)).collect();
        found.sort_unstable_by_key(|place| place.start);
        found
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock()
    }
}

fn push(texts: &mut VecDeque<Secret>, text: String, max: usize) {
    while texts.len() >= max {
        texts.pop_front();
    }
    texts.push_back(Secret(text));
}

/// Returns a line as the program received it: without its Enter, and without characters erased by Backspace and Ctrl-U.
fn edited(typed: &str) -> String {
    let mut text = String::with_capacity(typed.len());
    for c in typed.chars() {
        match c {
            '\u{8}' | '\u{7f}' if !text.ends_with(['\r', '\n']) => drop(text.pop()),
            '\u{15}' => text.truncate(text.rfind(['\r', '\n']).map_or(0, |end| end + 1)),
            _ => text.push(c),
        }
    }
    text.truncate(text.trim_end_matches(['\r', '\n']).len());
    text
}

/// Returns the lines that are long enough to be masked as typed.
fn long_lines(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.split(['\r', '\n']);
    lines.filter(|line| line.len() >= MIN_LINE_LEN)
}

/// Returns the lines of a text as they are searched on screens: the parts between keys such as Enter.
fn lines_of(text: &str) -> impl Iterator<Item = String> {
    text.split(char::is_control)
        .map(|line| line.chars().filter(|c| counts(*c)).collect::<String>())
        .filter(|line| line.chars().count() >= MIN_LINE_LEN)
}

/// Line editors wrap and redraw, and patterns quote: blanks and backslashes are ignored.
fn counts(c: char) -> bool {
    !c.is_whitespace() && !c.is_control() && c != '\\'
}

/// A text without ignored characters, with the original position of each byte.
struct Squeezed {
    text: String,
    places: Vec<usize>,
}

impl Squeezed {
    fn new(text: &str) -> Self {
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

    /// Returns where `line` occurs in the original text.
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
        let two = ["hunter2\r", "first\nsecond"];
        let text = masked(&two, "a hunter2, second firsthunter2!");
        assert_eq!(text, "a <hidden>, <hidden> <hidden><hidden>!");
        for (hidden, text, expected) in [
            (&["hunter2"][..], "nothing of it", "nothing of it"),
            // Wrapped, quoted, not ASCII, and two that overlap.
            (&["hun ter-2"], "x hu \r\nnter-2 y", "x <hidden> y"),
            (&["hunter-2.5"], r"x hunter\-2\.5 y", "x <hidden> y"),
            (&["pässwört"], "é pässwört é", "é <hidden> é"),
            (&["abcdef", "defghi"], "-abcdefghi-", "-<hidden>-"),
            // What is short hides nothing.
            (&["yes", "\r", "a b c"], "yes a b c", "yes a b c"),
        ] {
            assert_eq!(masked(hidden, text), expected);
        }
    }

    #[test]
    fn a_line_that_was_typed_in_parts_is_masked_as_a_whole() {
        let hidden = HiddenTexts::default();
        let mask = |text: &str| hidden.mask(text, 0..text.len());
        assert!(!hidden.remember_part("hun", false));
        assert!(hidden.remember_part("ter2", false));
        assert_eq!(mask("say hunter2!"), "say <hidden>!");
        hidden.remember_part("\n", true);
        hidden.remember_part("geheim", true);
        assert_eq!(mask("hunter2 geheim"), "<hidden> <hidden>");
        hidden.remember_part("sesa", false);
        hidden.end_line();
        hidden.remember_part("me-open", true);
        assert_eq!(mask("sesa me-open sesame"), "<hidden> <hidden> <hidden>me");
        for letter in "one by one".chars() {
            hidden.remember_part(&letter.to_string(), false);
        }
        assert_eq!(hidden.texts().len(), 5);
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

    #[test]
    fn what_is_typed_again_is_known() {
        let hidden = HiddenTexts::default();
        hidden.remember("Corro\u{7f}\u{7f}rect9\r");
        hidden.remember("wrong one\u{15}Geheim7\r");
        hidden.remember("pin\r");
        for (raw, is_there) in [
            (&b"x Correct9 y"[..], true),
            (b"Correct9", true),
            (b"Geheim7\r", true),
            (b"my Corre", false),
            (b"wrong one", false),
            // Too short to be significant.
            (b"pin", false),
        ] {
            assert_eq!(hidden.are_in(raw), is_there, "{raw:?}");
        }
        let next = HiddenTexts::default();
        assert!(hidden.texts().iter().all(|text| next.remember(text)));
        assert_eq!(next.lines(), ["Correct9", "Geheim7"]);
    }

    #[test]
    fn what_a_rule_has_found_is_known_where_no_rule_finds_it() {
        let hidden = HiddenTexts::default();
        assert!(hidden.recognise(&["Qx7hunterzz99w", "production"]));
        assert!(!hidden.recognise(&["production"]));
        for (raw, is_there) in [
            (&b"echo Qx7hunterzz99w\r"[..], true),
            (b"export DB_PASSWORD=Qx7hunterzz99w\r", false),
            (b"echo Qx7hun", false),
            (b"echo production\r", false),
        ] {
            assert_eq!(hidden.are_in(raw), is_there, "{raw:?}");
        }
        assert!(hidden.is_empty(), "it was not typed hidden");
        (0..200).for_each(|number| hidden.add(&format!("secret-{number:03}")));
        assert_eq!(hidden.recognised().len(), MAX_RECOGNISED);
    }
}
