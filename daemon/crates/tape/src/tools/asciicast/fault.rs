//! What can be wrong with an asciicast, and where.

use ccd_base::json5::{self, place};

/// Maximum size of an asciicast.
pub const MAX_CAST_BYTES: usize = 64 << 20;

/// Maximum length of a text from the asciicast in an error.
const SHOWN_CHARS: usize = 60;

#[derive(Debug, PartialEq, thiserror::Error)]
pub enum CastError {
    #[error("the asciicast exceeds {} MiB", MAX_CAST_BYTES >> 20)]
    TooLarge,
    #[error("the asciicast is empty")]
    Empty,
    #[error("line {line}, column {column} of the asciicast: {fault}")]
    Fault {
        /// Counted from 1.
        line: u64,
        /// Counted from 1, in characters.
        column: u64,
        fault: CastFault,
    },
    #[error(
        "the asciicast does not name the recorded program: give `program`, on the command line after --"
    )]
    NoProgram,
    #[error(
        "the asciicast's command cannot be used ({0}): give `program` and `args`, on the command line after --"
    )]
    Command(String),
    #[error("the asciicast is too large for a tape: {0}")]
    TooMuch(String),
}

impl CastError {
    /// Turns the offset of a fault into a line and a column.
    pub(super) fn at(text: &[u8], offset: usize, fault: CastFault) -> Self {
        let (line, column) = place(text, offset);
        Self::Fault {
            line,
            column,
            fault,
        }
    }

    /// As [`Self::at`], for a fault in the part of `text` that starts at `begin`.
    pub(super) fn from_stop(stop: Stop, text: &str, begin: usize) -> Self {
        let offset = begin + stop.offset();
        Self::at(text.as_bytes(), offset, stop.into_fault())
    }
}

/// What is wrong, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CastFault {
    #[error("a byte is not UTF-8: unpack a compressed asciicast first")]
    NotUtf8,
    #[error(transparent)]
    Text(json5::Fault),
    #[error("the line ends inside an event [time, code, data]")]
    Cut,
    #[error("the header has no `version`")]
    NoVersion,
    #[error("version {0}: only versions 1, 2 and 3 can be imported")]
    Version(u64),
    #[error(
        "the header has no terminal size: `width` and `height`, or `term` with `cols` and `rows`"
    )]
    NoSize,
    #[error("an asciicast of version 1 has its output in `stdout`, which is missing")]
    NoStdout,
    #[error("only one event [time, code, data], or one header, can be on a line")]
    Follows,
    #[error("an asciicast of version 1 is one object, and something follows it")]
    After,
    #[error("an event has three parts: [time, code, data]")]
    Parts,
    #[error("output of version 1 has two parts: [delay, data]")]
    OutputParts,
    #[error("the time must be from 0 to one year, in seconds")]
    Time,
    #[error("a size is COLSxROWS, such as 80x24, each from 1 to 65535, not {0:?}")]
    Size(String),
    #[error("an exit status is a number from 0 to 255, such as \"0\", not {0:?}")]
    Status(String),
}

impl From<json5::Fault> for CastFault {
    fn from(fault: json5::Fault) -> Self {
        Self::Text(fault)
    }
}

/// Shortens a text from the asciicast for a message.
pub(super) fn shortened(text: &str) -> String {
    crate::format::shortened(text, SHOWN_CHARS)
}

/// Asciicasts as JSON5, of which JSON is a part.
#[derive(Debug, Clone)]
pub(super) enum CastText {}

impl json5::Format for CastText {
    const WHOLE: &'static str = "the asciicast's object";
    const MAX_DEPTH: u32 = 64;
    const MAX_VALUES: u32 = 0;
    type Fault = CastFault;

    fn path(fault: &mut CastFault) -> Option<&mut String> {
        match fault {
            CastFault::Text(json5::Fault::Kind { path, .. }) => Some(path),
            _ => None,
        }
    }
}

pub(super) type Scanner<'a> = json5::Scanner<'a, CastText>;
pub(super) type Scanned<T> = Result<T, Stop>;
pub(super) type Stop = json5::Stop<CastFault>;
