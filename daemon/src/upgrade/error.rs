//! Why the sessions are not handed over to another worker.

use ccd_protocol::{ErrorCode, ErrorData, Reportable};

#[derive(Debug, thiserror::Error)]
pub(crate) enum HandOverError {
    #[cfg(not(portable))]
    #[error("{} cannot take over: {why}", .path.display())]
    Unsuited {
        path: std::path::PathBuf,
        why: String,
    },
    #[cfg(portable)]
    #[error(
        "this system has no handover, because holder and worker are one process: stop the daemon and start it again"
    )]
    OneProcess,
    #[error("a handover to another worker has started")]
    Begun,
    #[error("the daemon is stopping")]
    ShuttingDown,
}

impl Reportable for HandOverError {
    fn code(&self) -> ErrorCode {
        match self {
            #[cfg(not(portable))]
            Self::Unsuited { .. } => ErrorCode::InvalidArgument,
            #[cfg(portable)]
            Self::OneProcess => ErrorCode::Unavailable,
            Self::Begun => ErrorCode::HandedOver,
            Self::ShuttingDown => ErrorCode::ShuttingDown,
        }
    }

    fn hint(&self) -> Option<&str> {
        match self {
            Self::Begun => Some("nothing was done: connect again and repeat the call"),
            Self::ShuttingDown => Some("start the daemon again"),
            _ => None,
        }
    }

    fn data(&self) -> ErrorData {
        match self {
            Self::Begun => ErrorData::from_iter([("repeatable".into(), true.into())]),
            _ => ErrorData::new(),
        }
    }
}
