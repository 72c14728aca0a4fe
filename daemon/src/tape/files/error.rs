//! Why something asked of tapes was not done.

use crate::tape::format::FormatError;
use crate::tape::format::file::FileError;
use crate::tape::root::RootError;
use crate::tape::tools::asciicast::CastError;
use std::io;

#[derive(Debug, thiserror::Error)]
pub(crate) enum FilesError {
    #[error("no tape in {root} has the id {given:?}")]
    NotFound { given: String, root: String },
    /// `given` may be a file's name, seen from the caller.
    #[error("there is no file {given:?}, and no tape of that name in {root}")]
    NoSuch { given: String, root: String },
    #[error("there is no file {path:?}")]
    NoFile { path: String },
    #[error("several tapes have {given:?} in their ids")]
    Ambiguous {
        given: String,
        /// Some of them.
        candidates: Vec<String>,
    },
    #[error("{given:?} is no id of a tape: {why}")]
    NoId { given: String, why: &'static str },
    /// With the place, as compilers tell it.
    #[error("{path}:{error}")]
    Format { path: String, error: FormatError },
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Root(#[from] RootError),
    #[error(transparent)]
    Cast(#[from] CastError),
    #[error("{path}: secrets cannot be taken out: {why}")]
    Redaction { path: String, why: String },
    #[error("{0}")]
    Argument(String),
    #[error("the picture would be larger than 16 MiB")]
    PictureTooLarge,
    #[error("{path}: {source}")]
    Io { path: String, source: io::Error },
}
