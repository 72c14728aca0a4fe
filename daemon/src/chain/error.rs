//! Errors of chains.

use ccd_protocol::{ErrorCode, Reportable};
use ccd_text::expect::PatternError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ChainError {
    #[error("no chain has the name {0:?}")]
    NotFound(String),
    #[error("jobs are nested {0} deep already: does a job start itself?")]
    TooDeep(u32),
    /// Its data has no index: it is alone in its list, and the message names its place in the chain.
    #[error("{place}: {}", what_of(.error))]
    Pattern { place: String, error: PatternError },
}

impl Reportable for ChainError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound(_) => ErrorCode::ChainNotFound,
            Self::TooDeep(_) => ErrorCode::LimitReached,
            Self::Pattern { error, .. } => error.code(),
        }
    }

    fn hint(&self) -> Option<&str> {
        matches!(self, Self::NotFound(_)).then_some("chain.list names all chains")
    }
}

fn what_of(error: &PatternError) -> String {
    match error {
        PatternError::Syntax { at, message, .. } => format!("wrong at byte {at}: {message}"),
        other => other.to_string(),
    }
}
