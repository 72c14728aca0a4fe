//! Runs of bytes that belong together.

/// Maximum number of blanks that are skipped, such as those around a separator.
pub(super) const MAX_BLANKS: usize = 32;

/// Returns the bytes from `at` on, at most `most`.
pub(super) fn after(bytes: &[u8], at: usize, most: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    &rest[..rest.len().min(most)]
}

/// Returns the bytes before `at`, at most `most`.
pub(super) fn before(bytes: &[u8], at: usize, most: usize) -> &[u8] {
    &bytes[at.saturating_sub(most)..at]
}

/// Returns how many bytes at the start of `bytes` are `wanted`.
pub(super) fn run_len(bytes: &[u8], wanted: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| wanted(**byte)).count()
}

/// Returns how many bytes at the end of `bytes` are `wanted`.
pub(super) fn tail_len(bytes: &[u8], wanted: impl Fn(u8) -> bool) -> usize {
    let tail = bytes.iter().rev();
    tail.take_while(|byte| wanted(**byte)).count()
}

/// Returns the number of blanks at `at`, at most [`MAX_BLANKS`].
pub(super) fn blanks(bytes: &[u8], at: usize) -> usize {
    run_len(after(bytes, at, MAX_BLANKS), is_blank)
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Returns whether a text has letters and digits, so that it is not a word of a language.
pub(super) fn is_mixed(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_digit) && text.iter().any(u8::is_ascii_alphabetic)
}

/// Returns whether a text is one of these words, in capitals or not.
pub(super) fn is_one_of(text: &[u8], words: &[&str]) -> bool {
    let is_it = |word: &&str| text.eq_ignore_ascii_case(word.as_bytes());
    words.iter().any(is_it)
}
