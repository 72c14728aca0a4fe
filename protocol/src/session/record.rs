//! The session record.

use super::pipe::NamedPipe;
use crate::named::named;
use crate::tape::TapeUse;
use serde::{Deserialize, Serialize};

/// Whether the program is running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum SessionState {
    /// The program is running.
    Alive,
    /// The program has exited; it, a descendant or its terminal is still being cleaned up.
    Zombie,
    /// Ended and cleaned up.
    Dead,
}

named! {
    /// Why a session ended. `daemon_killed`: both processes of the daemon were killed, or the worker during the start-up of
    /// the session. `holder_died`: only the holder was killed. `ring_lost`: another program truncated or overwrote the file
    /// with the session's latest output.
    EndReason {
        Exited = "exited",
        Signalled = "signalled",
        Closed = "closed",
        Idle = "idle",
        Runtime = "runtime",
        OutputLimit = "output_limit",
        Shutdown = "shutdown",
        DaemonKilled = "daemon_killed",
        HolderDied = "holder_died",
        RingLost = "ring_lost",
    }
}

/// A session's record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Session {
    pub session_id: String,
    pub name: Option<String>,
    pub program: String,
    pub args: Vec<String>,
    pub cwd: String,
    /// Default timeout in seconds.
    pub timeout: f64,
    pub created_at: String,
    pub last_activity: String,
    pub persist: bool,
    pub encoding: String,
    pub pid: i32,
    /// Exit status. Null while the program is running, if a signal killed it, or if it is unknown.
    pub exitstatus: Option<i32>,
    /// Number of the signal that killed the program. After the end, this and `exitstatus` are both null only if the holder
    /// was killed (`daemon_killed`, `holder_died`) before the program had ended, so that nobody has collected its status, or
    /// if the status is lost (`ring_lost`).
    pub signal: Option<i32>,
    pub state: SessionState,
    pub end_reason: Option<EndReason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    pub rows: u16,
    pub cols: u16,
    pub output: SessionOutput,
    /// Its named pipe, if it has or had one.
    pub pipe: Option<NamedPipe>,
    /// Looked up by `session.get`, `session.wait` and `session.list` with `waiting`; otherwise, and after the session
    /// has ended, null.
    pub waiting_for_input: Option<WaitingForInput>,
    /// The program shows a full screen, as editors and pagers do (the alternate screen).
    #[serde(default)]
    pub full_screen: bool,
    /// The clients that are attached now, in the order in which they attached.
    pub attached: Vec<Attachment>,
    /// The program configuration it was started with.
    pub config: Option<String>,
    /// Whether an ended session was a success by its program configuration. Null without a configuration, while the
    /// session is live, and if the daemon was killed before it could find out.
    #[serde(default)]
    pub success: Option<bool>,
    /// How the session used tapes.
    pub tape: Option<TapeUse>,
    pub is_replay: bool,
    /// Seconds without input or output after which the session ends; 0: no limit.
    pub session_timeout_s: f64,
    /// Seconds after which the session ends; 0: no limit.
    pub max_session_runtime_s: f64,
    pub shell: bool,
    pub transient: bool,
    /// The method that ran the program to its end. If the session was transient, only this record and the history are
    /// kept, for the newest 1,000 such sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_by: Option<String>,
    /// Why the program could not be started. The session was never alive, and only this record and its history exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_error: Option<String>,
    /// Name of the client that created it, as in the history; for an MCP client, the name that it gives itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// True if `reuse` returned an existing session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reused: bool,
    /// Values of the request that were corrected, such as a limit that was clamped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// An attached terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Attachment {
    /// Name of the client.
    pub client: String,
    /// Process id of the client, if the system reports it.
    #[serde(default)]
    pub pid: Option<i32>,
    /// The client only views the session: its keys are not passed on.
    pub read_only: bool,
    pub since: String,
}

/// A session's output: size and location.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionOutput {
    pub log_path: String,
    /// Complete lines (ended by a newline) so far.
    pub output_lines: u64,
    /// Bytes so far, which is the offset of the next byte.
    pub output_bytes: u64,
    /// Bytes kept in memory.
    pub buffer_size: u64,
    pub rotated_at: Option<String>,
    /// Ranges of output that are missing from the log, for example because the disk was full.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
}

/// A range of output that is in no log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Gap {
    pub offset: u64,
    pub length: u64,
}

/// Whether the program is waiting for terminal input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WaitingForInput {
    pub verdict: InputVerdict,
    /// Input would not be echoed: the terminal is in canonical mode with echo off. For programs like `script`, that is
    /// the terminal of the program at the far end; `pinentry` always hides input.
    pub hidden: bool,
    /// What the verdict is based on: the system call in which the program waits (`read`, `poll`, `select`, `epoll`),
    /// `tape` (a replay knows it), `guess` (the prompt left of the cursor, and silence) or `none` (the program is not
    /// waiting). For `unknown`: `relay` (a program such as `ssh` passes input on to another, which is not visible),
    /// `multiplexer` (the same for `tmux` or `screen`), `elsewhere` (the program waits for another process, which may
    /// be reading the terminal), `denied` (another user's program), `unseen`, `limit` (too many tasks), or `platform`
    /// (the system does not show it).
    pub how: String,
}

/// `blocked`: the program is reading its terminal. `accepts`: it is waiting for several things, and its terminal
/// is one of them. `no`: it is not waiting. `unknown`: the system does not show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum InputVerdict {
    Blocked,
    Accepts,
    No,
    Unknown,
}
