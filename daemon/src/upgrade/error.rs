//! Why the sessions are not handed over to another worker.

use ccd_protocol::{ErrorCode, ErrorData, Reportable};
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub(crate) enum HandOverError {
    #[error("{} cannot go on: {why}", .path.display())]
    Unsuited { path: PathBuf, why: String },
    #[cfg(portable)]
    #[error("holder and worker are one process on this system: stop the daemon and start it again")]
    OneProcess,
    #[error("the ring files of {} are gone, and with them these sessions would end", .sessions.join(", "))]
    NoRing { sessions: Vec<String> },
    #[error("another process of the daemon is about to go on with the sessions")]
    Begun,
    #[error("the daemon is stopping")]
    ShuttingDown,
}

impl Reportable for HandOverError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Unsuited { .. } => ErrorCode::InvalidArgument,
            #[cfg(portable)]
            Self::OneProcess => ErrorCode::Unavailable,
            Self::NoRing { .. } => ErrorCode::Unavailable,
            Self::Begun => ErrorCode::HandedOver,
            Self::ShuttingDown => ErrorCode::ShuttingDown,
        }
    }

    fn hint(&self) -> Option<&str> {
        match self {
            Self::NoRing { .. } => Some("daemon.stop and a new start end all sessions"),
            Self::Begun => Some("nothing was done: connect and call again"),
            Self::ShuttingDown => Some("start the daemon again"),
            #[cfg(portable)]
            Self::OneProcess => None,
            Self::Unsuited { .. } => None,
        }
    }

    fn data(&self) -> ErrorData {
        match self {
            Self::Begun => ErrorData::from_iter([("repeatable".into(), true.into())]),
            #[cfg(portable)]
            Self::OneProcess => ErrorData::new(),
            Self::Unsuited { .. } | Self::NoRing { .. } | Self::ShuttingDown => ErrorData::new(),
        }
    }
}
