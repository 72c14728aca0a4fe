//! Hashes that are stored in files and therefore never change.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;

/// The first 64 bits of a SHA-256, written as 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Fingerprint(pub u64);

impl Fingerprint {
    /// Returns the hash of `text`; `kind` separates the hashes of different things.
    pub fn new(kind: &'static str, text: &[u8]) -> Self {
        Self::chained(kind, Self(0), text)
    }

    /// Returns the hash of `text` chained to the hash `before`.
    pub(crate) fn chained(kind: &'static str, before: Self, text: &[u8]) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(before.0.to_be_bytes());
        hasher.update(kind.as_bytes());
        hasher.update([0]);
        hasher.update(text);
        let hash = hasher.finalize();
        let mut first = [0; 8];
        first.copy_from_slice(&hash[..8]);
        Self(u64::from_be_bytes(first))
    }

    /// Parses a hash as [`fmt::Display`] writes it. Any other text is hashed, so that a text that a person has written
    /// on a tape works too.
    pub fn parse(text: &str) -> Self {
        let is_hex = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        match u64::from_str_radix(text, 16) {
            Ok(value) if is_hex => Self(value),
            _ => Self::new("name", text.as_bytes()),
        }
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_a_text_is_what_it_was_when_the_first_tape_was_written() {
        assert_eq!(
            Fingerprint::new("start", b"").to_string(),
            "e6e263c65ae058d8"
        );
        assert_ne!(Fingerprint::new("a", b"b"), Fingerprint::new("ab", b""));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let hash = Fingerprint::new("line", b"x");
        assert_eq!(Fingerprint::parse(&hash.to_string()), hash);
        assert_eq!(Fingerprint::parse("00000000000000ff"), Fingerprint(0xff));
        assert_ne!(Fingerprint::parse("ff"), Fingerprint(0xff));
        assert_ne!(Fingerprint::parse("+000000000000000"), Fingerprint(0));
    }
}
