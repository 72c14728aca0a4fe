//! A tape as a JSON5 format: its limits, its errors, and their positions.

use super::model::FORMAT;
use ccd_base::json5::{self, Format as _, place};
use ccd_protocol::{ErrorCode, Reportable};

/// Maximum size of a tape's file.
pub(super) const MAX_BYTES: usize = 64 << 20;

/// Maximum length of a text from the tape in an error.
pub(super) const SHOWN_CHARS: usize = 200;

/// Maximum number of chunks on a tape. A tape written by ccd exceeds [`MAX_BYTES`] before it has as many.
pub(super) const MAX_CHUNKS: u32 = 1_300_000;

/// Maximum number of values in annotations and unknown keys.
pub(super) const MAX_VALUES: u32 = 1_000_000;

#[derive(Debug, Clone)]
pub(super) enum TapeText {}

impl json5::Format for TapeText {
    const WHOLE: &'static str = "the tape's object";
    const MAX_DEPTH: u32 = 64;
    const MAX_VALUES: u32 = MAX_VALUES;
    type Fault = TapeFault;

    fn path(fault: &mut TapeFault) -> Option<&mut String> {
        match fault {
            TapeFault::Text(json5::Fault::Kind { path, .. })
            | TapeFault::Base64 { path, .. }
            | TapeFault::Missing { path, .. } => Some(path),
            _ => None,
        }
    }
}

pub(super) type Stop = json5::Stop<TapeFault>;
pub(super) type Scanner<'a> = json5::Scanner<'a, TapeText>;
pub(super) type Scanned<T> = Result<T, Stop>;

/// An error in a tape, and its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {fault}")]
pub struct FormatError {
    /// Counted from 1; for an exchange that is parsed by itself, from its own start.
    pub line: u64,
    /// Counted from 1, in characters.
    pub column: u64,
    pub fault: TapeFault,
}

impl FormatError {
    /// Turns the offset of a fault into a line and a column of `text`.
    pub(super) fn from_stop(stop: Stop, text: &[u8]) -> Self {
        let (line, column) = place(text, stop.offset());
        let mut fault = stop.into_fault();
        if let Some(path) = TapeText::path(&mut fault) {
            *path = shortened(path, SHOWN_CHARS);
        }
        Self {
            line,
            column,
            fault,
        }
    }

    /// Returns whether the tape was made by a newer ccd.
    pub(crate) fn is_newer(&self) -> bool {
        matches!(self.fault, TapeFault::Newer { .. })
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
pub enum TapeFault {
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

impl From<json5::Fault> for TapeFault {
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

/// Returns at most so many characters of a text, for a message.
pub(crate) fn shortened(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
