//! What a session is.

use super::pipe::NamedPipe;
use crate::tape::TapeUse;
use serde::{Deserialize, Serialize};

/// Whether the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum SessionState {
    /// The program runs.
    Alive,
    /// The program has ended; it, a descendant or its terminal is still being cleaned up.
    Zombie,
    /// Ended and cleaned up.
    Dead,
}

/// Why a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum EndReason {
    Exited,
    Signalled,
    Closed,
    Idle,
    Runtime,
    OutputLimit,
    Shutdown,
    DaemonKilled,
    HolderDied,
}

/// A session's record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Session {
    pub session_id: String,
    pub name: Option<String>,
    pub program: String,
    pub args: Vec<String>,
    pub cwd: String,
    /// Default time-out in seconds.
    pub timeout: f64,
    pub created_at: String,
    pub last_activity: String,
    pub persist: bool,
    pub encoding: String,
    pub pid: i32,
    /// Null while the program runs, or when a signal ended it.
    pub exitstatus: Option<i32>,
    /// Number of the signal that ended the program.
    pub signal: Option<i32>,
    pub state: SessionState,
    pub end_reason: Option<EndReason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    pub rows: u16,
    pub cols: u16,
    pub output: SessionOutput,
    /// Its named pipe, if there is or was one.
    pub pipe: Option<NamedPipe>,
    /// Looked up for `session.get`, `session.wait` and `session.list` with `waiting`; null elsewhere and after the end.
    pub waiting_for_input: Option<WaitingForInput>,
    /// Who has the session on a terminal now, in the order of coming.
    pub attached: Vec<Attachment>,
    /// The program configuration it was started with.
    pub config: Option<String>,
    /// Whether an ended session reached what its program configuration calls a success; null without one, while it lives,
    /// and where the daemon was killed before it could look.
    #[serde(default)]
    pub success: Option<bool>,
    /// What tapes did for it.
    pub tape: Option<TapeUse>,
    pub is_replay: bool,
    /// Seconds without input or output after which it ends; 0: no limit.
    pub session_timeout_s: f64,
    /// Seconds after which it ends; 0: no limit.
    pub max_session_runtime_s: f64,
    pub shell: bool,
    pub transient: bool,
    /// True when `reuse` found it instead of starting it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reused: bool,
    /// What was corrected in the request, such as a limit that was clamped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A terminal that shows the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Attachment {
    /// Name of the client.
    pub client: String,
    /// Its process, where the system tells.
    #[serde(default)]
    pub pid: Option<i32>,
    /// What is typed there is not passed on.
    pub read_only: bool,
    pub since: String,
}

/// Where a session's output is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionOutput {
    pub log_path: String,
    /// Lines ended by a newline so far.
    pub output_lines: u64,
    /// Bytes so far: the offset at which the next byte will stand.
    pub output_bytes: u64,
    /// Bytes kept in memory.
    pub buffer_size: u64,
    pub rotated_at: Option<String>,
    /// Bytes that are in no log because the disk was full or stalled, as ranges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
}

/// Output that no log has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gap {
    pub offset: u64,
    pub length: u64,
}

/// Whether the program waits for its terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WaitingForInput {
    pub verdict: InputVerdict,
    /// Typed text would not be echoed: canonical mode with echo off.
    pub hidden: bool,
    /// How it was found out.
    pub how: String,
}

/// `blocked`: reads its terminal. `accepts`: waits for it among other things. `no`. `unknown`: not visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum InputVerdict {
    Blocked,
    Accepts,
    No,
    Unknown,
}
