//! Text whose characters are cut.

/// Text that arrives in parts.
#[derive(Default)]
pub(super) struct CutText {
    /// The start of a character whose rest has not arrived.
    open: Vec<u8>,
}

impl CutText {
    /// Adds a part; returns what is complete now.
    pub(super) fn add(&mut self, part: &[u8]) -> Vec<u8> {
        self.open.extend_from_slice(part);
        let whole = self.open.len() - cut_len(&self.open);
        let rest = self.open.split_off(whole);
        std::mem::replace(&mut self.open, rest)
    }

    /// Returns what was never completed.
    pub(super) fn end(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.open)
    }
}

/// Returns how many bytes at the end of `bytes` are the start of a character.
fn cut_len(bytes: &[u8]) -> usize {
    let rest = bytes
        .utf8_chunks()
        .last()
        .map_or(&[][..], |last| last.invalid());
    match std::str::from_utf8(rest) {
        Err(error) if error.error_len().is_none() => rest.len(),
        _ => 0,
    }
}
