//! Why there is no connection to the daemon, in the words that report it.

use crate::Exit;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    #[error("no daemon is running at {place}; ccctl daemon start starts one")]
    NoDaemon { place: String },
    /// The command line or the environment names no place.
    #[error("{0}")]
    Usage(String),
    #[error("could not connect to {0}")]
    Socket(String),
    /// The other host cannot be reached.
    #[error("{0}")]
    Ssh(String),
    /// The daemon on the other host refuses the connection.
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Failed(String),
}

impl ConnectError {
    pub(crate) fn exit(&self) -> Exit {
        match self {
            ConnectError::Usage(_) => Exit::Usage,
            ConnectError::Refused(_) => Exit::Refused,
            _ => Exit::NoDaemon,
        }
    }
}
