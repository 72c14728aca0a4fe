//! Errors of starting a session.

use ccd_protocol::{ErrorCode, ErrorData, Reportable};
use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::descriptors::DescriptorLimits;
use super::path_bytes;
use super::ring::RingError;
use super::slot_set::MAX_SLOTS;

/// Maximum number of requests to the holder that wait for an answer.
pub(super) const REQUESTS_LEN: usize = 64;

/// Why a session could not be started. Nothing remains of a failed start.
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
pub enum SpawnError {
    #[error("the program's name is empty")]
    EmptyProgram,
    #[error("no program {program:?} was found on the session's PATH ({search_path})")]
    NotOnPath {
        program: String,
        search_path: String,
    },
    #[error("there is no file {path:?}")]
    NoSuchFile {
        #[serde(with = "path_bytes")]
        path: PathBuf,
    },
    #[error("{path:?} is a directory, not a program")]
    IsDirectory {
        #[serde(with = "path_bytes")]
        path: PathBuf,
    },
    #[error("{path:?} is not executable")]
    NotExecutable {
        #[serde(with = "path_bytes")]
        path: PathBuf,
    },
    #[error("{path:?} is neither a program for this machine nor a script with a #! line")]
    Format {
        #[serde(with = "path_bytes")]
        path: PathBuf,
    },
    #[error("the interpreter that {path:?} names is missing")]
    NoInterpreter {
        #[serde(with = "path_bytes")]
        path: PathBuf,
    },
    #[error("{cwd:?} cannot be the working directory: {source}")]
    Directory {
        #[serde(with = "path_bytes")]
        cwd: PathBuf,
        source: SystemError,
    },
    #[error("{place} contains a NUL byte")]
    Nul { place: Cow<'static, str> },
    #[error("the arguments and the environment together exceed what the kernel allows")]
    TooLong,
    #[error("no terminal is free; the limit is kernel.pty.max = {limit} (sysctl raises it)")]
    NoTerminal { limit: String },
    #[error("all {limit} descriptors of the daemon are in use; raise LimitNOFILE= or `ulimit -Hn`")]
    NoDescriptor { limit: u64 },
    #[error("all descriptors of this machine are in use; the limit is fs.file-max")]
    NoDescriptorAnywhere,
    #[error("{MAX_SLOTS} sessions are alive, which is the limit")]
    NoSlot,
    #[error("{0}")]
    Ring(String),
    #[error("could not open a terminal: {0}")]
    Terminal(#[source] SystemError),
    #[error("could not start {path:?}: {source}")]
    Start {
        #[serde(with = "path_bytes")]
        path: PathBuf,
        source: SystemError,
    },
    #[error("{REQUESTS_LEN} starts are waiting already: try again")]
    Busy,
    #[error("the daemon is stopping")]
    Stopped,
}

impl Reportable for SpawnError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::EmptyProgram | Self::Nul { .. } => ErrorCode::InvalidArgument,
            Self::NotOnPath { .. }
            | Self::NoSuchFile { .. }
            | Self::IsDirectory { .. }
            | Self::NotExecutable { .. }
            | Self::Format { .. }
            | Self::NoInterpreter { .. }
            | Self::Directory { .. }
            | Self::TooLong
            | Self::NoTerminal { .. }
            | Self::NoDescriptor { .. }
            | Self::NoDescriptorAnywhere
            | Self::NoSlot
            | Self::Ring(_)
            | Self::Terminal(_)
            | Self::Start { .. }
            | Self::Busy
            | Self::Stopped => ErrorCode::SpawnFailed,
        }
    }

    fn hint(&self) -> Option<&str> {
        Some(match self {
            Self::Ring(_) => {
                "check the directory of the daemon's socket, which needs 260 KiB for each live session"
            }
            _ => "check the program, its path and the working directory",
        })
    }

    /// Returns the status with which a shell reports the same failure.
    fn data(&self) -> ErrorData {
        let is_missing = matches!(
            self,
            Self::NotOnPath { .. } | Self::NoSuchFile { .. } | Self::EmptyProgram
        );
        let status = if is_missing { 127 } else { 126 };
        ErrorData::from_iter([("exit_code".into(), status.into())])
    }
}

impl SpawnError {
    /// Returns the matching variant if `error` means that descriptors have run out, in this process or system-wide.
    pub(super) fn from_exhaustion(error: &io::Error) -> Option<Self> {
        match Errno::from_io_error(error)? {
            Errno::MFILE => Some(Self::no_descriptor()),
            Errno::NFILE => Some(Self::NoDescriptorAnywhere),
            _ => None,
        }
    }

    /// Returns the error for a process that has no descriptors left.
    pub(super) fn no_descriptor() -> Self {
        Self::NoDescriptor {
            limit: DescriptorLimits::unchanged().current,
        }
    }
}

impl From<RingError> for SpawnError {
    fn from(error: RingError) -> Self {
        let source = match &error {
            RingError::File { source, .. } => Self::from_exhaustion(source),
            RingError::Refused { .. } => None,
        };
        source.unwrap_or_else(|| Self::Ring(error.to_string()))
    }
}

/// The text of a system error, the only part that can be passed between processes.
#[derive(Debug, Clone, thiserror::Error, Serialize, Deserialize)]
#[error("{0}")]
pub struct SystemError(String);

impl From<io::Error> for SystemError {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<Errno> for SystemError {
    fn from(error: Errno) -> Self {
        io::Error::from(error).into()
    }
}
