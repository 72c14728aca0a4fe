//! Why a report cannot be read, written or found.

use ccd_protocol::{ErrorCode, ErrorData, Reportable};
use ccd_store::documents::DocumentError;
use std::io;
use std::path::PathBuf;

const MAX_NAMED: usize = 10;

/// Each message names the report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("no report has the id, the file name or the program {0:?}")]
    NotFound(String),
    #[error("several reports have an id that starts with {start:?}: {}", .found[..MAX_NAMED.min(found.len())].join(", "))]
    Ambiguous { start: String, found: Vec<String> },
    #[error("{} cannot be used: {why}", .path.display())]
    Damaged { path: PathBuf, why: String },
    #[error("{} cannot be read or deleted: {source}", .path.display())]
    Disk { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Write(#[from] DocumentError),
}

impl Reportable for ReportError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound(_) | Self::Ambiguous { .. } => ErrorCode::ReportNotFound,
            Self::Damaged { .. } | Self::Disk { .. } => ErrorCode::Storage,
            Self::Write(error) => error.code(),
        }
    }

    fn hint(&self) -> Option<&str> {
        match self {
            Self::NotFound(_) => {
                Some("ccctl investigate list and ccctl test list show the reports")
            }
            Self::Ambiguous { .. } => Some("give more characters"),
            Self::Damaged { .. } => Some("delete the file, or restore it from a backup"),
            Self::Disk { .. } | Self::Write(_) => None,
        }
    }

    fn data(&self) -> ErrorData {
        match self {
            Self::Ambiguous { found, .. } => {
                ErrorData::from_iter([("matches".into(), found.clone().into())])
            }
            _ => ErrorData::new(),
        }
    }
}
