//! Texts that are known to be secret.

use crate::redact::MASK;
use crate::tape::format::Exchange;

/// Where the count of an exchange's removed secrets stands in its annotations.
pub(super) const COUNT: &str = "redacted";

/// Adds to what an exchange says of removed secrets.
pub(crate) fn count_removed(exchange: &mut Exchange, removed: usize) {
    if removed > 0 {
        let before = exchange.annotations.get(COUNT);
        let before = before.and_then(serde_json::Value::as_u64).unwrap_or(0);
        let all = before + removed as u64;
        exchange.annotations.insert(COUNT.into(), all.into());
    }
}

/// Puts the mask in place of a text in an exchange's output, also where it goes over the border of chunks; returns how
/// often it stood there.
pub(crate) fn mask_text(exchange: &mut Exchange, text: &[u8]) -> usize {
    let mut chunks: Vec<Vec<u8>> = exchange
        .chunks
        .iter_mut()
        .map(|chunk| std::mem::take(&mut chunk.data))
        .collect();
    let removed = mask_in_chunks(&mut chunks, text);
    for (chunk, data) in exchange.chunks.iter_mut().zip(chunks) {
        chunk.data = data;
    }
    removed
}

/// The mask goes where the text begins; every other byte stays in its chunk. Returns how often it stood there.
fn mask_in_chunks(chunks: &mut [Vec<u8>], text: &[u8]) -> usize {
    let whole = chunks.concat();
    let places: Vec<usize> = memchr::memmem::find_iter(&whole, text).collect();
    if places.is_empty() {
        return 0;
    }
    let (mut start, mut next) = (0, 0);
    for chunk in chunks {
        let end = start + chunk.len();
        let mut clean = Vec::with_capacity(chunk.len());
        let mut copied = start;
        while let Some(&place) = places.get(next).filter(|place| **place < end) {
            // It may have begun in an earlier chunk, which has the mask.
            if place >= start {
                clean.extend_from_slice(&whole[copied..place]);
                clean.extend_from_slice(MASK.as_bytes());
            }
            copied = (place + text.len()).min(end);
            if place + text.len() > end {
                break;
            }
            next += 1;
        }
        clean.extend_from_slice(&whole[copied..end]);
        *chunk = clean;
        start = end;
    }
    places.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hidden_text_is_masked_wherever_chunks_are_cut() {
        let text = b"you typed hunter2 and hunter2!";
        for cut in 0..=text.len() {
            let (a, b) = text.split_at(cut);
            let mut chunks = [a.to_vec(), b.to_vec()];
            assert_eq!(mask_in_chunks(&mut chunks, b"hunter2"), 2);
            assert_eq!(chunks.concat(), b"you typed *** and ***!", "{cut}");
        }
    }
}
