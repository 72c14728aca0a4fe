//! Files that exist only during a call.

use ccd_store::own_file;
use std::io::{self, Write as _};
use std::path::PathBuf;

/// A file that is removed when this is dropped.
pub(super) struct TemporaryFile(pub(super) PathBuf);

impl TemporaryFile {
    pub(super) fn create(path: PathBuf, content: &[u8]) -> io::Result<Self> {
        let file = Self(path);
        own_file::create(&file.0)?.write_all(content)?;
        Ok(file)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
