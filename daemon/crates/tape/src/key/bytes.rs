//! Runs of bytes in a text.

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns `at`, unless a word continues there.
pub(super) fn at_word_end(bytes: &[u8], at: usize) -> Option<usize> {
    bytes
        .get(at)
        .is_none_or(|byte| !is_word(*byte))
        .then_some(at)
}

/// Returns how many bytes from `at` on are of a kind, at most `most`.
pub(super) fn count(bytes: &[u8], at: usize, most: usize, kind: fn(&u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().take(most).take_while(|byte| kind(byte)).count()
}
