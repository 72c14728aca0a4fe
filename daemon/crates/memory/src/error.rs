//! What can go wrong with a memory.

use std::io;
use std::path::PathBuf;

pub type Result<T> = std::result::Result<T, MemoryError>;

#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    #[error("{} has no session memory", .0.display())]
    NotFound(PathBuf),
    #[error("{}: no section of a session memory is in it", .0.display())]
    Invalid(PathBuf),
    /// Where, never what.
    #[error(
        "the finished memory holds something that looks like a secret, at line {line} ({section}); nothing was written"
    )]
    SecretFound { line: usize, section: String },
    #[error("{}: cannot write the memory: {reason}", .path.display())]
    NotWritable { path: PathBuf, reason: String },
    #[error("{}: cannot read the memory: {source}", .path.display())]
    NotReadable { path: PathBuf, source: io::Error },
    #[error("{}: no such directory", .0.display())]
    NoProject(PathBuf),
}
