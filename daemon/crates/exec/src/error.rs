//! Why a run was not started, or a call not carried out.

use crate::request::RequestError;
use ccd_protocol::{ErrorCode, ErrorData, Reportable};
use ccd_repository::{LockError, RepositoryError};
use ccd_store::StoreError;
use ccd_store::folder::FolderError;
use ccd_tape::TapeError;
use ccd_tape::settings::SettingsError;
use std::io;
use std::path::PathBuf;

/// Each message names the thing and says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error("claude: not found: {0}; install Claude Code, or set exec.claude to its path")]
    ClaudeNotFound(String),
    #[error("{message}")]
    ClaudeUnusable {
        message: String,
        cause: &'static str,
    },
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    #[error("{}: git worktree add took longer than the time limit of {seconds} seconds; check the hook post-checkout and the filters of the repository, or raise --timeout", root.display())]
    WorktreeTimeout { root: PathBuf, seconds: u64 },
    #[error("{}: git did not answer within {seconds} s; look for a named pipe in the place of one of its files, or for a file system that hangs", root.display())]
    NoAnswer { root: PathBuf, seconds: u64 },
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("{}: changes are not committed: {paths}; commit them, or run with --dirty-worktree stash or allow", root.display())]
    Dirty { root: PathBuf, paths: String },
    #[error("{}: other runs did not end within {seconds} s ({holder}); wait for them, or raise --lock-timeout", root.display())]
    Busy {
        root: PathBuf,
        seconds: u64,
        holder: String,
    },
    #[error(
        "no conversation has the id {0:?}, or it was not used for too long; ccctl exec sessions lists them"
    )]
    NoSession(String),
    #[error("{}: no conversation to continue; start one without --continue", .0)]
    NoLastSession(String),
    #[error(
        "the conversation {id} was last used {last}, more than {days} days ago; start a new one"
    )]
    Expired { id: String, last: String, days: u32 },
    #[error("the conversation {0} was ended; start a new one")]
    Completed(String),
    #[error("the conversation {id} belongs to {theirs}, not to {ours}; resume it there")]
    OtherRepository {
        id: String,
        theirs: String,
        ours: String,
    },
    #[error("no run has the id {0:?}; ccctl exec list shows them")]
    NoExecution(String),
    #[error("several ids start with {start:?}: {}", .found.join(", "))]
    Ambiguous { start: String, found: Vec<String> },
    #[error("the run {0} has ended already")]
    HasEnded(String),
    #[error(transparent)]
    Tape(#[from] TapeError),
    #[error(transparent)]
    TapeSettings(#[from] SettingsError),
    #[error("the tape {tape} cannot be replayed: {source}")]
    Replay {
        tape: String,
        source: RepositoryError,
    },
    #[error("the run was cancelled before it started")]
    Cancelled,
    #[error(
        "ccctl: not found beside ccd, so no tool policy can be enforced; install both in one directory"
    )]
    NoClient,
    #[error("the database of runs is not available: {0}")]
    Store(#[from] StoreError),
    #[error("{what}: {source}")]
    System {
        what: &'static str,
        source: io::Error,
    },
}

impl From<ccd_store::SqlError> for ExecError {
    fn from(error: ccd_store::SqlError) -> Self {
        Self::Store(error.into())
    }
}

pub(crate) fn system(what: &'static str) -> impl FnOnce(io::Error) -> ExecError {
    move |source| ExecError::System { what, source }
}

/// As [`system`], of a private directory.
pub(crate) fn folder(what: &'static str) -> impl FnOnce(FolderError) -> ExecError {
    move |error| system(what)(io::Error::other(error))
}

/// The error of a run that did not work, and whose user's changes are still in the stash, as `told` says.
pub(crate) fn not_restored(told: &str, error: &ExecError) -> ExecError {
    let source = io::Error::other(format!("{told} ({error})"));
    system("what was put away could not be restored")(source)
}

impl Reportable for ExecError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Request(_) | Self::TapeSettings(_) => ErrorCode::ExecInvalidRequest,
            Self::Tape(error) => error.code(),
            Self::Replay { .. } => ErrorCode::RepositoryError,
            Self::ClaudeNotFound(_) => ErrorCode::ClaudeNotFound,
            Self::ClaudeUnusable { .. } => ErrorCode::ClaudeUnusable,
            Self::Repository(RepositoryError::StashConflict { .. }) => ErrorCode::StashConflict,
            Self::Repository(_) | Self::Lock(LockError::File { .. }) => ErrorCode::RepositoryError,
            Self::WorktreeTimeout { .. } | Self::NoAnswer { .. } => ErrorCode::Timeout,
            Self::Dirty { .. } => ErrorCode::DirtyWorktree,
            Self::Busy { .. } | Self::Lock(LockError::Held { .. }) => ErrorCode::ExecBusy,
            Self::NoSession(_) | Self::NoLastSession(_) => ErrorCode::ExecSessionNotFound,
            Self::Expired { .. } => ErrorCode::SessionExpired,
            Self::Completed(_) => ErrorCode::SessionCompleted,
            Self::OtherRepository { .. } => ErrorCode::SessionOfOtherRepository,
            Self::NoExecution(_) => ErrorCode::ExecutionNotFound,
            Self::Ambiguous { .. } | Self::HasEnded(_) | Self::Cancelled => {
                ErrorCode::InvalidArgument
            }
            Self::NoClient => ErrorCode::Unavailable,
            Self::Store(error) => error.code(),
            Self::System { .. } => ErrorCode::Storage,
        }
    }

    fn hint(&self) -> Option<&str> {
        match self {
            Self::Ambiguous { .. } => Some("give more digits"),
            Self::Store(error) => error.hint(),
            Self::Tape(error) => error.hint(),
            _ => None,
        }
    }

    fn data(&self) -> ErrorData {
        match self {
            Self::ClaudeUnusable { cause, .. } => {
                ErrorData::from_iter([("cause".into(), (*cause).into())])
            }
            Self::Ambiguous { found, .. } => {
                ErrorData::from_iter([("candidates".into(), found.clone().into())])
            }
            Self::Store(error) => error.data(),
            Self::Tape(error) => error.data(),
            _ => ErrorData::new(),
        }
    }
}
