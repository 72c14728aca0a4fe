//! What can go wrong with a memory.

use ccd_protocol::{ErrorCode, Reportable};
use std::io;
use std::path::PathBuf;

pub type Result<T> = std::result::Result<T, MemoryError>;

#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    #[error("{} has no session memory", .0.display())]
    NotFound(PathBuf),
    #[error("{}: no section of a session memory is in it", .0.display())]
    Invalid(PathBuf),
    /// Of a memory that somebody gave.
    #[error("the memory is not valid, so nothing was written: {}", .0.join("; "))]
    NotValid(Vec<String>),
    /// Where, never what.
    #[error(
        "the finished memory holds something that looks like a secret, at line {line} ({section}); nothing was written"
    )]
    SecretFound { line: usize, section: String },
    #[error("{}: cannot be written: {reason}", .path.display())]
    NotWritable { path: PathBuf, reason: String },
    #[error("{}: cannot read the memory: {source}", .path.display())]
    NotReadable { path: PathBuf, source: io::Error },
    #[error("{}: no such directory", .0.display())]
    NoProject(PathBuf),
    #[error("{}: saving the memory took longer than {seconds} s; look for a named pipe in the place of a file, or for a file system that hangs", project.display())]
    NoAnswer { project: PathBuf, seconds: u64 },
    /// A bug.
    #[error("{}: saving the memory has failed because of a bug; the old file is unchanged", .0.display())]
    Failed(PathBuf),
}

impl Reportable for MemoryError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound(_) => ErrorCode::MemoryNotFound,
            Self::Invalid(_) | Self::NotValid(_) | Self::NotReadable { .. } => {
                ErrorCode::MemoryInvalid
            }
            Self::SecretFound { .. } => ErrorCode::MemorySecretFound,
            Self::NotWritable { .. } => ErrorCode::MemoryNotWritable,
            Self::NoProject(_) => ErrorCode::ProjectNotFound,
            Self::NoAnswer { .. } => ErrorCode::Timeout,
            Self::Failed(_) => ErrorCode::Internal,
        }
    }

    fn hint(&self) -> Option<&str> {
        match self {
            Self::NotFound(_) => Some("ccctl memory save writes one"),
            Self::NotValid(_) => Some("ccctl memory show --json shows one that is valid"),
            Self::Invalid(_) => Some("ccctl memory save replaces it"),
            Self::Failed(_) => Some("ccctl daemon logs has the details; please report them"),
            Self::SecretFound { .. } => {
                Some("remove the secret from the project; ccctl memory save then writes the file")
            }
            _ => None,
        }
    }
}
