use ccd_text::json5;
use std::fmt;

/// Nesting that a configuration may have; no key needs more than a few levels.
pub(super) const MAX_DEPTH: u32 = 32;

/// A position in the file; both numbers start at 1, and columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextPosition {
    pub(crate) line: u64,
    pub(crate) column: u64,
}

/// An error in a configuration, which is then rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Mistake {
    #[error("{place}: {what}")]
    Syntax { place: TextPosition, what: String },
    #[error("{place}: the text is not UTF-8")]
    Encoding { place: TextPosition },
    #[error("{place}: brackets are nested more than {MAX_DEPTH} deep")]
    TooDeep { place: TextPosition },
    #[error("{place}: the file must contain one object, {{ … }}")]
    NotAnObject { place: TextPosition },
    #[error("{place}: {key} must be {expected}, found {found}")]
    Value {
        place: TextPosition,
        key: String,
        expected: String,
        found: String,
    },
}

/// A problem in a configuration that can still be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Warning {
    #[error("{place}: unknown key {key}{}", .nearest.map(|name| format!(", did you mean {name}?")).unwrap_or_default())]
    UnknownKey {
        place: TextPosition,
        key: String,
        nearest: Option<&'static str>,
    },
    #[error("{place}: duplicate key {key}: the last value is used")]
    Duplicate { place: TextPosition, key: String },
}

impl TextPosition {
    pub(super) fn of(offset: usize, text: &[u8]) -> Self {
        let (line, column) = json5::place(text, offset);
        Self { line, column }
    }
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
