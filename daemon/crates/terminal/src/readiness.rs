//! Descriptors in the runtime's event loop.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Registers a descriptor until the result is dropped.
///
/// # Errors
///
/// The kernel's error, for example if the descriptor is registered already.
pub fn watch(descriptor: Arc<OwnedFd>, interest: Interest) -> io::Result<AsyncFd<Arc<OwnedFd>>> {
    // SAFETY: the AsyncFd shares the ownership of the descriptor and so keeps it open, and an Arc of an OwnedFd always
    // has the same number.
    unsafe { AsyncFd::register_with_interest(descriptor, interest) }.map_err(io::Error::from)
}
