//! Errors in the text of a tape, and their positions.

use super::model::FORMAT;
use ccd_protocol::{ErrorCode, Reportable};
use ccd_text::json5::{self, place};

/// Maximum size of a tape's file.
pub(super) const MAX_BYTES: usize = 64 << 20;

/// Maximum length of a text from the tape in an error.
const SHOWN_CHARS: usize = 200;

pub(super) type Stop = json5::Stop<Fault>;

/// An error in a tape, and its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {fault}")]
pub struct FormatError {
    /// Counted from 1; for an exchange that is parsed by itself, from its own start.
    pub line: u64,
    /// Counted from 1, in characters.
    pub column: u64,
    pub fault: Fault,
}

impl FormatError {
    /// Turns the offset of a fault into a line and a column of `text`.
    pub(super) fn of(stop: Stop, text: &[u8]) -> Self {
        let (line, column) = place(text, stop.offset());
        let mut fault = stop.into_fault();
        if let Some(path) = fault.path() {
            shorten(path);
        }
        Self {
            line,
            column,
            fault,
        }
    }

    /// Returns whether the tape was made by a newer ccd.
    pub(crate) fn is_newer(&self) -> bool {
        matches!(self.fault, Fault::Newer { .. })
    }
}

impl Reportable for FormatError {
    fn code(&self) -> ErrorCode {
        if self.is_newer() {
            ErrorCode::TapeFormatNewer
        } else {
            ErrorCode::TapeInvalid
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("the file is empty: a tape is at least {{ meta: {{ program: \"NAME\" }} }}")]
    Empty,
    #[error(
        "the file has {bytes} bytes: a tape may have at most {MAX_BYTES}; record it in several parts"
    )]
    TooLarge { bytes: u64 },
    #[error(
        "a byte is not UTF-8: save the file as UTF-8, and put bytes that are not text into `dataB64`"
    )]
    NotUtf8,
    #[error(transparent)]
    Text(json5::Fault),
    #[error("more than {most} {what}: record the program in several tapes")]
    TooMany { what: &'static str, most: u32 },
    #[error("`{path}` is not base64 ({what}): correct it, or write the text as `dataText` instead")]
    Base64 { path: String, what: String },
    #[error("`{path}` is missing: {why}")]
    Missing { path: String, why: &'static str },
    #[error(
        "the tape has format {format}, but this ccd supports formats up to {FORMAT}: use a newer ccd"
    )]
    Newer { format: u64 },
}

impl Fault {
    /// Returns the path to the wrong value.
    pub(super) fn path(&mut self) -> Option<&mut String> {
        match self {
            Self::Text(json5::Fault::Kind { path, .. })
            | Self::Base64 { path, .. }
            | Self::Missing { path, .. } => Some(path),
            _ => None,
        }
    }
}

impl From<json5::Fault> for Fault {
    fn from(fault: json5::Fault) -> Self {
        match fault {
            json5::Fault::TooMany { most } => Self::TooMany {
                what: "values in annotations",
                most,
            },
            fault => Self::Text(fault),
        }
    }
}

pub(super) fn shorten(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(SHOWN_CHARS) {
        text.truncate(end);
        text.push('…');
    }
}
