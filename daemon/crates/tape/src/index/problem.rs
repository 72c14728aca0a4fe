//! Why a file is not a tape, or has changed since it was read.

use crate::format::FormatError;
use ccd_protocol::tape::TapeProblem;
use std::io;
use std::path::{Path, PathBuf};

/// Maximum number of tapes of one root.
pub(super) const MAX_TAPES: usize = 100_000;

/// Maximum size of one tape.
pub(super) const MAX_TAPE_BYTES: u64 = 64 << 20;

/// Maximum number of directories that are read: a link may lead to the whole file system.
pub(super) const MAX_FOLDERS: usize = 100_000;

#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Try again when the index has the new version.
    #[error("the tape {path:?} has changed since it was indexed; try again")]
    Changed { path: PathBuf },
    #[error("the tape {path:?} cannot be read: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("the tape {path:?}, exchange {exchange}: {source}")]
    Format {
        path: PathBuf,
        exchange: u32,
        source: FormatError,
    },
}

#[derive(Debug, thiserror::Error)]
pub(super) enum LoadError {
    #[error("{0}")]
    Format(#[from] FormatError),
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("it is a {kind}, not a file; give it another name")]
    Kind { kind: &'static str },
    #[error("it is a dangling link; remove it, or restore its target")]
    Link,
    #[error("it has {bytes} bytes; a tape may have at most {MAX_TAPE_BYTES}")]
    TooLarge { bytes: u64 },
    #[error("it changed while it was being read; save it again")]
    Moving,
    #[error("its name is not UTF-8; rename it")]
    Name,
    #[error("more than {MAX_TAPES} tapes; move some into another directory")]
    TooMany,
    #[error("more than {MAX_FOLDERS} directories; remove links that lead elsewhere")]
    TooManyFolders,
    #[error("directories are nested too deep here")]
    TooDeep,
}

impl LoadError {
    pub(super) fn problem(&self, path: &Path) -> TapeProblem {
        let (line, column, message) = match self {
            Self::Format(error) => (
                Some(error.line),
                Some(error.column),
                error.fault.to_string(),
            ),
            other => (None, None, other.to_string()),
        };
        TapeProblem {
            path: path.to_string_lossy().into_owned(),
            line,
            column,
            message,
            is_warning: false,
        }
    }
}
