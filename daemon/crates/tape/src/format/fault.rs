//! What can be wrong with the text of a tape, and where.

use super::model::FORMAT;
use super::scan::{MAX_BYTES, MAX_DEPTH};
use ccd_protocol::{ErrorCode, Reportable};

/// Of a text in a tape that a problem names.
const SHOWN_CHARS: usize = 200;

/// What is wrong with a tape, and at which place of its text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {fault}")]
pub struct FormatError {
    /// From 1; of an exchange that is read alone, counted from its own beginning.
    pub line: u64,
    /// From 1, in characters.
    pub column: u64,
    pub fault: Fault,
}

impl FormatError {
    /// Says whether the tape was made by a newer ccd.
    pub fn is_newer(&self) -> bool {
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

/// What is wrong, and what to do.
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
    #[error("the file ends inside {within}: it is truncated, or something is not closed")]
    Ends { within: &'static str },
    #[error("expected {wanted}, found {found}")]
    Unexpected { wanted: &'static str, found: String },
    #[error("objects and lists are nested more than {MAX_DEPTH} deep")]
    TooDeep,
    #[error("more than {most} {what}: record the program in several tapes")]
    TooMany { what: &'static str, most: u32 },
    #[error(
        "a string must end on its line: close it with {quote}, or end the line with a backslash"
    )]
    OpenText { quote: char },
    #[error("{what}: write \\\\ for a backslash, \\xHH or \\uHHHH for a character by number")]
    Escape { what: &'static str },
    #[error("{text:?} is not a number")]
    Number { text: String },
    #[error("{} must be {wanted}, not {found}", name(.path))]
    Kind {
        path: String,
        wanted: &'static str,
        found: String,
    },
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
    /// Cuts what it has from the tape.
    fn shorten(&mut self) {
        match self {
            Self::Unexpected { found: text, .. }
            | Self::Number { text }
            | Self::Missing { path: text, .. } => shorten(text),
            Self::Kind { path, found, .. } => [path, found].into_iter().for_each(shorten),
            Self::Base64 { path, what } => [path, what].into_iter().for_each(shorten),
            _ => {}
        }
    }

    /// Puts the name of what is around before the path.
    pub(super) fn within(&mut self, name: &str) {
        if let Self::Kind { path, .. } | Self::Base64 { path, .. } | Self::Missing { path, .. } =
            self
        {
            let dot = if path.is_empty() || path.starts_with('[') {
                ""
            } else {
                "."
            };
            *path = format!("{name}{dot}{path}");
        }
    }
}

/// Cuts a text that a tape says, and a person is told, where it is long.
pub(super) fn shorten(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(SHOWN_CHARS) {
        text.truncate(end);
        text.push('…');
    }
}

fn name(path: &str) -> String {
    if path.is_empty() {
        "this value".to_owned()
    } else {
        format!("`{path}`")
    }
}

/// A fault at an offset. Boxed: almost all results hold none.
#[derive(Debug)]
pub(super) struct Stop(Box<(usize, Fault)>);

impl Stop {
    pub(super) fn at(offset: usize, fault: Fault) -> Self {
        Self(Box::new((offset, fault)))
    }

    pub(super) fn within(mut self, name: &str) -> Self {
        self.0.1.within(name);
        self
    }

    #[cfg(test)]
    pub(super) fn offset(&self) -> usize {
        self.0.0
    }

    pub(super) fn is_newer(&self) -> bool {
        matches!(self.0.1, Fault::Newer { .. })
    }

    /// Turns the offset into a line and a column of `text`.
    pub(super) fn locate(self, text: &[u8]) -> FormatError {
        let (offset, mut fault) = *self.0;
        fault.shorten();
        let (line, column) = place(text, offset);
        FormatError {
            line,
            column,
            fault,
        }
    }
}

/// Returns the line and the column of an offset, both from 1; the column counts characters.
///
/// Lines end as in editors: with `\n`, `\r\n` or `\r`. A byte order mark has no column.
pub fn place(text: &[u8], offset: usize) -> (u64, u64) {
    let before = text.get(..offset).unwrap_or(text);
    let begin = memchr::memrchr2(b'\n', b'\r', before).map_or(0, |at| at + 1);
    let line = before.get(begin..).unwrap_or_default();
    let line_text = line.strip_prefix(BOM.as_bytes()).unwrap_or(line);
    let characters = line_text.iter().filter(|&&byte| byte & 0xc0 != 0x80);
    (lines_in(before) + 1, characters.count() as u64 + 1)
}

/// Counts the ends of lines.
pub(super) fn lines_in(text: &[u8]) -> u64 {
    let ends = memchr::memchr2_iter(b'\n', b'\r', text);
    let lines = ends.filter(|&at| text[at] == b'\n' || text.get(at + 1) != Some(&b'\n'));
    lines.count() as u64
}

pub(super) const BOM: &str = "\u{feff}";
