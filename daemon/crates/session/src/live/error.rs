//! Errors of requests to sessions.

use crate::durations::InvalidTime;
use crate::keys::KeyError;
use crate::program::ProgramError;
use ccd_protocol::SessionId;
use ccd_protocol::session::EndReason;
use ccd_protocol::{ErrorCode, ErrorData, Reportable};
use ccd_store::StoreError;
use ccd_tape::TapeError;
use ccd_terminal::holder::{Exit, SpawnError};
use ccd_text::expect::PatternError;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::ErrorKind;

#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("{0}")]
    InvalidArgument(String),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error("no session has the id, name or unique prefix {asked:?}{}", did_you_mean(.similar))]
    NotFound {
        asked: String,
        /// The name of a session, probably meant.
        similar: Option<String>,
    },
    #[error("several sessions match {prefix:?}: {}", .candidates.join(", "))]
    Ambiguous {
        prefix: String,
        candidates: Vec<String>,
    },
    #[error("the session {session} has ended: {how}")]
    NotAlive {
        session: String,
        how: String,
        /// The tape options requested this error.
        is_injected: bool,
        /// Bytes that a send wrote before the error; `None` for other calls.
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
    #[error("no pattern matched within {} ms", .0.waited_ms)]
    ExpectTimeout(Box<TimeoutReport>),
    #[error("{what} did not happen within {} ms", .report.waited_ms)]
    Timeout {
        what: &'static str,
        report: Box<TimeoutReport>,
    },
    #[error("the command did not finish within {waited_ms} ms and keeps running")]
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
    #[error("the program has read no input for 5 s; {written_bytes} bytes were written")]
    InputFull { written_bytes: u64 },
    #[error(
        "the worker is handing over to another one; {written_bytes} bytes have been written so far"
    )]
    HandedOver { written_bytes: u64 },
    #[error("{SEND_QUEUE_LEN} sends to the session {0} are waiting already, which is the limit")]
    Busy(SessionId),
    #[error(
        "{0} is this terminal's own session, or is shown in it: it would show itself endlessly"
    )]
    InsideItself(SessionId),
    #[error("this connection is attached to the session {0} read-only")]
    ReadOnly(SessionId),
    #[error("{max} clients are attached already, which is the limit")]
    TooManyViewers { max: usize },
    #[error("{program:?} is not a shell that can run commands")]
    NotAShell { program: String },
    #[error("the shell of session {session} is busy: {with}")]
    ShellBusy { session: SessionId, with: Busy },
    #[error(transparent)]
    Pipe(#[from] crate::live::pipe::PipeError),
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
    #[error("the session's files are removed, but it is still listed: {0}")]
    StaysListed(#[source] StoreError),
    #[error("could not use the session's directory: {0}")]
    Files(#[source] std::io::Error),
    #[error("could not write to the terminal: {0}")]
    Terminal(#[source] std::io::Error),
}

fn did_you_mean(similar: &Option<String>) -> String {
    match similar {
        Some(name) => format!("; did you mean {name:?}?"),
        None => String::new(),
    }
}

impl Reportable for SessionError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::InvalidArgument(_) | Self::Key(_) | Self::InsideItself(_) | Self::ReadOnly(_) => {
                ErrorCode::InvalidArgument
            }
            Self::NotFound { .. } | Self::Ambiguous { .. } => ErrorCode::SessionNotFound,
            Self::NotAlive { is_injected, .. } => {
                if_injected(*is_injected, ErrorCode::SessionNotAlive)
            }
            Self::ProcessEnded(report) => if_injected(report.is_injected, ErrorCode::ProcessEnded),
            Self::Conflict { .. } => ErrorCode::SessionConflict,
            Self::TooManyViewers { .. } => ErrorCode::LimitReached,
            Self::MaxSessions { .. } => ErrorCode::MaxSessions,
            Self::ExpectTimeout(_) => ErrorCode::ExpectTimeout,
            Self::Timeout { .. } | Self::RunTimeout { .. } => ErrorCode::Timeout,
            Self::InputFull { .. } => ErrorCode::InputFull,
            Self::HandedOver { .. } => ErrorCode::HandedOver,
            Self::Busy(_) => ErrorCode::Busy,
            Self::NotAShell { .. } => ErrorCode::NotAShell,
            Self::ShellBusy { .. } => ErrorCode::ShellBusy,
            Self::NoPipe(_) => ErrorCode::NotFound,
            Self::Unavailable(_) | Self::Terminal(_) => ErrorCode::Unavailable,
            Self::ShuttingDown => ErrorCode::ShuttingDown,
            Self::Files(_) => ErrorCode::Storage,
            Self::StartFailed(failed) => failed.error.code(),
            Self::Spawn(error) => error.code(),
            Self::Pattern(error) => error.code(),
            Self::Pipe(error) => error.code(),
            Self::Program(error) => error.code(),
            Self::Store(error) | Self::StaysListed(error) => error.code(),
            Self::Tape(error) => error.code(),
        }
    }

    fn hint(&self) -> Option<&str> {
        match self {
            Self::Key(KeyError::Unknown { .. }) => {
                Some("give each key by itself, named as in tmux; send words as text, not as keys")
            }
            Self::NotFound { .. } => {
                Some("session.list {\"all\": true} lists live and ended sessions")
            }
            Self::Ambiguous { .. } => Some("give more letters of the id"),
            Self::NotAlive { .. } => {
                Some("session.read still has its output; session.create starts a new one")
            }
            Self::Conflict { .. } => Some(
                "choose another name or close that session; reuse accepts only a session with the same program, arguments, cwd and size",
            ),
            Self::MaxSessions { .. } => {
                Some("close sessions, or raise max_sessions in the configuration")
            }
            Self::ExpectTimeout(report) => Some(hint_of_timeout(report)),
            Self::Timeout { .. } => {
                Some("data says what the program was doing; give a longer timeout_ms")
            }
            Self::RunTimeout { injected: true, .. } => Some(OUTPUT_WAS_CUT),
            Self::RunTimeout { .. } => Some(
                "session.read returns the rest; session.send {\"keys\": [\"C-c\"]} interrupts the command",
            ),
            Self::ProcessEnded(_) => Some("data.recent_output is its last output"),
            Self::InputFull { .. } => {
                Some("the program does not read its terminal; session.get shows what it is doing")
            }
            Self::HandedOver { .. } => Some("connect again and send the rest"),
            Self::Busy(_) => Some("wait until earlier sends have finished"),
            Self::InsideItself(_) => Some(
                "attach from another terminal; if CCD_SESSION_ID is wrong here, unset it: env -u CCD_SESSION_ID",
            ),
            Self::ReadOnly(_) => Some("attach without read_only, or send on another connection"),
            Self::TooManyViewers { .. } => Some("detach some of them; session.get lists them"),
            Self::NotAShell { .. } => Some(
                "session.run knows bash, zsh, fish, dash, ksh, mksh, yash and busybox sh; use session.send with expect for other programs",
            ),
            Self::ShellBusy { with, .. } => Some(with.hint()),
            Self::ShuttingDown => Some("start the daemon again"),
            Self::Files(error)
                if matches!(
                    error.kind(),
                    ErrorKind::StorageFull | ErrorKind::QuotaExceeded
                ) =>
            {
                Some("free some space; ccctl session cleanup removes ended sessions and their logs")
            }
            Self::StaysListed(_) => Some("once there is room, repeat ccctl session cleanup"),
            Self::NoPipe(_) => Some("session.pipe opens one"),
            Self::StartFailed(failed) => failed.error.hint(),
            Self::Spawn(error) => error.hint(),
            Self::Pattern(error) => error.hint(),
            Self::Pipe(error) => error.hint(),
            Self::Program(error) => error.hint(),
            Self::Store(error) => error.hint(),
            Self::Tape(error) => error.hint(),
            _ => None,
        }
    }

    fn data(&self) -> ErrorData {
        let data = match self {
            Self::ExpectTimeout(report) | Self::Timeout { report, .. } => json!(report),
            Self::RunTimeout {
                waited_ms,
                output,
                truncated,
                injected,
            } => {
                let mut data =
                    json!({"waited_ms": waited_ms, "output": output, "truncated": truncated});
                if *injected {
                    data["injected"] = true.into();
                }
                data
            }
            Self::ProcessEnded(report) => json!(report),
            Self::HandedOver { written_bytes } => {
                json!({"repeatable": false, "written_bytes": written_bytes})
            }
            Self::InputFull { written_bytes }
            | Self::NotAlive {
                written_bytes: Some(written_bytes),
                ..
            } => json!({"written_bytes": written_bytes}),
            Self::ShellBusy { with, .. } => json!({"with": with.command()}),
            Self::Key(KeyError::Unknown { name, .. }) => json!({"key": name}),
            Self::MaxSessions { max } => json!({"max_sessions": max}),
            Self::Ambiguous { candidates, .. } => json!({"candidates": candidates}),
            Self::Conflict { session, .. } => json!({"session": session.as_str()}),
            Self::StartFailed(failed) => return failed.data(),
            Self::Spawn(error) => return error.data(),
            Self::Pattern(error) => return error.data(),
            Self::Pipe(error) => return error.data(),
            Self::Program(error) => return error.data(),
            Self::Store(error) => return error.data(),
            Self::Tape(error) => return error.data(),
            _ => Value::Null,
        };
        match data {
            Value::Object(data) => data,
            _ => ErrorData::new(),
        }
    }
}

/// Returns `code`, or the code of an injected error if the tape options requested the program's end.
fn if_injected(is_injected: bool, code: ErrorCode) -> ErrorCode {
    if is_injected {
        ErrorCode::InjectedError
    } else {
        code
    }
}

/// The hint about a timeout after a part of the output was injected.
const OUTPUT_WAS_CUT: &str = "the error_rate of the tape options cut the output: neither the tape nor the program is at fault";

fn hint_of_timeout(report: &TimeoutReport) -> &'static str {
    if report.discarded {
        "the program discarded the input before it read it: wait with session.wait for input, then send it again"
    } else if report.injected {
        OUTPUT_WAS_CUT
    } else if report.awaited.is_some() {
        "on the tape these lines are part of one input, which is answered once the rest is typed: data.awaited"
    } else {
        "data.recent_output shows what was printed instead"
    }
}

/// Maximum number of sends that wait for their turn in one session.
pub(super) const SEND_QUEUE_LEN: usize = 128;

/// What a shell does instead of waiting for a command.
#[derive(Debug, thiserror::Error)]
pub enum Busy {
    #[error("it still runs {command:?}, which session.run typed {since_s} s ago")]
    Run { command: String, since_s: u64 },
    #[error("it still runs {0:?}")]
    Program(String),
    #[error("another session.run waits for its prompt")]
    Starting,
    #[error("half a line is typed at its prompt")]
    HalfLine,
    #[error("{}", question(.0))]
    Question(String),
}

fn question(text: &str) -> String {
    match text.trim() {
        "" => "it waits for input without a prompt".to_owned(),
        _ => format!("it asks a question: {text:?}"),
    }
}

impl Busy {
    fn command(&self) -> Option<&str> {
        match self {
            Self::Run { command, .. } => Some(command),
            Self::Program(program) => Some(program),
            Self::Starting | Self::HalfLine | Self::Question(_) => None,
        }
    }

    fn hint(&self) -> &'static str {
        match self {
            Self::HalfLine => {
                "remove it with ccctl send SESSION --keys C-u, or enter it with --keys Enter"
            }
            Self::Question(_) => {
                "answer it with ccctl send SESSION TEXT, or look at it with ccctl attach SESSION"
            }
            _ => {
                "wait longer, or end it with ccctl send SESSION --keys C-c or ccctl session signal SESSION INT"
            }
        }
    }
}

#[derive(Debug)]
pub struct FailedStart {
    pub name: SessionId,
    /// The session has been closed.
    pub session: SessionId,
    pub step: String,
    pub patterns: Vec<String>,
    pub error: SessionError,
}

impl From<InvalidTime> for SessionError {
    fn from(error: InvalidTime) -> Self {
        Self::InvalidArgument(error.to_string())
    }
}

impl std::fmt::Display for FailedStart {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, step, .. } = self;
        write!(out, "starting with '{name}' failed at {step}")?;
        if !self.patterns.is_empty() {
            write!(out, ", \"{}\"", self.patterns.join("\" or \""))?;
        }
        let Self { session, error, .. } = self;
        write!(out, ": {error}; the session {session} was closed")
    }
}

impl FailedStart {
    fn data(&self) -> ErrorData {
        let mut data = ErrorData::from_iter([
            ("session".into(), self.session.as_str().into()),
            ("step".into(), self.step.as_str().into()),
            ("patterns".into(), json!(self.patterns)),
        ]);
        data.extend(self.error.data());
        data
    }
}

/// What a client learns about a timeout; the members are those of the error's data, in their order.
#[derive(Debug, Default, Serialize)]
pub struct TimeoutReport {
    pub waited_ms: u64,
    /// The last 50 lines.
    pub recent_output: String,
    /// `running`, `stopped` or `blocked reading its terminal`.
    pub program: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closest_miss: Option<String>,
    /// The rest of an input of which only some lines were typed; the tape answers once it is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub awaited: Option<String>,
    /// The input of the call was discarded unread.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub discarded: bool,
    /// Of a send: the offset at which its input was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The tape options requested an error, so part of the last answer is missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub injected: bool,
}

/// Describes the end of a program for a client.
#[derive(Debug, Default, Serialize)]
pub struct EndedReport {
    #[serde(skip)]
    pub how: String,
    pub exitstatus: Option<i32>,
    pub signal: Option<i32>,
    pub recent_output: String,
    #[serde(skip)]
    pub is_injected: bool,
}

pub(super) fn describe_end(exit: Option<Exit>, reason: Option<EndReason>) -> String {
    let how = match exit.map(|exit| (exit.code, exit.signal)) {
        Some((Some(code), _)) => format!("exit status {code}"),
        Some((None, Some(signal))) => format!("signal {signal}"),
        _ => String::from("status unknown"),
    };
    match reason {
        None | Some(EndReason::Exited | EndReason::Signalled) => how,
        Some(reason) => format!("{how} ({})", reason_text(reason)),
    }
}

/// Returns the description of an end that the tape options requested.
pub(super) fn injected_end(how: &str) -> String {
    format!("{how}, injected by the error_rate of its tape options")
}

pub fn reason_text(reason: EndReason) -> String {
    let text = serde_json::to_value(reason).unwrap_or_default();
    text.as_str().unwrap_or_default().to_owned()
}

pub(super) fn reason_of(text: &str) -> Option<EndReason> {
    serde_json::from_value(text.into()).ok()
}
