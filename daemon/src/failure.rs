//! Why a request fails.

use ccd_protocol::{ErrorCode, Reportable, SessionId};

/// The error of any part of the daemon.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) Box<dyn Reportable + Send + Sync>);

impl<E: Reportable + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(Box::new(error))
    }
}

/// An error in the parameters of a call.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallError {
    #[error("{0}")]
    Params(String),
    #[error("{0}")]
    InvalidArgument(String),
}

/// Returns the error about a value that the method does not accept; the message names the parameter.
pub(crate) fn invalid(message: impl Into<String>) -> CallError {
    CallError::InvalidArgument(message.into())
}

impl Reportable for CallError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Params(_) => ErrorCode::InvalidParams,
            Self::InvalidArgument(_) => ErrorCode::InvalidArgument,
        }
    }

    fn hint(&self) -> Option<&str> {
        matches!(self, Self::Params(_))
            .then_some("rpc.discover lists the parameters of each method")
    }
}

/// Refuses a relative path: the daemon's own directory means nothing to a client.
pub(crate) fn require_absolute(name: &str, path: &str) -> Result<(), CallError> {
    if path.starts_with('/') {
        return Ok(());
    }
    Err(invalid(format!("{name} {path:?} is not an absolute path")))
}

/// Refuses what cannot be an age in seconds.
pub(crate) fn require_age(older_than_s: f64) -> Result<(), CallError> {
    if older_than_s >= 0.0 {
        return Ok(());
    }
    let message = format!("older_than_s is {older_than_s}: give seconds, 0 or more");
    Err(invalid(message))
}

/// Returns the name of a document, which is also the name of its file.
pub(crate) fn document_name(name: &str) -> Result<SessionId, CallError> {
    SessionId::parse(name).map_err(|error| invalid(format!("the name {name:?} {error}")))
}
