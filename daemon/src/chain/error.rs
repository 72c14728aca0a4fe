//! What can be wrong with a chain.

use crate::documents::DocumentError;
use crate::expect::PatternError;
use crate::job::JobError;
use crate::session::SessionError;
use ccd_protocol::{ErrorCode, ErrorData, Reportable};

/// Why a chain was not saved or not started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChainError {
    #[error("no chain has the name {0:?}")]
    NotFound(String),
    /// Names the place.
    #[error("{0}")]
    Wrong(String),
    #[error("{0} jobs run within one another already: does one start itself?")]
    TooDeep(u32),
    #[error("{place}: {}", what_of(.error))]
    Pattern { place: String, error: PatternError },
    #[error(transparent)]
    Document(#[from] DocumentError),
    #[error(transparent)]
    Job(#[from] JobError),
    #[error(transparent)]
    Session(#[from] SessionError),
}

impl Reportable for ChainError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound(_) => ErrorCode::ChainNotFound,
            Self::Wrong(_) => ErrorCode::InvalidArgument,
            Self::TooDeep(_) => ErrorCode::LimitReached,
            Self::Pattern { error, .. } => error.code(),
            Self::Document(error) => error.code(),
            Self::Job(error) => error.code(),
            Self::Session(error) => error.code(),
        }
    }

    fn hint(&self) -> Option<&str> {
        match self {
            Self::NotFound(_) => Some("chain.list names all chains"),
            Self::Document(error) => error.hint(),
            Self::Job(error) => error.hint(),
            Self::Session(error) => error.hint(),
            Self::Wrong(_) | Self::TooDeep(_) | Self::Pattern { .. } => None,
        }
    }

    fn data(&self) -> ErrorData {
        match self {
            Self::Document(error) => error.data(),
            Self::Job(error) => error.data(),
            Self::Session(error) => error.data(),
            // The message names the pattern's place in the chain; here it is alone in its list.
            Self::Pattern { .. } => ErrorData::new(),
            Self::NotFound(_) | Self::Wrong(_) | Self::TooDeep(_) => ErrorData::new(),
        }
    }
}

/// What is wrong with the only pattern of a list.
fn what_of(error: &PatternError) -> String {
    match error {
        PatternError::Syntax { at, message, .. } => format!("wrong at byte {at}: {message}"),
        other => other.to_string(),
    }
}
