//! A pipe from and to this process.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{FdFlags, fcntl_setfd};

/// More bytes than the pipe ever contains, so that one read empties it.
const MAX_BYTES: usize = 64;

/// A descriptor that is readable from a [`raise`](Self::raise) until the next [`clear`](Self::clear).
#[derive(Debug)]
pub(crate) struct WakeEvent {
    readable: OwnedFd,
    writable: OwnedFd,
}

impl WakeEvent {
    pub(crate) fn new() -> io::Result<Self> {
        let (readable, writable) = rustix::pipe::pipe()?;
        for end in [&readable, &writable] {
            fcntl_setfd(end, FdFlags::CLOEXEC)?;
            fcntl_setfl(end, fcntl_getfl(end)? | OFlags::NONBLOCK)?;
        }
        Ok(Self { readable, writable })
    }

    /// Safe in a signal handler: it is a single non-blocking write.
    pub(crate) fn raise(&self) {
        // The only error is a full pipe, and then it is readable anyway.
        let _ = rustix::io::write(&self.writable, &[1]);
    }

    pub(crate) fn clear(&self) {
        // It fails if the event was not raised, which is fine. Remaining bytes wake the owner once more.
        let _ = rustix::io::read(&self.readable, &mut [0_u8; MAX_BYTES]);
    }
}

impl AsFd for WakeEvent {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.readable.as_fd()
    }
}
