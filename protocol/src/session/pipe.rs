//! Named pipes.

use serde::{Deserialize, Serialize};

/// Parameters of `session.pipe`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionPipeParams {
    pub session: String,
    /// False closes the named pipe.
    pub open: bool,
    /// The output's bytes instead of events. Default: events or, if it is already open, no change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<bool>,
}

/// Whether a named pipe is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum PipeState {
    Active,
    /// The file was removed.
    Closed,
}

/// A FIFO to which a session writes its events.
///
/// One event per line: `[seconds][TYPE] text`, where `seconds` is the Unix time with milliseconds, such as
/// `1767225600.123`. `TYPE` is `OUT` (a line of output without control sequences), `ERR` (a
/// line of output that matches the error patterns), `IN ` (input; `<hidden>` as in the history) or `MTX` (session
/// events as `name=value`, on one line).
///
/// `MTX` events: at the start `session_id`, `command` and, if there was earlier output, `offset`; in between
/// `dropped_bytes`, `dropped_inputs` and, after a handover to another worker, `resumed_at` (an offset; if nobody had
/// the pipe open, the data in it is lost); at the end `end_reason`, `exitstatus` or `signal`, and `session_closed`, or
/// `pipe_closed` if the session keeps running. Where output repeats hidden input, `<hidden>` replaces it;
/// everything else is as it was printed.
///
/// With `raw`, the FIFO carries the output's bytes from `start_offset` on, each of them once: `repeats` lists where that
/// may not hold, because a worker was killed while it wrote, and `dropped_bytes` counts what is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NamedPipe {
    pub session_id: String,
    pub pipe_path: String,
    pub state: PipeState,
    pub created_at: String,
    /// The output's bytes instead of events.
    pub raw: bool,
    /// Offset of the output with which the pipe starts.
    #[serde(default)]
    pub start_offset: u64,
    /// Only with `raw`: where bytes may have been written twice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeats: Vec<PipeRepeat>,
    /// Bytes of output that were dropped, because nobody read for a second and they were no longer in memory.
    pub dropped_bytes: u64,
    /// Inputs that were dropped for the same reason.
    pub dropped_inputs: u64,
    /// Problems that were found and corrected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Bytes of a raw pipe that a killed worker may or may not have written before the next one wrote them (again): either
/// all `bytes` bytes of output from `offset` on are in the pipe twice in a row, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PipeRepeat {
    pub offset: u64,
    /// At most 4096.
    pub bytes: u64,
}
