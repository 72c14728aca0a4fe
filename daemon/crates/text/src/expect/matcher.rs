//! Searches the output of a session for the first match of a list of patterns.

use std::ops::Range;
use std::sync::Arc;

use encoding_rs::Encoding;
use regex_automata::Span;

use super::match_end::MatchEnd;
use super::patterns::Patterns;
use super::search::Scratch;

/// Maximum text before a match that is kept for [`Hit::before`].
pub const BEFORE_BYTES: usize = 1 << 20;

/// Maximum length of a growing match before its start is discarded.
pub(super) const LOOK_BACK_BYTES: usize = 4 << 20;

/// How much output is searched before unneeded text is discarded.
const PIECE_BYTES: usize = 64 << 10;

/// A match. Offsets are bytes of raw output since the start of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The pattern's index in the list.
    pub index: usize,
    /// Offset of the first byte of the match.
    pub start: u64,
    /// Offset after the last byte of the match, where the next search starts. Control sequences and `\r` directly after
    /// it belong to the rest. It equals `start` for an empty match, which is therefore found there again.
    pub end: u64,
    pub matched: Vec<u8>,
    /// The groups, the first one being the whole match; `None` for a group that took no part.
    pub groups: Vec<Option<Vec<u8>>>,
    /// The positions of the groups in `matched`.
    pub group_places: Vec<Option<Range<usize>>>,
    /// The last [`BEFORE_BYTES`] of the text between the start of the search and the match.
    pub before: Vec<u8>,
    /// Number of bytes of the text before `before`.
    pub before_omitted_bytes: u64,
    /// Whether the match is so much longer than [`LOOK_BACK_BYTES`] that its start was discarded: then `matched` is its
    /// last part, the other groups are `None`, and `start` is the earliest possible start. `end` is exact.
    pub matched_truncated: bool,
}

/// A search that is fed the output as it arrives, and reads each byte once.
/// The text starts where the search starts: `^`, `\A` and `\b` match there, whatever came before, and it is outside any
/// control sequence.
pub struct Matcher {
    patterns: Arc<Patterns>,
    position: u64,
    cut: Option<Cut>,
    undecided: bool,
    /// `None` after the match.
    scratch: Option<Box<Scratch>>,
}

/// The remaining information about the start of a match that has grown too long.
struct Cut {
    safe: u64,
    raw_start: u64,
    before: Vec<u8>,
    before_omitted_bytes: u64,
}

impl Matcher {
    /// Returns a search for `patterns` in the output from the raw offset `start_offset` on.
    /// `encoding` is that of the session, ASCII-compatible; a raw list ignores it.
    pub fn new(patterns: Arc<Patterns>, start_offset: u64, encoding: &'static Encoding) -> Self {
        let mut scratch = patterns.take_scratch();
        let encoding = (!patterns.raw).then_some(encoding);
        scratch.text.begin(start_offset, encoding);
        scratch.search.begin();
        let undecided = scratch.is_undecided();
        Self {
            patterns,
            position: start_offset,
            cut: None,
            undecided,
            scratch: Some(scratch),
        }
    }

    /// Searches further output; returns the match as soon as further bytes cannot change it, and nothing after that.
    pub fn feed(&mut self, raw: &[u8]) -> Option<Hit> {
        let mut scratch = self.scratch.take()?;
        for piece in raw.chunks(PIECE_BYTES) {
            self.position += piece.len() as u64;
            let searched = scratch.text.end();
            scratch.text.feed(piece);
            if let Some(found) = scratch.advance(searched) {
                return Some(self.finish(scratch, found));
            }
            self.forget(&mut scratch);
        }
        let end = scratch.text.end();
        if let Some(found) = scratch.search.settled(end) {
            return Some(self.finish(scratch, found));
        }
        self.undecided = scratch.is_undecided();
        self.scratch = Some(scratch);
        None
    }

    /// Returns whether [`Matcher::pause`] would return a match now: one that could still grow, or that needs the end of
    /// the text.
    pub fn undecided(&self) -> bool {
        self.undecided
    }

    /// Decides as if the output ended here, because it pauses or has ended; if there is no match, the search can be
    /// continued.
    /// A `\r` at the very end, which the next byte may still turn into the end of a line, only counts if the patterns
    /// match with it and not without. An incomplete character does not count.
    pub fn pause(&mut self) -> Option<Hit> {
        if !self.undecided {
            return None;
        }
        let mut scratch = self.scratch.take()?;
        let found = scratch.match_at_end()?;
        Some(self.finish(scratch, found))
    }

    /// Returns the raw offset up to which the search was fed.
    pub fn position(&self) -> u64 {
        self.position
    }

    fn finish(&mut self, scratch: Box<Scratch>, found: MatchEnd) -> Hit {
        self.undecided = false;
        let cut = self
            .cut
            .take()
            .filter(|cut| cut.safe == scratch.search.safe());
        let hit = scratch.hit(&self.patterns, found, cut);
        self.patterns.put_scratch(scratch);
        hit
    }

    /// Discards text that no match and no `before` can need.
    fn forget(&mut self, scratch: &mut Scratch) {
        let Scratch { search, text } = scratch;
        let safe = search.safe();
        text.forget_places_before(safe);
        let mut keep_from = safe.saturating_sub(BEFORE_BYTES as u64);
        if keep_from < text.base() + BEFORE_BYTES as u64 {
            // Moving the rest to the front is only worth it if much is discarded.
            keep_from = 0;
        }
        if text.end() - safe > LOOK_BACK_BYTES as u64 {
            keep_from = text.end() - LOOK_BACK_BYTES as u64 / 2;
        }
        keep_from = keep_from.max(text.crowded_before().unwrap_or(0));
        if keep_from >= safe.max(1) && self.cut.as_ref().is_none_or(|cut| cut.safe != safe) {
            let (before, before_omitted_bytes) = scratch.before(safe, &self.patterns);
            self.cut = Some(Cut {
                safe,
                raw_start: scratch.text.raw_start_of(safe),
                before,
                before_omitted_bytes,
            });
        }
        if keep_from > 0 {
            scratch.text.forget_before(keep_from);
        }
    }
}

impl Drop for Matcher {
    fn drop(&mut self) {
        if let Some(scratch) = self.scratch.take() {
            self.patterns.put_scratch(scratch);
        }
    }
}

impl Scratch {
    fn advance(&mut self, searched: u64) -> Option<MatchEnd> {
        self.search.advance(searched, &self.text)
    }

    fn is_undecided(&mut self) -> bool {
        self.search.is_undecided(&self.text)
    }

    fn match_at_end(&mut self) -> Option<MatchEnd> {
        let found = self.search.match_at_end(self.text.end());
        if found.is_some() || !self.text.holds_return() {
            return found;
        }
        let searched = self.text.end();
        self.text.release_return();
        let found = self.advance(searched);
        found.or_else(|| self.search.match_at_end(self.text.end()))
    }

    fn hit(&self, patterns: &Patterns, found: MatchEnd, cut: Option<Cut>) -> Hit {
        let text = &self.text;
        let locator = patterns.locator(found.pattern);
        let bytes = text.bytes();
        let end = bytes.len() - text.from(found.end).len();
        let least = self.search.safe().saturating_sub(text.base());
        let least = end.min(usize::try_from(least).unwrap_or(usize::MAX));
        let start = locator.start(bytes, least, end, text.base() == 0);
        let span = Span {
            start: start.unwrap_or(0),
            end,
        };
        let groups = match start {
            Some(_) => locator.groups(bytes, span),
            None => locator.only_whole(span),
        };
        let copy = |span: Span| bytes[span.range()].to_vec();
        let start_offset = text.base() + span.start as u64;
        let raw_end = text.raw_end_of(found.end);
        let (raw_start, (before, before_omitted_bytes)) = match cut {
            Some(cut) if start.is_none() => (cut.raw_start, (cut.before, cut.before_omitted_bytes)),
            _ if span.start == end => (raw_end, self.before(start_offset, patterns)),
            _ => (
                text.raw_start_of(start_offset),
                self.before(start_offset, patterns),
            ),
        };
        Hit {
            index: locator.index(),
            start: raw_start,
            end: raw_end,
            matched: copy(span),
            group_places: groups
                .iter()
                .map(|group| group.map(|group| group.start - span.start..group.end - span.start))
                .collect(),
            groups: groups.into_iter().map(|group| group.map(copy)).collect(),
            before,
            before_omitted_bytes,
            matched_truncated: start.is_none(),
        }
    }

    /// Returns the kept text before `offset`, and how much is left out.
    fn before(&self, offset: u64, patterns: &Patterns) -> (Vec<u8>, u64) {
        let first = offset.saturating_sub(BEFORE_BYTES as u64);
        let mut before = self.text.slice(first, offset);
        if !patterns.raw && before.len() as u64 != offset {
            // Not in the middle of a character.
            let is_inside = |byte: &u8| (0x80..0xc0).contains(byte);
            let inside = before.iter().take_while(|byte| is_inside(byte)).count();
            before = &before[inside..];
        }
        (before.to_vec(), offset - before.len() as u64)
    }
}
