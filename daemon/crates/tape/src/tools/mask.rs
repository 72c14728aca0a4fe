//! Masks known secrets.

use crate::format::Exchange;
use ccd_text::redact::KnownTexts;

/// The annotation of an exchange with the number of removed secrets.
const COUNT: &str = "redacted";

/// Adds to the number of removed secrets in an exchange's annotations.
pub fn count_removed(exchange: &mut Exchange, removed: usize) {
    if removed > 0 {
        let before = exchange.annotations.get(COUNT);
        let before = before.and_then(serde_json::Value::as_u64).unwrap_or(0);
        let all = before + removed as u64;
        exchange.annotations.insert(COUNT.into(), all.into());
    }
}

/// Masks known texts in an exchange's output, even across chunks; returns how many there were.
pub fn mask_known(exchange: &mut Exchange, texts: &KnownTexts) -> usize {
    let data = exchange
        .chunks
        .iter_mut()
        .map(|chunk| std::mem::take(&mut chunk.data));
    let mut chunks: Vec<Vec<u8>> = data.collect();
    let removed = texts.mask(&mut chunks);
    for (chunk, data) in exchange.chunks.iter_mut().zip(chunks) {
        chunk.data = data;
    }
    removed
}
