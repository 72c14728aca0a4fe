//! Reads files that may have been put into the directory by somebody else.

use super::error::ReportError;
use rustix::fs::OFlags;
use serde::de::DeserializeOwned;
use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

pub(super) const MAX_BYTES: u64 = 32 << 20;

/// A report, or a part of one, with its file.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved<R> {
    pub report: R,
    pub path: PathBuf,
    pub bytes: u64,
}

/// Reads a report. Links are not followed, and pipes and devices are not read.
pub(super) fn read<R: DeserializeOwned>(path: PathBuf) -> Result<Saved<R>, ReportError> {
    let content = match content(&path) {
        Ok(content) => content,
        Err(source) => return Err(ReportError::Disk { path, source }),
    };
    let bytes = content.len() as u64;
    if bytes > MAX_BYTES {
        let why = format!("it has more than {MAX_BYTES} bytes");
        return Err(ReportError::Damaged { path, why });
    }
    match serde_json::from_slice(&content) {
        Ok(report) => Ok(Saved {
            report,
            path,
            bytes,
        }),
        Err(error) => {
            let why = format!("it is not a report: {error}");
            Err(ReportError::Damaged { path, why })
        }
    }
}

fn content(path: &Path) -> io::Result<Vec<u8>> {
    // A pipe that nobody writes to is not waited for.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut content = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut content)?;
    Ok(content)
}
