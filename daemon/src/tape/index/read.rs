//! Reads an exchange from its file.

use super::build::open;
use super::find::Index;
use super::fits::Hit;
use super::problem::ReadError;
use super::tape::Stamp;
use crate::tape::format::{Exchange, read_exchange};
use std::os::unix::fs::FileExt as _;

impl Index {
    /// Reads an exchange with its output.
    ///
    /// Blocks, as reading files does.
    ///
    /// # Errors
    ///
    /// [`ReadError::Changed`] when the file is no longer what was indexed: the next index has what it is now.
    pub(crate) fn read(&self, hit: &Hit) -> Result<Exchange, ReadError> {
        let path = self.path(&hit.tape.id);
        let row = hit.row();
        let mut bytes = vec![0; row.len as usize];
        let read = || {
            let file = open(&path)?;
            let is_same = || Ok(Stamp::of(&file.metadata()?) == hit.tape.stamp);
            if !is_same()? {
                return Ok(false);
            }
            file.read_exact_at(&mut bytes, u64::from(row.start))?;
            // Somebody may have written into it meanwhile.
            is_same()
        };
        let read: std::io::Result<bool> = { read }();
        match read {
            Ok(true) => {}
            Ok(false) => return Err(ReadError::Changed { path }),
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::UnexpectedEof
                ) =>
            {
                return Err(ReadError::Changed { path });
            }
            Err(source) => return Err(ReadError::Io { path, source }),
        }
        read_exchange(&bytes).map_err(|source| ReadError::Format {
            path,
            exchange: hit.exchange,
            source,
        })
    }
}
