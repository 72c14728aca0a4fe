//! Descriptors in the runtime's event loop.

use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::sync::Arc;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

pub fn watch(descriptor: Arc<OwnedFd>, interest: Interest) -> io::Result<AsyncFd<Arc<OwnedFd>>> {
    // SAFETY: the AsyncFd shares the ownership of the descriptor and so keeps it open, and an Arc of an OwnedFd always
    // has the same number.
    unsafe { AsyncFd::register_with_interest(descriptor, interest) }.map_err(io::Error::from)
}

/// Returns how much of what was written to a socket the other side has not read, in bytes that the kernel holds for it; 0 if
/// the kernel does not say.
pub fn unread_bytes(socket: impl AsFd) -> usize {
    let mut bytes: libc::c_int = 0;
    // SAFETY: the descriptor is open, and the kernel writes one number.
    unsafe { libc::ioctl(socket.as_fd().as_raw_fd(), libc::TIOCOUTQ, &raw mut bytes) };
    usize::try_from(bytes).unwrap_or_default()
}
