//! Why the daemon did not start, or ended with an error.

use super::lock::LockError;
use super::socket::SocketError;
use crate::store::StoreError;
use ccd_protocol::parents::UnsafeParent;
use ccd_session::SessionError;
use std::io;
use std::path::PathBuf;

/// Why the daemon did not start, or ended with an error.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Socket(#[from] ccd_protocol::socket::SocketPathError),
    #[error(transparent)]
    Folder(#[from] ccd_store::folder::FolderError),
    #[error("the directory of the socket {} is not safe: {source}; {}", .socket.display(), .source.remedy("choose another socket"))]
    Parent {
        socket: PathBuf,
        source: UnsafeParent,
    },
    #[error(transparent)]
    Config(#[from] crate::config::ConfigError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Listen(#[from] SocketError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("could not restore the sessions of an earlier daemon: {0}")]
    Recover(SessionError),
    #[error("could not set up the log: {0}")]
    Log(#[source] io::Error),
    #[error(transparent)]
    Hooks(#[from] ccd_coach::JournalError),
    #[error("the holder of the terminals died, and all sessions with it; their output is kept")]
    HolderDied,
    #[error("{what}: {source}")]
    System {
        what: &'static str,
        source: io::Error,
    },
    #[error("two methods have the same name: {0}")]
    Methods(#[from] crate::rpc::RegisterMethodError),
}

pub(crate) fn system(what: &'static str) -> impl FnOnce(io::Error) -> StartError {
    move |source| StartError::System { what, source }
}
