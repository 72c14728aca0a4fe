//! Errors of the tape methods.

use crate::format::FormatError;
use crate::format::file::FileError;
use crate::root::RootError;
use crate::tools::asciicast::CastError;
use ccd_protocol::{ErrorCode, ErrorData, Reportable};
use serde_json::json;
use std::io;

#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    #[error("no tape in {root} has the id {given:?}")]
    NotFound { given: String, root: String },
    /// `given` may be a file name relative to the caller's directory.
    #[error("there is no file {given:?}, and no tape of that name in {root}")]
    NoSuch { given: String, root: String },
    #[error("there is no file {path:?}")]
    NoFile { path: String },
    #[error("several tape ids contain {given:?}: {}", .candidates.join(", "))]
    Ambiguous {
        given: String,
        /// At most a few.
        candidates: Vec<String>,
    },
    #[error("{given:?} is not the id of a tape: {why}")]
    NoId { given: String, why: &'static str },
    /// With the position, as compilers print it.
    #[error("{path}:{error}")]
    Format { path: String, error: FormatError },
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Root(#[from] RootError),
    #[error(transparent)]
    Cast(#[from] CastError),
    #[error("{path}: secrets cannot be redacted: {why}")]
    Redaction { path: String, why: String },
    #[error("{0}")]
    Argument(String),
    #[error("the image would exceed 16 MiB")]
    PictureTooLarge,
    #[error("{path}: {source}")]
    Io { path: String, source: io::Error },
}

impl Reportable for FilesError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound { .. }
            | Self::NoSuch { .. }
            | Self::NoFile { .. }
            | Self::Ambiguous { .. } => ErrorCode::TapeNotFound,
            Self::NoId { .. } | Self::Argument(_) => ErrorCode::InvalidArgument,
            Self::Format { error, .. } => error.code(),
            Self::File(error) => error.code(),
            Self::Root(error) => error.code(),
            Self::Cast(_) => ErrorCode::TapeInvalid,
            Self::Redaction { .. } => ErrorCode::RedactionFailed,
            Self::PictureTooLarge => ErrorCode::LimitReached,
            Self::Io { .. } => ErrorCode::Storage,
        }
    }

    fn hint(&self) -> Option<&str> {
        match self {
            Self::NotFound { .. } => Some("tape.list lists all tapes"),
            Self::Ambiguous { .. } => Some("give more letters of the id"),
            _ => None,
        }
    }

    fn data(&self) -> ErrorData {
        let Self::Ambiguous { candidates, .. } = self else {
            return ErrorData::new();
        };
        ErrorData::from_iter([("candidates".into(), json!(candidates))])
    }
}
