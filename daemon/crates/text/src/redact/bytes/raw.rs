//! Secrets in the bytes of a terminal, where control sequences, line editing and borders of chunks may be inside them.

use super::view::{Source, View, control_strings, readable};
use crate::redact::engine::{MASK, MAX_PASSES, Redactor, Shown, merge};
use crate::redact::rules::in_force;
use std::borrow::Cow;
use std::ops::Range;

/// How much of a line before a secret is known together with it.
const MAX_CONTEXT_BYTES: usize = 64;

/// Chunks without their secrets.
#[derive(Debug)]
pub struct RedactedChunks {
    /// As many chunks as before. A mask is in the chunk where its secret starts; a chunk may be empty.
    pub chunks: Vec<Vec<u8>>,
    /// How many masks each chunk contains.
    pub removed: Vec<usize>,
    /// The secrets, as a reader sees them, each also with what is before it in its line. One may be listed twice.
    pub texts: Vec<String>,
}

impl RedactedChunks {
    pub fn concat(&self) -> Vec<u8> {
        self.chunks.concat()
    }

    /// Returns the number of masks.
    pub fn count(&self) -> usize {
        self.removed.iter().sum()
    }
}

/// Replaces every secret in a stream of bytes, including those that cross the border of chunks, by [`MASK`].
/// Rules see the text without control sequences, and the text that a line editor left. A secret is replaced from its
/// first to its last byte, with the control sequences in between; every other byte is kept. Takes time linear in the
/// length.
pub fn redact_chunks<C: Into<Vec<u8>>>(
    chunks: impl IntoIterator<Item = C>,
    source: Source,
) -> RedactedChunks {
    let redactor = in_force();
    let mut chunks: Vec<Vec<u8>> = chunks.into_iter().map(Into::into).collect();
    let mut removed = vec![0; chunks.len()];
    let mut texts = Vec::new();
    // A mask may join what a secret separated, as in `Redactor::redact`.
    for pass in 0..MAX_PASSES {
        let found = match &chunks[..] {
            [chunk] => RawSecrets::new(&redactor, chunk, source),
            _ => RawSecrets::new(&redactor, &chunks.concat(), source),
        };
        if found.places.is_empty() {
            break;
        }
        mask(&mut chunks, &found.places, &mut removed);
        if pass == 0 {
            texts = found.texts;
        }
    }
    RedactedChunks {
        chunks,
        removed,
        texts,
    }
}

/// Returns a typed text with every secret replaced by [`MASK`], as in the same text on a tape.
pub fn redact_typed(text: &str) -> Cow<'_, str> {
    let redacted = redact_chunks([text], Source::Typed);
    match redacted.count() {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(String::from_utf8_lossy(&redacted.concat()).into_owned()),
    }
}

/// The secrets of raw bytes.
#[derive(Default)]
struct RawSecrets {
    /// Places in the raw bytes, in ascending order.
    places: Vec<Range<usize>>,
    texts: Vec<String>,
}

impl RawSecrets {
    fn new(redactor: &Redactor, raw: &[u8], source: Source) -> Self {
        let mut found = Self::default();
        found.search(redactor, &View::without_sequences(raw), source);
        if let Some(edited) = View::as_edited(raw, source) {
            found.search(redactor, &edited, source);
        }
        for string in control_strings(raw) {
            let content = readable(raw[string.clone()].to_vec());
            let inside = redactor.find(content.as_str().into()).into_iter();
            let inside = inside.map(|at| string.start + at.start..string.start + at.end);
            found.places.extend(inside);
        }
        merge(&mut found.places);
        found
    }

    fn search(&mut self, redactor: &Redactor, view: &View, source: Source) {
        let shown = view.shown();
        let mut places = redactor.find(shown);
        if source == Source::Typed {
            // A program reads line by line, however many were typed at once.
            for (start, line, seams) in shown.lines() {
                let found = redactor.find(Shown::with_seams(line, &seams));
                let found = found.into_iter();
                places.extend(found.map(|place| start + place.start..start + place.end));
            }
            merge(&mut places);
        }
        for place in places {
            self.places.push(view.raw(&place));
            self.texts.push(in_its_line(shown.text, &place).to_owned());
            self.texts.push(shown.text[place].to_owned());
        }
    }
}

/// Returns the secret at `place` with what is before it in its line: a short secret alone may be an innocent word
/// elsewhere.
fn in_its_line<'t>(text: &'t str, place: &Range<usize>) -> &'t str {
    let start = text.floor_char_boundary(place.start.saturating_sub(MAX_CONTEXT_BYTES));
    let before = &text[start..place.start];
    let start = before
        .rfind(['\r', '\n'])
        .map_or(start, |end| start + end + 1);
    text[start..place.end].trim_start()
}

/// Puts [`MASK`] at `places` of the concatenated chunks, and counts the masks of each chunk.
pub(super) fn mask(chunks: &mut [Vec<u8>], places: &[Range<usize>], counts: &mut [usize]) {
    let mut next = 0;
    let mut start = 0;
    for (chunk, count) in chunks.iter_mut().zip(counts) {
        let end = start + chunk.len();
        let mut clean = Vec::with_capacity(chunk.len());
        let mut copied = start;
        while let Some(place) = places.get(next).filter(|place| place.start < end) {
            if place.start >= start {
                clean.extend_from_slice(&chunk[copied - start..place.start - start]);
                clean.extend_from_slice(MASK.as_bytes());
                *count += 1;
            }
            copied = place.end.min(end);
            if place.end > end {
                break; // its rest is in the next chunk
            }
            next += 1;
        }
        clean.extend_from_slice(&chunk[copied - start..]);
        *chunk = clean;
        start = end;
    }
}
