//! What a tape says.

pub(crate) use ccd_protocol::tape::Stream;

use ccd_protocol::tape::{Latency, TapeExit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The newest format that is written and read.
pub(crate) const FORMAT: u64 = 1;

/// What is noted beside an exchange, by name.
pub(crate) type Annotations = serde_json::Map<String, serde_json::Value>;

/// A recorded program.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tape {
    pub(crate) meta: Meta,
    pub(crate) session: Recorder,
    pub(crate) exchanges: Vec<Exchange>,
}

/// What was recorded: `meta`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Meta {
    /// RFC 3339.
    pub(crate) created_at: String,
    pub(crate) program: String,
    pub(crate) args: Vec<String>,
    /// The allowed variables alone.
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) cwd: String,
    /// `None`: without a terminal.
    pub(crate) pty: Option<PtySize>,
    /// The file does not say whether there was a terminal: it plays with one and without.
    pub(crate) fits_any_terminal: bool,
    pub(crate) tag: Option<String>,
    /// `None` and 0: as recorded.
    pub(crate) latency: Option<Latency>,
    /// Percent.
    pub(crate) error_rate: f64,
    pub(crate) seed: Option<u64>,
    /// The terminal neither echoed nor changed output, as between pipes. In the file only when true.
    pub(crate) plain: bool,
    /// False when secrets were not taken out.
    pub(crate) redact: bool,
    /// Keys that this version does not know.
    pub(crate) other: Annotations,
}

impl Meta {
    /// Whether the program had a terminal, or pipes; `None` where the file does not say.
    pub(crate) fn has_terminal(&self) -> Option<bool> {
        (!self.fits_any_terminal).then_some(self.pty.is_some())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PtySize {
    pub(crate) rows: u16,
    pub(crate) cols: u16,
}

/// Who recorded it: `session`.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Recorder {
    /// Platform triple.
    pub(crate) platform: String,
    /// Of ccd.
    pub(crate) version: String,
    pub(crate) flags: Vec<String>,
    /// [`FORMAT`] or older.
    pub(crate) format: u64,
    pub(crate) other: Annotations,
}

/// An input and what came back.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Exchange {
    pub(crate) pre: Pre,
    pub(crate) input: TypedInput,
    pub(crate) chunks: Vec<Chunk>,
    /// Only of the last one.
    pub(crate) exit: Option<TapeExit>,
    pub(crate) dur_ms: u64,
    pub(crate) annotations: Annotations,
}

/// Where the program was before the input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Pre {
    /// The last line of the output, without control sequences.
    pub(crate) prompt: String,
    /// Chain over the inputs since the program's start.
    pub(crate) state_hash: Option<String>,
    /// The terminal did not echo. In the file only when true.
    pub(crate) hidden: bool,
    /// The program read keys, not lines. In the file only when true.
    pub(crate) keys: bool,
}

/// What was typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TypedInput {
    pub(crate) kind: InputKind,
    /// Exactly what was typed, but for secrets. A `line` ends with the Enter key (`\r`), which its text in the file does
    /// not show; `raw` has all that was typed.
    pub(crate) bytes: Vec<u8>,
    /// The recording ended before it did: it never answers. In the file only when true.
    pub(crate) unfinished: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum InputKind {
    Line,
    #[default]
    Raw,
}

/// A piece of output.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Chunk {
    /// Since the chunk before, or since the input.
    pub(crate) delay_ms: u64,
    pub(crate) data: Vec<u8>,
    /// In the file only when it is standard error.
    pub(crate) stream: Stream,
}
