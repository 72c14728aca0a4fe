//! What can go wrong with a session.

use crate::durations::InvalidTime;
use crate::expect::PatternError;
use crate::holder::{Exit, SpawnError};
use crate::program::ProgramError;
use crate::store::StoreError;
use crate::tape::TapeError;
use ccd_protocol::SessionId;
use ccd_protocol::session::EndReason;

/// Why a call on a session failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SessionError {
    #[error("{0}")]
    InvalidArgument(String),
    #[error("no session has the id, name or unique prefix {0:?}")]
    NotFound(String),
    #[error("{prefix:?} could be {}", .candidates.join(", "))]
    Ambiguous {
        prefix: String,
        candidates: Vec<String>,
    },
    #[error("the session {session} has ended: {how}")]
    NotAlive {
        session: String,
        how: String,
        /// The tape options asked for it.
        is_injected: bool,
        /// What of a send was written before; `None` for other calls.
        written_bytes: Option<u64>,
    },
    #[error("the live session {session} already has the id or name {wanted:?}")]
    Conflict { session: SessionId, wanted: String },
    #[error("{max} sessions are alive, which is the limit max_sessions")]
    MaxSessions { max: u64 },
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    #[error(transparent)]
    Pattern(#[from] PatternError),
    #[error("no pattern matched within {waited_ms} ms")]
    ExpectTimeout {
        waited_ms: u64,
        report: Box<TimeoutReport>,
    },
    #[error("{what} did not happen within {waited_ms} ms")]
    Timeout {
        what: String,
        waited_ms: u64,
        report: Box<TimeoutReport>,
    },
    #[error("the command has not ended within {waited_ms} ms and goes on")]
    RunTimeout {
        waited_ms: u64,
        output: String,
        truncated: bool,
        /// As in [`TimeoutReport`].
        injected: bool,
    },
    #[error("{0}")]
    StartFailed(Box<FailedStart>),
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error("the program ended before a pattern matched: {}", .0.how)]
    ProcessEnded(Box<EndedReport>),
    #[error("the program has taken no input for 5 s; {written_bytes} bytes were written")]
    InputFull { written_bytes: u64 },
    #[error(
        "the program has taken {written_bytes} bytes so far: another process of the daemon goes on with the sessions"
    )]
    HandedOver { written_bytes: u64 },
    #[error("{SEND_QUEUE_LEN} sends already wait for the session {0}")]
    Busy(SessionId),
    #[error(
        "{0} is this terminal's own session, or is shown in it: it would show itself without end"
    )]
    InsideItself(SessionId),
    #[error("this connection is attached to the session {0} read-only")]
    ReadOnly(SessionId),
    #[error("{max} viewers are attached already, which is the limit")]
    TooManyViewers { max: usize },
    #[error("{program:?} is no shell that can run commands")]
    NotAShell { program: String },
    #[error(transparent)]
    Pipe(#[from] crate::session::pipe::PipeError),
    #[error("the session {0} has no named pipe")]
    NoPipe(SessionId),
    #[error(transparent)]
    Tape(#[from] TapeError),
    #[error("{0}")]
    Unavailable(String),
    #[error("the daemon is stopping")]
    ShuttingDown,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("could not use the session's folder: {0}")]
    Files(#[source] std::io::Error),
    #[error("could not write to the terminal: {0}")]
    Terminal(#[source] std::io::Error),
}

/// Sends of one session that may wait for their turn.
pub(crate) const SEND_QUEUE_LEN: usize = 128;

/// How the start by a program configuration failed.
#[derive(Debug)]
pub(crate) struct FailedStart {
    pub(crate) name: SessionId,
    /// It has been closed.
    pub(crate) session: SessionId,
    pub(crate) step: String,
    /// What it waited for.
    pub(crate) patterns: Vec<String>,
    pub(crate) error: SessionError,
}

impl From<InvalidTime> for SessionError {
    fn from(error: InvalidTime) -> Self {
        Self::InvalidArgument(error.to_string())
    }
}

impl std::fmt::Display for FailedStart {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, step, .. } = self;
        write!(out, "the start by '{name}' failed at {step}")?;
        if !self.patterns.is_empty() {
            write!(out, ", \"{}\"", self.patterns.join("\" or \""))?;
        }
        let Self { session, error, .. } = self;
        write!(out, ": {error}; the session {session} was closed")
    }
}

/// What the program was doing when the time was over.
#[derive(Debug, Default)]
pub(crate) struct TimeoutReport {
    /// The last 50 lines.
    pub(crate) recent_output: String,
    /// `running`, `stopped` or `blocked reading its terminal`.
    pub(crate) program: &'static str,
    pub(crate) closest_miss: Option<String>,
    /// What the call typed was thrown away unread.
    pub(crate) discarded: bool,
    /// The tape options asked for an error, so that the last answer lacks something.
    pub(crate) injected: bool,
    /// The tape answers when this was typed too: it came with what was typed when it was recorded.
    pub(crate) awaited: Option<String>,
}

/// How the program ended.
#[derive(Debug, Default)]
pub(crate) struct EndedReport {
    pub(crate) how: String,
    pub(crate) exitstatus: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) recent_output: String,
    /// The tape options asked for it.
    pub(crate) is_injected: bool,
}

/// Says in words how a program ended.
pub(crate) fn describe_end(exit: Option<Exit>, reason: Option<EndReason>) -> String {
    let how = match exit {
        Some(Exit {
            code: Some(code), ..
        }) => format!("exit status {code}"),
        Some(Exit {
            signal: Some(signal),
            ..
        }) => format!("signal {signal}"),
        _ => String::from("status unknown"),
    };
    match reason {
        None | Some(EndReason::Exited | EndReason::Signalled) => how,
        Some(reason) => format!("{how} ({})", reason_text(reason)),
    }
}

/// The end of a program that the tape options asked for.
pub(super) fn injected_end(how: &str) -> String {
    format!("{how}, which the error_rate of its tape options asked for")
}

/// The reason as it stands in records.
pub(crate) fn reason_text(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Exited => "exited",
        EndReason::Signalled => "signalled",
        EndReason::Closed => "closed",
        EndReason::Idle => "idle",
        EndReason::Runtime => "runtime",
        EndReason::OutputLimit => "output_limit",
        EndReason::Shutdown => "shutdown",
        EndReason::DaemonKilled => "daemon_killed",
        EndReason::HolderDied => "holder_died",
    }
}

/// The reason with this text.
pub(crate) fn reason_of(text: &str) -> Option<EndReason> {
    [
        EndReason::Exited,
        EndReason::Signalled,
        EndReason::Closed,
        EndReason::Idle,
        EndReason::Runtime,
        EndReason::OutputLimit,
        EndReason::Shutdown,
        EndReason::DaemonKilled,
        EndReason::HolderDied,
    ]
    .into_iter()
    .find(|&reason| reason_text(reason) == text)
}
