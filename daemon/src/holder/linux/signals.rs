//! SIGCHLD and the children of others: which of them are the holder's to reap.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};

use rustix::process::{Pid, WaitOptions, wait};

/// Blocks SIGCHLD in this thread and all it will start, and so gives every child of the process to the holder.
///
/// Call it first in `main`, before any thread is started: a thread that does not block it would take the signal.
///
/// # Errors
///
/// The kernel's error; the mask is as before then.
pub(crate) fn claim_children() -> io::Result<()> {
    let set = sigchld_set();
    // SAFETY: both pointers are valid for the call; the old mask is not asked for.
    let code =
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) };
    if code == 0 {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(code))
    }
}

/// A descriptor that becomes readable when a child of this process has ended.
#[derive(Debug)]
pub(in crate::holder) struct ChildSignals {
    fd: OwnedFd,
}

impl ChildSignals {
    /// Makes this process the reaper of its descendants. `None` unless SIGCHLD is blocked: then the children of this
    /// process belong to others too.
    pub(in crate::holder) fn claim() -> io::Result<Option<Self>> {
        if !sigchld_is_blocked()? {
            return Ok(None);
        }
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        let set = sigchld_set();
        // SAFETY: the set is valid for the call, and a new descriptor is asked for.
        let fd =
            unsafe { libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel just returned it, and nobody else knows it.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        Ok(Some(Self { fd }))
    }

    /// Reaps every child that has ended, not the leaders alone. Returns the process id and wait status of each.
    pub(in crate::holder) fn reap(&self, _leaders: impl Iterator<Item = Pid>) -> Vec<(Pid, i32)> {
        // The signal only says that there is something to reap, so what it carries is not looked at.
        let _ = rustix::io::read(&self.fd, &mut [0_u8; size_of::<libc::signalfd_siginfo>()]);
        std::iter::from_fn(|| wait(WaitOptions::NOHANG).ok()?)
            .map(|(pid, status)| (pid, status.as_raw()))
            .collect()
    }
}

impl AsFd for ChildSignals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

fn sigchld_set() -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset initialises the set, and SIGCHLD is a valid signal.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
        set.assume_init()
    }
}

fn sigchld_is_blocked() -> io::Result<bool> {
    let mut mask = MaybeUninit::uninit();
    // SAFETY: a null set changes nothing; the old mask is written to `mask`, which is initialised when that worked.
    unsafe {
        let code = libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), mask.as_mut_ptr());
        if code != 0 {
            return Err(io::Error::from_raw_os_error(code));
        }
        Ok(libc::sigismember(mask.as_ptr(), libc::SIGCHLD) == 1)
    }
}
