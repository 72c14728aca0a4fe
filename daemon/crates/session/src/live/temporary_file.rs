//! Files that exist only during a call.

use ccd_store::own_file;
use std::io::{self, Write as _};
use std::path::PathBuf;

/// A file that is removed when this is dropped.
#[derive(Debug)]
pub(super) struct TemporaryFile(pub(super) PathBuf);

impl TemporaryFile {
    pub(super) fn create(path: PathBuf, content: &[u8]) -> io::Result<Self> {
        let mut file = own_file::create(&path)?;
        let created = Self(path);
        file.write_all(content)?;
        Ok(created)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
