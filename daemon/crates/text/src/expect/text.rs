//! The text that a search reads, with the position of each byte in the session's output.

use std::collections::VecDeque;

use encoding_rs::Encoding;
use memchr::memchr_iter;

use super::decode::{Decoder, Sink};
use super::strip::{C1_LEAD, Stripper, is_c1};

/// Maximum number of runs (24 bytes each).
const MAX_RUNS: usize = 1 << 18;

/// Maximum size of buffers that are kept for the next search.
const SPARE_TEXT_BYTES: usize = 64 << 10;
const SPARE_RUNS: usize = 4096;

/// The input of a search: raw output, cleaned and decoded, of which only the last part is kept.
/// Offsets in the text count from the start of the search, offsets in the raw
/// output from the start of the session.
pub(super) struct Text {
    /// `None` if the text is the raw output.
    cleaner: Option<(Stripper, Decoder)>,
    raw_start: u64,
    raw_fed: u64,
    kept: Kept,
}

/// The kept text with the offset of its first byte, and its runs.
#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    base: u64,
    runs: VecDeque<Run>,
}

/// Text from `text` on comes from the raw output from `raw` on: byte for byte if `unit_raw_bytes` is 0, else as a whole
/// from that many raw bytes.
#[derive(Clone, Copy)]
struct Run {
    text: u64,
    raw: u64,
    unit_raw_bytes: u64,
}

impl Text {
    pub(super) fn new() -> Self {
        Self {
            cleaner: None,
            raw_start: 0,
            raw_fed: 0,
            kept: Kept::default(),
        }
    }

    /// Starts again at the raw offset `raw_start`; without an encoding, the text is the raw output.
    pub(super) fn begin(&mut self, raw_start: u64, encoding: Option<&'static Encoding>) {
        self.cleaner = encoding.map(|encoding| (Stripper::new(), Decoder::new(encoding)));
        self.raw_start = raw_start;
        self.raw_fed = raw_start;
        self.kept.base = 0;
        self.kept.bytes.clear();
        self.kept.runs.clear();
    }

    /// Frees buffers that are too large to be kept for the next search.
    pub(super) fn shrink(&mut self) {
        self.kept.bytes.clear();
        self.kept.bytes.shrink_to(SPARE_TEXT_BYTES);
        self.kept.runs.clear();
        self.kept.runs.shrink_to(SPARE_RUNS);
    }

    pub(super) fn feed(&mut self, raw: &[u8]) {
        let offset = self.raw_fed;
        self.raw_fed += raw.len() as u64;
        let kept = &mut self.kept;
        let Some((stripper, decoder)) = &mut self.cleaner else {
            kept.same(offset, raw);
            return;
        };
        let start = self.raw_start;
        if decoder.is_between_chars() && raw.is_ascii() {
            stripper.feed_runs(raw, |at, run| kept.same(start + at, run));
        } else {
            let mut text = WithoutC1(kept);
            stripper.feed_runs(raw, |at, run| decoder.decode(start + at, run, &mut text));
        }
    }

    /// Returns whether a `\r` waits for the next byte.
    pub(super) fn holds_return(&self) -> bool {
        let cleaner = self.cleaner.as_ref();
        cleaner.is_some_and(|(stripper, _)| stripper.holds_return())
    }

    /// Appends the waiting `\r` to the text.
    pub(super) fn release_return(&mut self) {
        if let Some((stripper, decoder)) = &mut self.cleaner
            && let Some(at) = stripper.take_return()
        {
            decoder.decode(self.raw_start + at, b"\r", &mut self.kept);
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.kept.bytes
    }

    /// Returns the offset of the first kept byte.
    pub(super) fn base(&self) -> u64 {
        self.kept.base
    }

    pub(super) fn end(&self) -> u64 {
        self.kept.end()
    }

    pub(super) fn from(&self, offset: u64) -> &[u8] {
        &self.kept.bytes[self.kept.index(offset)..]
    }

    pub(super) fn slice(&self, start: u64, end: u64) -> &[u8] {
        &self.kept.bytes[self.kept.index(start)..self.kept.index(end)]
    }

    /// Returns the raw offset at which the character at `offset` starts.
    pub(super) fn raw_start_of(&self, offset: u64) -> u64 {
        match self.kept.run_of(offset) {
            Some(run) if run.unit_raw_bytes == 0 => run.raw + (offset - run.text),
            Some(run) => run.raw,
            None => self.raw_start,
        }
    }

    /// Returns the raw offset after the byte before `offset`. Control sequences after that byte are not part of it.
    pub(super) fn raw_end_of(&self, offset: u64) -> u64 {
        let Some(last) = offset.checked_sub(1) else {
            return self.raw_start;
        };
        match self.kept.run_of(last) {
            Some(run) if run.unit_raw_bytes == 0 => run.raw + (last - run.text) + 1,
            Some(run) => run.raw + run.unit_raw_bytes,
            None => self.raw_start,
        }
    }

    /// Returns the offset before which text must be discarded because it has too many runs.
    pub(super) fn crowded_before(&self) -> Option<u64> {
        let runs = &self.kept.runs;
        (runs.len() > MAX_RUNS).then(|| runs[runs.len() / 2].text)
    }

    /// Discards the raw positions of text before `offset`.
    pub(super) fn forget_places_before(&mut self, offset: u64) {
        let runs = &mut self.kept.runs;
        // The byte before is kept, because an empty match ends there.
        while runs.get(1).is_some_and(|next| next.text < offset) {
            runs.pop_front();
        }
    }

    pub(super) fn forget_before(&mut self, offset: u64) {
        let gone = self.kept.index(offset);
        self.kept.bytes.drain(..gone);
        self.kept.base += gone as u64;
        self.forget_places_before(self.kept.base);
    }
}

impl Kept {
    fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    /// Returns the index of `offset` in the kept bytes, limited to their ends.
    fn index(&self, offset: u64) -> usize {
        let index = offset.saturating_sub(self.base);
        self.bytes
            .len()
            .min(usize::try_from(index).unwrap_or(usize::MAX))
    }

    fn run_of(&self, offset: u64) -> Option<&Run> {
        let after = self.runs.partition_point(|run| run.text <= offset);
        self.runs.get(after.checked_sub(1)?)
    }
}

impl Sink for Kept {
    fn same(&mut self, raw: u64, text: &[u8]) {
        let end = self.end();
        let goes_on = self.runs.back().is_some_and(|last| {
            last.unit_raw_bytes == 0 && end - last.text == raw.wrapping_sub(last.raw)
        });
        if !goes_on {
            self.runs.push_back(Run {
                text: end,
                raw,
                unit_raw_bytes: 0,
            });
        }
        self.bytes.extend_from_slice(text);
    }

    fn unit(&mut self, start: u64, end: u64, text: &[u8]) {
        self.runs.push_back(Run {
            text: self.end(),
            raw: start,
            unit_raw_bytes: end - start,
        });
        self.bytes.extend_from_slice(text);
    }
}

/// Returns where UTF-8 text has a control of eight bits, two bytes long.
fn c1_at(text: &[u8]) -> Option<usize> {
    let mut leads = memchr_iter(C1_LEAD, text);
    leads.find(|at| matches!(text.get(at + 1), Some(0x80..=0x9f)))
}

/// Passes decoded text on without the controls that [`is_c1`] finds.
struct WithoutC1<'a>(&'a mut Kept);

impl Sink for WithoutC1<'_> {
    fn same(&mut self, mut raw: u64, mut text: &[u8]) {
        while let Some(at) = c1_at(text) {
            self.0.same(raw, &text[..at]);
            raw += (at + 2) as u64;
            text = &text[at + 2..];
        }
        self.0.same(raw, text);
    }

    fn unit(&mut self, start: u64, end: u64, text: &[u8]) {
        let is_gone = std::str::from_utf8(text).is_ok_and(|text| text.chars().all(is_c1));
        if !is_gone {
            self.0.unit(start, end, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &[u8], encoding: Option<&'static Encoding>) -> Text {
        let mut text = Text::new();
        text.begin(100, encoding);
        raw.chunks(1).for_each(|byte| text.feed(byte));
        text
    }

    #[test]
    fn offsets_lead_back_to_the_raw_bytes() {
        let text = text(b"ab\x1b[1mcd\x1b[0m\r\ne", Some(encoding_rs::UTF_8));
        assert_eq!(text.bytes(), b"abcd\ne");
        assert_eq!((text.raw_start_of(2), text.raw_end_of(2)), (106, 102));
        assert_eq!((text.raw_start_of(4), text.raw_end_of(5)), (113, 114));
        assert_eq!(text.raw_end_of(0), 100);
    }

    #[test]
    fn a_decoded_character_maps_to_all_its_bytes() {
        let text = text(b"x\x92\x5c\x1b[m\xffy", Some(encoding_rs::SHIFT_JIS));
        let shown = std::str::from_utf8(text.bytes()).unwrap();
        let end = shown.find('\u{fffd}').unwrap() as u64;
        assert_eq!((text.raw_start_of(1), text.raw_end_of(end)), (101, 103));
        assert_eq!(
            (text.raw_start_of(end), text.raw_end_of(end + 3)),
            (106, 107)
        );
    }

    #[test]
    fn controls_of_eight_bits_are_no_text() {
        let raw = "ab\u{9b}c\u{80}\u{9f}d\u{a0}".as_bytes();
        for chunk_len in [1, 3, raw.len()] {
            let mut text = Text::new();
            text.begin(100, Some(encoding_rs::UTF_8));
            raw.chunks(chunk_len).for_each(|chunk| text.feed(chunk));
            assert_eq!(text.bytes(), "abcd\u{a0}".as_bytes());
            assert_eq!((text.raw_start_of(2), text.raw_end_of(2)), (104, 102));
            assert_eq!((text.raw_start_of(3), text.raw_end_of(4)), (109, 110));
        }
    }

    #[test]
    fn without_an_encoding_nothing_changes() {
        let text = text(b"\x1b[1m\xff\r\n", None);
        assert_eq!(text.bytes(), b"\x1b[1m\xff\r\n");
        assert_eq!(text.raw_end_of(5), 105);
    }

    #[test]
    fn forgotten_text_leaves_the_offsets_of_the_rest() {
        let mut text = text(b"ab\x1b[1mcd\x1b[0mef", Some(encoding_rs::UTF_8));
        text.forget_before(4);
        assert_eq!((text.base(), text.bytes()), (4, &b"ef"[..]));
        assert_eq!((text.raw_start_of(4), text.raw_end_of(6)), (112, 114));
        assert_eq!(text.raw_end_of(4), 108);
    }
}
