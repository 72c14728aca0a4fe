//! Errors of a session's tapes.

use super::index::Miss;
use super::key::ContextRuleError;
use super::play::PlayError;
use super::root::RootError;
use ccd_protocol::{ErrorCode, ErrorData, Reportable};
use serde_json::Value;
use std::io;

#[derive(Debug, thiserror::Error)]
pub enum TapeError {
    #[error("{0}")]
    Miss(Box<Miss>),
    #[error(transparent)]
    Rules(#[from] ContextRuleError),
    #[error(transparent)]
    Root(#[from] RootError),
    #[error("could not start the recording: {0}")]
    Journal(#[source] io::Error),
    #[error("a tape cannot be read: {0}")]
    Read(#[source] io::Error),
    #[error("the input exceeds 16 MiB: no tape can contain it")]
    TooLong,
    #[error("the recorded program has ended")]
    Ended,
    #[error("the input is on no tape, and the real program could not take over: {0}")]
    Proxy(String),
}

impl Reportable for TapeError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Miss(_) => ErrorCode::TapeMiss,
            Self::Rules(_) | Self::TooLong => ErrorCode::InvalidArgument,
            Self::Root(error) => error.code(),
            Self::Journal(_) => ErrorCode::Storage,
            Self::Read(_) => ErrorCode::TapeInvalid,
            Self::Ended => ErrorCode::SessionNotAlive,
            Self::Proxy(_) => ErrorCode::Unavailable,
        }
    }

    fn hint(&self) -> Option<&str> {
        let concerns_root = matches!(self, Self::Root(_) | Self::Journal(_));
        concerns_root.then_some("give another root, or check its permissions")
    }

    fn data(&self) -> ErrorData {
        let Self::Miss(miss) = self else {
            return ErrorData::new();
        };
        match serde_json::to_value(miss) {
            Ok(Value::Object(mut data)) => {
                data.insert("summary".into(), miss.summary().into());
                data
            }
            _ => ErrorData::new(),
        }
    }
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
