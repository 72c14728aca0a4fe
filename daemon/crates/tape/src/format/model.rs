//! The data model of a tape.

pub use ccd_protocol::tape::Stream;

use ccd_protocol::tape::{Latency, TapeExit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// The newest format that can be read, and the one that is written.
pub const FORMAT: u64 = 1;

pub type Annotations = serde_json::Map<String, serde_json::Value>;

/// The annotation with what a run changed in its work tree, for `git apply`: a text, or `{ dataB64 }`. It is exact, so secrets
/// are not removed from it.
pub const WORK_TREE_PATCH: &str = "work_tree_patch";

#[derive(Debug, Clone, PartialEq)]
pub struct Tape {
    pub meta: Meta,
    pub session: RecordedBy,
    pub exchanges: Vec<Exchange>,
}

/// How it was recorded: `meta`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Meta {
    /// RFC 3339.
    pub created_at: String,
    pub program: String,
    pub args: Vec<String>,
    /// Only the allowed variables.
    pub env: BTreeMap<String, String>,
    pub cwd: String,
    /// `None`: without a terminal.
    pub pty: Option<PtySize>,
    /// The file does not say whether there was a terminal, so it is replayed with one and without.
    pub fits_any_terminal: bool,
    pub tag: Option<String>,
    /// `None` and 0: as recorded.
    pub latency: Option<Latency>,
    /// Percentage.
    pub error_rate: f64,
    pub seed: Option<u64>,
    /// The terminal neither echoed nor changed output, as with pipes. Written to the file only if true.
    pub plain: bool,
    /// False if secrets were not removed.
    pub redact: bool,
    /// Keys that this version does not know.
    pub other: Annotations,
}

impl Meta {
    /// Returns whether the program had a terminal, or pipes; `None` if the file does not say.
    pub(crate) fn has_terminal(&self) -> Option<bool> {
        (!self.fits_any_terminal).then_some(self.pty.is_some())
    }

    /// Returns when it was recorded, if the file says so.
    pub(crate) fn recorded_at(&self) -> Option<OffsetDateTime> {
        OffsetDateTime::parse(&self.created_at, &Rfc3339).ok()
    }

    /// Returns the recorded command line, as a shell reads it.
    pub(crate) fn command_line(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.args);
        let words: Vec<String> = words.map(|word| ccd_base::shell::quoted(word)).collect();
        words.join(" ")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PtySize {
    pub rows: u16,
    pub cols: u16,
}

/// The program that recorded it: `session`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordedBy {
    /// Platform triple.
    pub platform: String,
    pub version: String,
    pub flags: Vec<String>,
    /// [`FORMAT`] or older.
    pub format: u64,
    pub other: Annotations,
}

impl RecordedBy {
    pub(crate) fn own() -> Self {
        Self {
            platform: crate::PLATFORM.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            format: FORMAT,
            ..Self::default()
        }
    }
}

/// An input and the output after it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Exchange {
    pub pre: Pre,
    pub input: TypedInput,
    pub chunks: Vec<Chunk>,
    /// Only on the last exchange.
    pub exit: Option<TapeExit>,
    pub dur_ms: u64,
    pub annotations: Annotations,
}

impl Exchange {
    pub fn output_len(&self) -> u64 {
        let lens = self.chunks.iter().map(|chunk| chunk.data.len() as u64);
        lens.sum()
    }

    /// Returns the output of both streams.
    pub(crate) fn output(&self) -> impl Iterator<Item = u8> {
        self.chunks.iter().flat_map(|chunk| &chunk.data).copied()
    }
}

/// The state of the program before the input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pre {
    /// The last line of the output, without control sequences.
    pub prompt: String,
    /// Hash chain of the inputs since the start of the program.
    pub state_hash: Option<String>,
    /// The terminal did not echo. Written to the file only if true.
    pub hidden: bool,
    /// The program read keys, not lines. Written to the file only if true.
    pub keys: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypedInput {
    pub kind: InputKind,
    /// Exactly the typed bytes, without secrets. A `line` ends with Enter (`\r`), which its text in the file does not
    /// show; `raw` has all bytes.
    pub bytes: Vec<u8>,
    /// The recording ended before the input was complete, so it never answers. Written to the file only if true.
    pub unfinished: bool,
}

impl TypedInput {
    /// Returns the type that a file gives it, and its text there; `None` if the file must contain its bytes.
    pub(super) fn written(&self) -> (&'static str, Option<&str>) {
        let is_enter = |byte: Option<&u8>| matches!(byte, Some(b'\r' | b'\n'));
        let bytes = self.bytes.as_slice();
        // A line without Enter is not a line; only as raw input are its bytes preserved.
        if self.kind == InputKind::Raw || !is_enter(bytes.last()) {
            return ("raw", std::str::from_utf8(bytes).ok());
        }
        let line = bytes.strip_suffix(b"\r");
        let line = line.filter(|line| !is_enter(line.last()));
        let text = line.and_then(|line| std::str::from_utf8(line).ok());
        ("line", text)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InputKind {
    Line,
    #[default]
    Raw,
}

impl InputKind {
    /// Returns the kind of an input: a `line` is text with one Enter, at its end.
    pub(crate) fn from_input(input: &[u8]) -> Self {
        match input.strip_suffix(b"\r").map(str::from_utf8) {
            Some(Ok(line)) if !line.bytes().any(|byte| byte.is_ascii_control()) => Self::Line,
            _ => Self::Raw,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chunk {
    /// Milliseconds since the previous chunk, or since the input.
    pub delay_ms: u64,
    pub data: Vec<u8>,
    /// Written to the file only if it is standard error.
    pub stream: Stream,
}
