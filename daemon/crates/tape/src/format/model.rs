//! What a tape says.

pub use ccd_protocol::tape::Stream;

use ccd_protocol::tape::{Latency, TapeExit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The newest format that is written and read.
pub const FORMAT: u64 = 1;

/// What is noted beside an exchange, by name.
pub type Annotations = serde_json::Map<String, serde_json::Value>;

/// A recorded program.
#[derive(Debug, Clone, PartialEq)]
pub struct Tape {
    pub meta: Meta,
    pub session: Recorder,
    pub exchanges: Vec<Exchange>,
}

/// What was recorded: `meta`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Meta {
    /// RFC 3339.
    pub created_at: String,
    pub program: String,
    pub args: Vec<String>,
    /// The allowed variables alone.
    pub env: BTreeMap<String, String>,
    pub cwd: String,
    /// `None`: without a terminal.
    pub pty: Option<PtySize>,
    /// The file does not say whether there was a terminal: it plays with one and without.
    pub fits_any_terminal: bool,
    pub tag: Option<String>,
    /// `None` and 0: as recorded.
    pub latency: Option<Latency>,
    /// Percent.
    pub error_rate: f64,
    pub seed: Option<u64>,
    /// The terminal neither echoed nor changed output, as between pipes. In the file only when true.
    pub plain: bool,
    /// False when secrets were not taken out.
    pub redact: bool,
    /// Keys that this version does not know.
    pub other: Annotations,
}

impl Meta {
    /// Whether the program had a terminal, or pipes; `None` where the file does not say.
    pub fn has_terminal(&self) -> Option<bool> {
        (!self.fits_any_terminal).then_some(self.pty.is_some())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PtySize {
    pub rows: u16,
    pub cols: u16,
}

/// Who recorded it: `session`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recorder {
    /// Platform triple.
    pub platform: String,
    /// Of ccd.
    pub version: String,
    pub flags: Vec<String>,
    /// [`FORMAT`] or older.
    pub format: u64,
    pub other: Annotations,
}

/// An input and what came back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Exchange {
    pub pre: Pre,
    pub input: TypedInput,
    pub chunks: Vec<Chunk>,
    /// Only of the last one.
    pub exit: Option<TapeExit>,
    pub dur_ms: u64,
    pub annotations: Annotations,
}

/// Where the program was before the input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pre {
    /// The last line of the output, without control sequences.
    pub prompt: String,
    /// Chain over the inputs since the program's start.
    pub state_hash: Option<String>,
    /// The terminal did not echo. In the file only when true.
    pub hidden: bool,
    /// The program read keys, not lines. In the file only when true.
    pub keys: bool,
}

/// What was typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypedInput {
    pub kind: InputKind,
    /// Exactly what was typed, but for secrets. A `line` ends with the Enter key (`\r`), which its text in the file does
    /// not show; `raw` has all that was typed.
    pub bytes: Vec<u8>,
    /// The recording ended before it did: it never answers. In the file only when true.
    pub unfinished: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InputKind {
    Line,
    #[default]
    Raw,
}

/// A piece of output.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chunk {
    /// Since the chunk before, or since the input.
    pub delay_ms: u64,
    pub data: Vec<u8>,
    /// In the file only when it is standard error.
    pub stream: Stream,
}
