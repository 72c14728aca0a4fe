//! With one process, there is no next worker, and nothing is kept for it.

use std::io;
use std::os::fd::OwnedFd;

/// Keeps nothing.
#[derive(Debug)]
pub struct KeptFile(());

impl KeptFile {
    /// Does nothing.
    pub(crate) fn create(_kept_state: &[u8]) -> io::Result<Self> {
        Ok(Self(()))
    }

    /// There is no file.
    pub(crate) fn descriptor(&self) -> io::Result<Option<OwnedFd>> {
        Ok(None)
    }

    /// Does nothing.
    pub fn write(&mut self, _kept_state: &[u8]) -> io::Result<()> {
        Ok(())
    }
}
