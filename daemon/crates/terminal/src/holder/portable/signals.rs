//! SIGCHLD through a handler, and the exits of the programs that the holder has started.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

use rustix::process::{Pid, WaitOptions, WaitStatus, waitpid};
use signal_hook_registry::SigId;

use super::WakeEvent;

/// Unblocks SIGCHLD in this thread and all that it starts: the process that started the daemon may have blocked it.
/// Must be called first in `main`, before any thread is started.
/// On an error, the mask is unchanged.
pub fn claim_children() -> io::Result<()> {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset initialises the set before it is used, SIGCHLD is a valid signal, and the old mask is not
    // requested.
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

/// A descriptor that becomes readable when a child of this process has exited.
#[derive(Debug)]
pub(crate) struct ChildSignals {
    arrived: Arc<WakeEvent>,
    action: SigId,
}

impl ChildSignals {
    pub(crate) fn claim() -> io::Result<Self> {
        let arrived = Arc::new(WakeEvent::new()?);
        let handler = Arc::clone(&arrived);
        // SAFETY: the action is one write to a pipe that does not block. The registry preserves `errno`, and keeps the
        // pipe open until the action is removed.
        let action =
            unsafe { signal_hook_registry::register(libc::SIGCHLD, move || handler.raise())? };
        Ok(Self { arrived, action })
    }

    /// Returns the process id and wait status of each of `leaders` that has exited, and reaps it.
    /// Other children are reaped by the code that started them.
    pub(crate) fn reap(&self, leaders: impl Iterator<Item = Pid>) -> Vec<(Pid, WaitStatus)> {
        // Cleared first, so that a child that exits meanwhile is reported again.
        self.arrived.clear();
        leaders
            .filter_map(|leader| waitpid(Some(leader), WaitOptions::NOHANG).ok()?)
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
