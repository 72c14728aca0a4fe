//! SIGCHLD by a handler, and the ends of the holder's own programs.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

use rustix::process::{Pid, WaitOptions, waitpid};
use signal_hook_registry::SigId;

use super::Event;

/// Lets SIGCHLD through in this thread and all it will start: whoever started the daemon may have blocked it.
///
/// Call it first in `main`, before any thread is started.
///
/// # Errors
///
/// The kernel's error; the mask is as before then.
pub fn claim_children() -> io::Result<()> {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset initialises the set before it is used, SIGCHLD is a valid signal, and the old mask is not
    // asked for.
    let code = unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, set.as_ptr(), std::ptr::null_mut())
    };
    if code == 0 {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(code))
    }
}

/// A descriptor that becomes readable when a child of this process has ended.
#[derive(Debug)]
pub(in crate::holder) struct ChildSignals {
    arrived: Arc<Event>,
    action: SigId,
}

impl ChildSignals {
    /// Never `None`: where nothing else tells the end of a program, SIGCHLD must.
    pub(in crate::holder) fn claim() -> io::Result<Option<Self>> {
        let arrived = Arc::new(Event::new()?);
        let handler = Arc::clone(&arrived);
        // SAFETY: the action is one write to a pipe that does not block. The registry keeps `errno`, and keeps the
        // pipe open until the action is removed.
        let action =
            unsafe { signal_hook_registry::register(libc::SIGCHLD, move || handler.raise())? };
        Ok(Some(Self { arrived, action }))
    }

    /// Returns the process id and wait status of each of `leaders` that has ended, and reaps it.
    ///
    /// Children that others have started are theirs to reap.
    pub(in crate::holder) fn reap(&self, leaders: impl Iterator<Item = Pid>) -> Vec<(Pid, i32)> {
        // First, so that a child that ends meanwhile is heard of again.
        self.arrived.clear();
        leaders
            .filter_map(|leader| waitpid(Some(leader), WaitOptions::NOHANG).ok()?)
            .map(|(pid, status)| (pid, status.as_raw()))
            .collect()
    }
}

impl AsFd for ChildSignals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.arrived.as_fd()
    }
}

impl Drop for ChildSignals {
    fn drop(&mut self) {
        signal_hook_registry::unregister(self.action);
    }
}
