//! Reads files that may have been put into the directory by somebody else.

use super::error::ReportError;
use rustix::fs::OFlags;
use serde::de::DeserializeOwned;
use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

pub(super) const MAX_BYTES: u64 = 32 << 20;

/// Reads a report, and the size of its file. Links are not followed, and pipes and devices are not read.
pub(super) fn read<R: DeserializeOwned>(path: &Path) -> Result<(R, u64), ReportError> {
    let damaged = |why: String| ReportError::Damaged {
        path: path.to_owned(),
        why,
    };
    let content = content(path).map_err(|source| ReportError::Disk {
        path: path.to_owned(),
        source,
    })?;
    if content.len() as u64 > MAX_BYTES {
        return Err(damaged(format!("it has more than {MAX_BYTES} bytes")));
    }
    let report = serde_json::from_slice(&content)
        .map_err(|error| damaged(format!("it is not a report: {error}")))?;
    Ok((report, content.len() as u64))
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
