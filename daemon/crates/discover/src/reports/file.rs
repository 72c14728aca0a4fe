//! Reads files that may have been put into the directory by somebody else.

use super::error::ReportError;
use serde::de::DeserializeOwned;
use std::io;
use std::path::{Path, PathBuf};

pub(super) const MAX_BYTES: u64 = 32 << 20;

/// A report, or a part of one, with its file.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved<R> {
    pub report: R,
    pub path: PathBuf,
    pub bytes: u64,
}

/// Reads a report with an opener of [`own_file`](ccd_store::own_file).
pub(super) fn read<R: DeserializeOwned>(
    path: PathBuf,
    content: fn(&Path, u64) -> io::Result<Vec<u8>>,
) -> Result<Saved<R>, ReportError> {
    let content = match content(&path, MAX_BYTES) {
        Ok(content) => content,
        Err(source) => return Err(ReportError::Disk { path, source }),
    };
    match serde_json::from_slice(&content) {
        Ok(report) => Ok(Saved {
            report,
            path,
            bytes: content.len() as u64,
        }),
        Err(error) => {
            let why = format!("it is not a report: {error}");
            Err(ReportError::Damaged { path, why })
        }
    }
}
