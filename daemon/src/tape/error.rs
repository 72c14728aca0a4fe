//! What can go wrong with tapes in a session.

use super::index::Miss;
use super::key::RuleError;
use super::play::PlayError;
use super::root::RootError;
use std::io;

/// Why tapes do not do what a session asks of them.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TapeError {
    #[error("{0}")]
    Miss(Box<Miss>),
    #[error(transparent)]
    Rules(#[from] RuleError),
    #[error(transparent)]
    Root(#[from] RootError),
    #[error("nothing can be recorded: {0}")]
    Journal(#[source] io::Error),
    #[error("a tape cannot be read: {0}")]
    Read(#[source] io::Error),
    #[error("no tape has an input of more than 16 MiB")]
    TooLong,
    #[error("the recorded program has ended")]
    Ended,
    #[error("no tape has this input, and the real program cannot go on where the tape ended: {0}")]
    Proxy(String),
}

impl From<PlayError> for TapeError {
    fn from(error: PlayError) -> Self {
        match error {
            PlayError::Miss { miss, .. } => Self::Miss(miss),
            PlayError::Ended => Self::Ended,
            PlayError::TooLong => Self::TooLong,
            PlayError::Read(error) => Self::Read(error),
        }
    }
}
