//! Why a session could not be started.

use std::io;
use std::path::PathBuf;

use super::handle::COMMAND_QUEUE_LEN;
use super::ring::RingError;
use super::wake::MAX_SLOTS;

/// Why a session could not be started. Nothing is left behind by a start that failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SpawnError {
    #[error("the program's name is empty")]
    EmptyProgram,
    #[error("no program {program:?} was found on the session's PATH ({search_path})")]
    NotOnPath {
        program: String,
        search_path: String,
    },
    #[error("there is no file {path:?}")]
    NoSuchFile { path: PathBuf },
    #[error("{path:?} is a directory, not a program")]
    IsDirectory { path: PathBuf },
    #[error("{path:?} is not executable; chmod +x allows it")]
    NotExecutable { path: PathBuf },
    #[error("{path:?} is neither a program for this machine nor a script with a #! line")]
    Format { path: PathBuf },
    #[error("the interpreter that {path:?} names is missing")]
    NoInterpreter { path: PathBuf },
    #[error("{cwd:?} cannot be the working directory: {source}")]
    Directory { cwd: PathBuf, source: io::Error },
    #[error("a NUL byte is in {place}")]
    Nul { place: &'static str },
    #[error("the arguments and the environment are together longer than the kernel allows")]
    TooLong,
    #[error("no terminal is free; the limit is kernel.pty.max = {limit} (sysctl raises it)")]
    NoTerminal { limit: String },
    #[error("all {limit} descriptors of the daemon are in use; raise LimitNOFILE= or `ulimit -Hn`")]
    NoDescriptor { limit: u64 },
    #[error("all descriptors of this machine are in use; the limit is fs.file-max")]
    NoDescriptorAnywhere,
    #[error("all {MAX_SLOTS} places for sessions are in use")]
    NoSlot,
    #[error(transparent)]
    Ring(#[from] RingError),
    #[error("could not open a terminal: {0}")]
    Terminal(#[source] io::Error),
    #[error("could not start {path:?}: {source}")]
    Start { path: PathBuf, source: io::Error },
    #[error("{COMMAND_QUEUE_LEN} starts already wait")]
    Busy,
    #[error("the daemon is stopping")]
    Stopped,
}
