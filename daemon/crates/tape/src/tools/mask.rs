//! Texts that are known to be secret.

use crate::format::Exchange;
use ccd_text::redact::KnownTexts;

/// Where the count of an exchange's removed secrets stands in its annotations.
pub(super) const COUNT: &str = "redacted";

/// Adds to what an exchange says of removed secrets.
pub fn count_removed(exchange: &mut Exchange, removed: usize) {
    if removed > 0 {
        let before = exchange.annotations.get(COUNT);
        let before = before.and_then(serde_json::Value::as_u64).unwrap_or(0);
        let all = before + removed as u64;
        exchange.annotations.insert(COUNT.into(), all.into());
    }
}

/// Masks known texts in an exchange's output, also where one goes over the border of chunks; returns how often they stood
/// there.
pub fn mask_known(exchange: &mut Exchange, texts: &KnownTexts) -> usize {
    let mut chunks: Vec<Vec<u8>> = exchange
        .chunks
        .iter_mut()
        .map(|chunk| std::mem::take(&mut chunk.data))
        .collect();
    let removed = texts.mask(&mut chunks);
    for (chunk, data) in exchange.chunks.iter_mut().zip(chunks) {
        chunk.data = data;
    }
    removed
}
