//! Named pipes.

use serde::{Deserialize, Serialize};

/// Parameters of `session.pipe`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionPipeParams {
    pub session: String,
    /// False closes it.
    pub open: bool,
    /// The output's bytes instead of events. Default: events, or as it is open already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<bool>,
}

/// Whether a named pipe is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum PipeState {
    Active,
    /// It was removed.
    Closed,
}

/// A FIFO to which a session writes what happens.
///
/// One event a line: `[unix.mmm][TYPE] text`, `TYPE` one of `OUT` (a line of output without control sequences), `ERR` (one
/// that matches the error patterns), `IN ` (what was typed, `<hidden>` where the interaction log says so) and `MTX`, facts as
/// `name=value` on one line: at the start `session_id`, `command` and, where output went before, `offset`; in between
/// `dropped_bytes` and `dropped_inputs`, and `resumed_at` (an offset) where another process goes on: what was in the pipe and
/// not read is lost if nobody had it open; at the end `end_reason`, `exitstatus` or `signal`, and `session_closed`, or
/// `pipe_closed` where the session lives on. In output, what was typed hidden is `<hidden>`; all else is as it was printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NamedPipe {
    pub session_id: String,
    pub pipe_path: String,
    pub state: PipeState,
    pub created_at: String,
    /// The output's bytes instead of events.
    pub raw: bool,
    /// Output that went by while nobody read for a second, and was no longer in memory.
    pub dropped_bytes: u64,
    /// Inputs that went by likewise.
    pub dropped_inputs: u64,
    /// What was found and mended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
