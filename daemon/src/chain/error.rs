//! Errors of chains.

use crate::job::JobError;
use ccd_protocol::{ErrorCode, ErrorData, Reportable};
use ccd_session::SessionError;
use ccd_store::documents::DocumentError;
use ccd_text::expect::PatternError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ChainError {
    #[error("no chain has the name {0:?}")]
    NotFound(String),
    /// The message names the place in the chain.
    #[error("{0}")]
    Wrong(String),
    #[error("jobs are nested {0} deep already: does a job start itself?")]
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
            _ => None,
        }
    }

    fn data(&self) -> ErrorData {
        match self {
            Self::Document(error) => error.data(),
            Self::Job(error) => error.data(),
            Self::Session(error) => error.data(),
            // A pattern has no index: it is alone in its list, and the message names its place in the chain.
            _ => ErrorData::new(),
        }
    }
}

fn what_of(error: &PatternError) -> String {
    match error {
        PatternError::Syntax { at, message, .. } => format!("wrong at byte {at}: {message}"),
        other => other.to_string(),
    }
}
