//! Identifiers that are valid once they are parsed.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Longest id or name, in bytes.
pub const MAX_ID_LEN: usize = 64;

/// An id or name of a session: `[A-Za-z0-9._-]{1,64}`, not starting with a dot.
///
/// It is safe as a file name: no separator, no parent directory, never hidden.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct SessionId(String);

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    #[error("is empty: give 1 to {MAX_ID_LEN} characters of A-Z a-z 0-9 . _ -")]
    Empty,
    #[error("has {0} bytes: at most {MAX_ID_LEN} are allowed")]
    TooLong(usize),
    #[error("starts with a dot: begin with a letter, a digit, _ or -")]
    LeadingDot,
    #[error("contains {0:?}: only A-Z a-z 0-9 . _ - are allowed")]
    Character(char),
}

impl SessionId {
    /// Parses an id.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        if text.is_empty() {
            return Err(IdError::Empty);
        }
        if text.len() > MAX_ID_LEN {
            return Err(IdError::TooLong(text.len()));
        }
        if text.starts_with('.') {
            return Err(IdError::LeadingDot);
        }
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        match text.chars().find(|&c| !allowed(c)) {
            Some(c) => Err(IdError::Character(c)),
            None => Ok(Self(text.to_owned())),
        }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for SessionId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_safe_file_names() {
        for good in ["a", "py-3.11", "A_b", "-x", &"z".repeat(64)] {
            assert_eq!(SessionId::parse(good).unwrap().as_str(), good);
        }
        assert_eq!(SessionId::parse(""), Err(IdError::Empty));
        assert_eq!(SessionId::parse(".hidden"), Err(IdError::LeadingDot));
        assert_eq!(SessionId::parse(".."), Err(IdError::LeadingDot));
        assert_eq!(SessionId::parse("a/b"), Err(IdError::Character('/')));
        assert_eq!(SessionId::parse("a\0"), Err(IdError::Character('\0')));
        assert_eq!(SessionId::parse("é"), Err(IdError::Character('é')));
        assert_eq!(SessionId::parse(&"z".repeat(65)), Err(IdError::TooLong(65)));
    }
}
