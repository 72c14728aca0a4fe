//! Reads an exchange from its file.

use super::find::Index;
use super::hit::Hit;
use super::problem::ReadError;
use super::tape::Stamp;
use crate::format::file::open;
use crate::format::{Exchange, read_exchange};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

/// Maximum length that is read without another thread, if it is in the system's page cache.
#[cfg(target_os = "linux")]
const MAX_CACHED_BYTES: u32 = 64 << 10;

impl Index {
    /// Reads an exchange with its output.
    /// Blocks, because it reads a file.
    /// [`ReadError::Changed`] if the file has changed since it was indexed; the next index has the new version.
    pub fn read(&self, hit: &Hit) -> Result<Exchange, ReadError> {
        self.read_by(hit, |file, bytes, at| file.read_exact_at(bytes, at))
    }

    /// Reads an exchange without waiting for the disk; `None` if that is not possible, and on any error, which
    /// [`Self::read`] reports.
    #[cfg(target_os = "linux")]
    pub(crate) fn read_cached(&self, hit: &Hit) -> Option<Exchange> {
        use rustix::io::{ReadWriteFlags, preadv2};
        if hit.row().len > MAX_CACHED_BYTES {
            return None;
        }
        let read = self.read_by(hit, |file, bytes, at| {
            let wanted = bytes.len();
            let mut parts = [io::IoSliceMut::new(bytes)];
            match preadv2(file, &mut parts, at, ReadWriteFlags::NOWAIT)? {
                len if len == wanted => Ok(()),
                _ => Err(io::ErrorKind::WouldBlock.into()),
            }
        });
        read.ok()
    }

    /// Returns `None`: this platform cannot report in advance whether a read would wait.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn read_cached(&self, _hit: &Hit) -> Option<Exchange> {
        None
    }

    fn read_by(
        &self,
        hit: &Hit,
        read: impl FnOnce(&File, &mut [u8], u64) -> io::Result<()>,
    ) -> Result<Exchange, ReadError> {
        let path = self.path(&hit.tape.id);
        let row = hit.row();
        let mut bytes = vec![0; row.len as usize];
        let read = || {
            let file = open(&path)?;
            let is_same = || Ok(Stamp::from(&file.metadata()?) == hit.tape.stamp);
            if !is_same()? {
                return Ok(false);
            }
            read(&file, &mut bytes, u64::from(row.start))?;
            // Somebody may have changed the file meanwhile.
            is_same()
        };
        let read: io::Result<bool> = { read }();
        let is_gone = |error: &io::Error| {
            let kind = error.kind();
            matches!(kind, io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof)
        };
        match read {
            Ok(true) => {}
            Err(source) if !is_gone(&source) => return Err(ReadError::Io { path, source }),
            Ok(false) | Err(_) => return Err(ReadError::Changed { path }),
        }
        read_exchange(&bytes).map_err(|source| ReadError::Format {
            path,
            exchange: hit.exchange,
            source,
        })
    }
}
