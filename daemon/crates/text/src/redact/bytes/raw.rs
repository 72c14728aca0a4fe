//! Secrets in the bytes of a terminal, where control sequences, line editing and borders of chunks may stand inside
//! of them.

use super::view::{Source, View, control_strings, readable};
use crate::redact::engine::{MASK, MAX_PASSES, Redactor, in_force, merge};
use std::ops::Range;

/// Returns output of a terminal with [`MASK`] in place of every secret, and how many were replaced.
///
/// Rules look at the text without control sequences, and also at what a line editor left of it. What goes is from the
/// first to the last byte of the secret, with the control sequences in between; every other byte stays as it is.
/// Takes time linear in the length.
pub fn redact_bytes(raw: &[u8]) -> (Vec<u8>, usize) {
    in_one(raw, Source::Output)
}

/// Likewise of what was typed: there `\r` is the Enter key, which no secret but a private key has inside, and erased
/// characters may stand inside of a secret.
pub fn redact_typed(raw: &[u8]) -> (Vec<u8>, usize) {
    in_one(raw, Source::Typed)
}

/// Replaces the secrets of output that comes in chunks, also those that lie over a border; returns how many.
///
/// The mask stands in the chunk where its secret begins. Every other byte stays in its chunk; a chunk may be empty
/// afterwards.
pub fn redact_chunks(chunks: &mut [Vec<u8>]) -> usize {
    redact_each(chunks, Source::Output).iter().sum()
}

/// Likewise of output or of what was typed; returns how many masks each chunk got.
pub fn redact_each(chunks: &mut [Vec<u8>], source: Source) -> Vec<usize> {
    let redactor = in_force();
    let mut removed = vec![0; chunks.len()];
    // A mask may bring together what a secret kept apart, as in `Redactor::redact`.
    for _ in 0..MAX_PASSES {
        let found = match chunks {
            [chunk] => secrets(&redactor, chunk, source),
            _ => secrets(&redactor, &chunks.concat(), source),
        };
        if found.is_empty() {
            break;
        }
        mask(chunks, &found, &mut removed);
    }
    removed
}

fn in_one(raw: &[u8], source: Source) -> (Vec<u8>, usize) {
    let mut chunks = [raw.to_vec()];
    let removed = redact_each(&mut chunks, source).iter().sum();
    let [clean] = chunks;
    (clean, removed)
}

/// The texts that the rules find in what was typed or printed, as they are read.
pub fn secret_texts(raw: &[u8], source: Source) -> Vec<String> {
    let redactor = in_force();
    let views = [
        Some(View::without_sequences(raw)),
        View::as_edited(raw, source),
    ];
    let texts = views.iter().flatten().flat_map(|view| {
        let shown = view.shown();
        let found = redactor.find(shown).into_iter();
        found.map(move |place| shown.text[place].to_owned())
    });
    texts.collect()
}

/// Where secrets stand in `raw`, in order.
fn secrets(redactor: &Redactor, raw: &[u8], source: Source) -> Vec<Range<usize>> {
    let plain = View::without_sequences(raw);
    let find = |view: &View| -> Vec<Range<usize>> {
        let found = redactor.find(view.shown()).into_iter();
        found.map(|at| view.raw(&at)).collect()
    };
    let mut found = find(&plain);
    if let Some(edited) = View::as_edited(raw, source) {
        found.extend(find(&edited));
    }
    for string in control_strings(raw) {
        let content = readable(raw[string.clone()].to_vec());
        let inside = redactor.find(content.as_str().into()).into_iter();
        found.extend(inside.map(|at| string.start + at.start..string.start + at.end));
    }
    merge(&mut found);
    found
}

/// Puts [`MASK`] at `places` of the concatenated chunks, and counts those of each.
pub(in crate::redact) fn mask(
    chunks: &mut [Vec<u8>],
    places: &[Range<usize>],
    counts: &mut [usize],
) {
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
                break; // the rest of it lies in the next chunk
            }
            next += 1;
        }
        clean.extend_from_slice(&chunk[copied - start..]);
        *chunk = clean;
        start = end;
    }
}
