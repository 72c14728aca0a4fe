//! What can be wrong with a chain.

use crate::documents::DocumentError;
use crate::expect::PatternError;
use crate::job::JobError;
use crate::session::SessionError;

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

/// What is wrong with the only pattern of a list.
fn what_of(error: &PatternError) -> String {
    match error {
        PatternError::Syntax { at, message, .. } => format!("wrong at byte {at}: {message}"),
        other => other.to_string(),
    }
}
