//! The one place that turns errors into numbers.

use crate::chain::ChainError;
use crate::documents::DocumentError;
use crate::expect::PatternError;
use crate::holder::SpawnError;
use crate::job::JobError;
use crate::pattern::LibraryError;
use crate::program::{MissingSecret, ProgramError};
use crate::session::{PipeError, SessionError};
use crate::store::StoreError;
use crate::tape::TapeError;
use crate::tape::files::FilesError;
use crate::tape::format::file::FileError;
use crate::tape::root::RootError;
use ccd_protocol::ErrorCode;
use jsonrpsee::types::ErrorObjectOwned;
use serde_json::{Map, Value, json};

/// An error of a call.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RpcError {
    #[error("{0}")]
    Params(String),
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error("no job has the id {0:?}")]
    NoJob(String),
    #[error("{given:?} is the begin of several jobs' ids: {}", .candidates.join(", "))]
    AmbiguousJob {
        given: String,
        candidates: Vec<String>,
    },
    #[error("there is no configuration key {0:?}")]
    NoKey(String),
    #[error("{0}")]
    InvalidArgument(String),
    #[error("another process of the daemon is about to go on with the sessions")]
    HandingOver,
    #[error("{0}")]
    Lost(String),
    #[error("the configuration was refused, the old one stays: {0}")]
    Config(String),
    #[error(transparent)]
    Document(#[from] DocumentError),
    #[error(transparent)]
    Library(#[from] LibraryError),
    #[error("{0}")]
    LimitReached(String),
    #[error(transparent)]
    Chain(ChainError),
    #[error(transparent)]
    Tapes(#[from] FilesError),
}

impl From<ChainError> for RpcError {
    fn from(error: ChainError) -> Self {
        match error {
            ChainError::Document(error) => error.into(),
            ChainError::Job(error) => error.into(),
            ChainError::Session(error) => error.into(),
            error @ (ChainError::NotFound(_)
            | ChainError::Wrong(_)
            | ChainError::TooDeep(_)
            | ChainError::Pattern { .. }) => Self::Chain(error),
        }
    }
}

impl From<JobError> for RpcError {
    fn from(error: JobError) -> Self {
        match error {
            JobError::TooMany => Self::LimitReached(error.to_string()),
            JobError::NotFound(job) => Self::NoJob(job),
            JobError::Ambiguous { given, candidates } => Self::AmbiguousJob { given, candidates },
            JobError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for RpcError {
    fn from(error: StoreError) -> Self {
        Self::Session(SessionError::Store(error))
    }
}

impl From<ProgramError> for RpcError {
    fn from(error: ProgramError) -> Self {
        Self::Session(SessionError::Program(error))
    }
}

impl From<RpcError> for ErrorObjectOwned {
    fn from(error: RpcError) -> Self {
        let code = code_of(&error);
        let mut data = Map::new();
        data.insert("kind".into(), code.kind().into());
        if let Some(hint) = hint_of(&error) {
            data.insert("hint".into(), hint.into());
        }
        match &error {
            RpcError::Session(error) => add_details(error, &mut data),
            RpcError::Library(LibraryError::Pattern(error)) => add_place(error, &mut data),
            RpcError::AmbiguousJob { candidates, .. }
            | RpcError::Tapes(FilesError::Ambiguous { candidates, .. }) => {
                data.insert("candidates".into(), json!(candidates));
            }
            _ => {}
        }
        if matches!(error, RpcError::HandingOver) {
            data.insert("repeatable".into(), true.into());
        }
        tracing::debug!(code = code as i32, kind = code.kind(), "call failed");
        if code == ErrorCode::Storage {
            tracing::error!(error = %error, "storage");
        }
        Self::owned(code as i32, error.to_string(), Some(Value::Object(data)))
    }
}

fn code_of(error: &RpcError) -> ErrorCode {
    match error {
        RpcError::Params(_) => ErrorCode::InvalidParams,
        RpcError::NoJob(_) | RpcError::AmbiguousJob { .. } | RpcError::NoKey(_) => {
            ErrorCode::NotFound
        }
        RpcError::InvalidArgument(_) | RpcError::Config(_) => ErrorCode::InvalidArgument,
        RpcError::HandingOver => ErrorCode::HandedOver,
        RpcError::Lost(_) => ErrorCode::Unavailable,
        RpcError::Document(_) | RpcError::Library(LibraryError::Document(_)) => ErrorCode::Storage,
        RpcError::Library(
            LibraryError::Pattern(_)
            | LibraryError::Heavy { .. }
            | LibraryError::HeavyTogether { .. },
        ) => ErrorCode::InvalidPattern,
        RpcError::Library(LibraryError::NotFound { .. }) => ErrorCode::PatternNotFound,
        RpcError::Library(LibraryError::Category { .. } | LibraryError::Limit(_)) => {
            ErrorCode::InvalidArgument
        }
        RpcError::LimitReached(_) => ErrorCode::LimitReached,
        RpcError::Chain(ChainError::NotFound(_)) => ErrorCode::ChainNotFound,
        RpcError::Chain(ChainError::TooDeep(_)) => ErrorCode::LimitReached,
        RpcError::Chain(ChainError::Pattern { .. }) => ErrorCode::InvalidPattern,
        RpcError::Chain(_) => ErrorCode::InvalidArgument,
        RpcError::Tapes(error) => tapes_code(error),
        RpcError::Session(error) => session_code(error),
    }
}

fn tapes_code(error: &FilesError) -> ErrorCode {
    match error {
        FilesError::NotFound { .. }
        | FilesError::NoSuch { .. }
        | FilesError::NoFile { .. }
        | FilesError::Ambiguous { .. }
        | FilesError::File(FileError::NotFound { .. }) => ErrorCode::TapeNotFound,
        FilesError::Format { error, .. } if error.is_newer() => ErrorCode::TapeFormatNewer,
        FilesError::Format { .. }
        | FilesError::Cast(_)
        | FilesError::File(
            FileError::NotAFile { .. }
            | FileError::Loop { .. }
            | FileError::Dangling { .. }
            | FileError::TooLarge { .. },
        ) => ErrorCode::TapeInvalid,
        FilesError::File(FileError::Exists { .. }) => ErrorCode::TapeConflict,
        FilesError::File(FileError::Locked { .. }) => ErrorCode::TapeLocked,
        FilesError::File(FileError::Read { .. } | FileError::Write { .. })
        | FilesError::Io { .. }
        | FilesError::Root(RootError::Io { .. }) => ErrorCode::Storage,
        FilesError::Redaction { .. } => ErrorCode::RedactionFailed,
        FilesError::NoId { .. }
        | FilesError::Argument(_)
        | FilesError::Root(RootError::Relative { .. } | RootError::NotAFolder { .. }) => {
            ErrorCode::InvalidArgument
        }
        FilesError::PictureTooLarge | FilesError::Root(RootError::TooMany { .. }) => {
            ErrorCode::LimitReached
        }
    }
}

fn session_code(error: &SessionError) -> ErrorCode {
    match error {
        SessionError::InvalidArgument(_)
        | SessionError::InsideItself(_)
        | SessionError::ReadOnly(_)
        | SessionError::Spawn(SpawnError::EmptyProgram | SpawnError::Nul { .. }) => {
            ErrorCode::InvalidArgument
        }
        SessionError::NotFound(_) | SessionError::Ambiguous { .. } => ErrorCode::SessionNotFound,
        SessionError::NotAlive {
            is_injected: true, ..
        } => ErrorCode::InjectedError,
        SessionError::ProcessEnded(report) if report.is_injected => ErrorCode::InjectedError,
        SessionError::NotAlive { .. } => ErrorCode::SessionNotAlive,
        SessionError::Conflict { .. } => ErrorCode::SessionConflict,
        SessionError::TooManyViewers { .. } => ErrorCode::LimitReached,
        SessionError::MaxSessions { .. } => ErrorCode::MaxSessions,
        SessionError::Spawn(_) => ErrorCode::SpawnFailed,
        SessionError::Pattern(_) => ErrorCode::InvalidPattern,
        SessionError::ExpectTimeout { .. } => ErrorCode::ExpectTimeout,
        SessionError::Timeout { .. } | SessionError::RunTimeout { .. } => ErrorCode::Timeout,
        SessionError::ProcessEnded(_) => ErrorCode::ProcessEnded,
        SessionError::InputFull { .. } => ErrorCode::InputFull,
        SessionError::HandedOver { .. } => ErrorCode::HandedOver,
        SessionError::Busy(_) | SessionError::Store(StoreError::Busy { .. }) => ErrorCode::Busy,
        SessionError::NotAShell { .. } => ErrorCode::NotAShell,
        SessionError::Pipe(PipeError::Taken { .. }) => ErrorCode::SessionConflict,
        SessionError::Pipe(PipeError::Io { .. }) => ErrorCode::Storage,
        SessionError::NoPipe(_) => ErrorCode::NotFound,
        SessionError::Unavailable(_) | SessionError::Pipe(_) => ErrorCode::Unavailable,
        SessionError::ShuttingDown => ErrorCode::ShuttingDown,
        SessionError::Store(_) | SessionError::Files(_) => ErrorCode::Storage,
        SessionError::Terminal(_) => ErrorCode::Unavailable,
        SessionError::StartFailed(failed) => session_code(&failed.error),
        SessionError::Tape(error) => tape_code(error),
        SessionError::Program(error) => program_code(error),
    }
}

fn program_code(error: &ProgramError) -> ErrorCode {
    match error {
        ProgramError::NotFound(_) => ErrorCode::ConfigNotFound,
        ProgramError::Exists(_) => ErrorCode::SessionConflict,
        ProgramError::Document(_) => ErrorCode::Storage,
        ProgramError::Mistaken { mistake, .. } if mistake.is_pattern => ErrorCode::InvalidPattern,
        ProgramError::Mistaken { .. }
        | ProgramError::NoValues { .. }
        | ProgramError::UnknownKey { .. }
        | ProgramError::Twice { .. }
        | ProgramError::Control { .. }
        | ProgramError::NoSecrets { .. } => ErrorCode::InvalidArgument,
    }
}

/// The status with which a shell reports the same failure.
fn shell_status(error: &SpawnError) -> i32 {
    match error {
        SpawnError::NotOnPath { .. } | SpawnError::NoSuchFile { .. } | SpawnError::EmptyProgram => {
            127
        }
        _ => 126,
    }
}

/// What to do about it.
fn hint_of(error: &RpcError) -> Option<&'static str> {
    let RpcError::Session(error) = error else {
        return match error {
            RpcError::Params(_) => Some("rpc.discover lists the parameters of each method"),
            RpcError::NoKey(_) => Some("config.list names all keys"),
            RpcError::Chain(ChainError::NotFound(_)) => Some("chain.list names all chains"),
            RpcError::HandingOver => Some("nothing was done: connect and call again"),
            RpcError::Library(LibraryError::NotFound { .. }) => {
                Some("pattern.list shows what is built in and what was set")
            }
            RpcError::AmbiguousJob { .. } | RpcError::Tapes(FilesError::Ambiguous { .. }) => {
                Some("give more letters of the id")
            }
            RpcError::Tapes(FilesError::NotFound { .. }) => Some("tape.list names all tapes"),
            RpcError::Lost(_) => Some("daemon.stop and a new start end all sessions"),
            _ => None,
        };
    };
    session_hint(error)
}

fn tape_code(error: &TapeError) -> ErrorCode {
    match error {
        TapeError::Miss(_) => ErrorCode::TapeMiss,
        TapeError::Rules(_) | TapeError::TooLong => ErrorCode::InvalidArgument,
        TapeError::Root(RootError::Relative { .. } | RootError::NotAFolder { .. }) => {
            ErrorCode::InvalidArgument
        }
        TapeError::Root(RootError::TooMany { .. }) => ErrorCode::LimitReached,
        TapeError::Root(_) | TapeError::Journal(_) => ErrorCode::Storage,
        TapeError::Read(_) => ErrorCode::TapeInvalid,
        TapeError::Ended => ErrorCode::SessionNotAlive,
        TapeError::Proxy(_) => ErrorCode::Unavailable,
    }
}

fn session_hint(error: &SessionError) -> Option<&'static str> {
    match error {
        SessionError::NotFound(_) => {
            Some("session.list {\"all\": true} shows live and ended sessions")
        }
        SessionError::Ambiguous { .. } => Some("give more letters of the id"),
        SessionError::NotAlive { .. } => {
            Some("session.read still has its output; session.create starts a new one")
        }
        SessionError::Conflict { .. } => Some(
            "choose another name or close that session; reuse takes only one of the same program, arguments, cwd and size",
        ),
        SessionError::MaxSessions { .. } => {
            Some("close sessions, or raise max_sessions in the configuration")
        }
        SessionError::Spawn(_) => Some("check the program, its path and the working directory"),
        SessionError::ExpectTimeout { report, .. } if report.discarded => Some(
            "the program threw away what was typed before it read it: session.wait for input, then send it again",
        ),
        SessionError::ExpectTimeout { report, .. } if report.injected => Some(
            "the error_rate of the tape options cut the output: this is no miss and no fault of the program",
        ),
        SessionError::ExpectTimeout { report, .. } if report.awaited.is_some() => Some(
            "the tape has these lines as one input and answers when the rest was typed: data.awaited",
        ),
        SessionError::ExpectTimeout { .. } => Some("data.recent_output has what came instead"),
        SessionError::Timeout { .. } => {
            Some("data has what the program was doing; give a longer timeout_ms")
        }
        SessionError::RunTimeout { .. } => {
            Some("session.read has the rest, session.send {\"keys\": [\"C-c\"]} ends it")
        }
        SessionError::ProcessEnded(_) => Some("data.recent_output has its last output"),
        SessionError::InputFull { .. } => {
            Some("the program does not read its terminal; session.get tells what it does")
        }
        SessionError::HandedOver { .. } => Some("connect again and send the rest"),
        SessionError::Busy(_) => Some("wait for the sends before this one"),
        SessionError::InsideItself(_) => Some(
            "attach from another terminal; if CCD_SESSION_ID is wrong here, run it without: env -u CCD_SESSION_ID",
        ),
        SessionError::ReadOnly(_) => {
            Some("attach without read_only, or send on another connection")
        }
        SessionError::TooManyViewers { .. } => Some("detach some; session.get lists them"),
        SessionError::NotAShell { .. } => {
            Some("start a shell with shell: true, or use session.send with expect")
        }
        SessionError::ShuttingDown => Some("start the daemon again"),
        SessionError::Store(StoreError::Full { .. }) => {
            Some("free space, then repeat the call: nothing of it was done")
        }
        SessionError::NoPipe(_) => {
            Some("ccctl session pipe, or session.pipe {\"open\": true}, makes one")
        }
        SessionError::StartFailed(failed) => session_hint(&failed.error),
        SessionError::Program(ProgramError::NotFound(_)) => Some("program.list names all"),
        SessionError::Program(ProgramError::Exists(_)) => Some("force: true replaces it"),
        SessionError::Program(ProgramError::NoValues { .. }) => {
            Some("give them as set: {name: value}")
        }
        SessionError::Program(ProgramError::NoSecrets { .. }) => {
            Some("give them as secrets: {name: value}; data.secrets tells what each is")
        }
        SessionError::Tape(TapeError::Root(_) | TapeError::Journal(_)) => {
            Some("give another root, or see to its permissions")
        }
        SessionError::Tape(_)
        | SessionError::Program(_)
        | SessionError::InvalidArgument(_)
        | SessionError::Pattern(_)
        | SessionError::Pipe(_)
        | SessionError::Unavailable(_)
        | SessionError::Store(_)
        | SessionError::Files(_)
        | SessionError::Terminal(_) => None,
    }
}

fn add_details(error: &SessionError, data: &mut Map<String, Value>) {
    if let SessionError::StartFailed(failed) = error {
        data.insert("session".into(), json!(failed.session.as_str()));
        data.insert("step".into(), json!(failed.step));
        data.insert("patterns".into(), json!(failed.patterns));
        return add_details(&failed.error, data);
    }
    if let SessionError::Tape(TapeError::Miss(miss)) = error {
        if let Ok(Value::Object(miss)) = serde_json::to_value(miss) {
            data.extend(miss);
        }
        return;
    }
    let mut add = |key: &str, value: Value| {
        data.insert(key.into(), value);
    };
    match error {
        SessionError::ExpectTimeout { waited_ms, report }
        | SessionError::Timeout {
            waited_ms, report, ..
        } => {
            add("waited_ms", json!(waited_ms));
            add("recent_output", json!(report.recent_output));
            add("program", json!(report.program));
            if let Some(miss) = &report.closest_miss {
                add("closest_miss", json!(miss));
            }
            if let Some(rest) = &report.awaited {
                add("awaited", json!(rest));
            }
            if report.discarded {
                add("discarded", json!(true));
            }
            if report.injected {
                add("injected", json!(true));
            }
        }
        SessionError::RunTimeout {
            waited_ms,
            output,
            truncated,
            injected,
        } => {
            if *injected {
                add("injected", json!(true));
            }
            add("waited_ms", json!(waited_ms));
            add("output", json!(output));
            add("truncated", json!(truncated));
        }
        SessionError::ProcessEnded(report) => {
            add("exitstatus", json!(report.exitstatus));
            add("signal", json!(report.signal));
            add("recent_output", json!(report.recent_output));
        }
        SessionError::Spawn(error) => add("exit_code", json!(shell_status(error))),
        SessionError::HandedOver { written_bytes } => {
            add("repeatable", json!(false));
            add("written_bytes", json!(written_bytes));
        }
        SessionError::InputFull { written_bytes }
        | SessionError::NotAlive {
            written_bytes: Some(written_bytes),
            ..
        } => {
            add("written_bytes", json!(written_bytes));
        }
        SessionError::MaxSessions { max } => add("max_sessions", json!(max)),
        SessionError::Ambiguous { candidates, .. } => add("candidates", json!(candidates)),
        SessionError::Conflict { session, .. } => add("session", json!(session.as_str())),
        SessionError::Pattern(error) => add_place(error, data),
        SessionError::Program(ProgramError::NoValues { missing, .. }) => {
            add("missing", json!(missing));
        }
        SessionError::Program(ProgramError::NoSecrets { missing, .. }) => {
            add("secrets", missing.iter().map(secret).collect());
        }
        _ => {}
    }
}

/// Which pattern of the list is wrong, and where.
fn add_place(error: &PatternError, data: &mut Map<String, Value>) {
    if let PatternError::Syntax { index, at, .. } = error {
        data.insert("index".into(), json!(index));
        data.insert("position".into(), json!(at));
    }
}

fn secret(missing: &MissingSecret) -> Value {
    let mut secret = json!({"name": missing.name, "step": missing.step});
    let sources = [
        ("env", &missing.env),
        ("file", &missing.file),
        ("prompt", &missing.prompt),
    ];
    for (key, source) in sources {
        if let Some(source) = source {
            secret[key] = json!(source);
        }
    }
    secret
}
