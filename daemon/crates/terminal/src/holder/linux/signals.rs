//! SIGCHLD and the reaping of children; the signals that are requests to the daemon.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};

use rustix::process::Signal;

/// Blocks SIGCHLD in this thread and all that it starts, which gives every child of the process to the holder.
/// Must be called first in `main`, before any thread is started: a thread that does not block it would take the signal.
/// On an error, the mask is unchanged.
pub fn claim_children() -> io::Result<()> {
    change_mask(libc::SIG_BLOCK, &set_of(&[libc::SIGCHLD]))
}

#[cfg(not(test))]
pub(crate) use children::ChildSignals;

#[cfg(not(test))]
mod children {
    use super::{io, set_of, signal_descriptor};
    use rustix::process::{Pid, WaitOptions, WaitStatus, getpid, set_child_subreaper, wait};
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

    /// A descriptor that becomes readable when a child of this process has exited, was stopped or continues.
    #[derive(Debug)]
    pub(crate) struct ChildSignals(OwnedFd);

    impl ChildSignals {
        /// Makes this process the reaper of its descendants. [`claim_children`](super::claim_children) must have been called.
        pub(crate) fn claim() -> io::Result<Self> {
            set_child_subreaper(Some(getpid()))?;
            signal_descriptor(&set_of(&[libc::SIGCHLD])).map(Self)
        }

        /// Reaps every child that has exited, not only the leaders. Returns the process id and wait status of each, and of
        /// those that were stopped or continue.
        pub(crate) fn reap(&self, _leaders: impl Iterator<Item = Pid>) -> Vec<(Pid, WaitStatus)> {
            // The signal only says that there is something to reap, so its contents are ignored.
            let _ = rustix::io::read(&self.0, &mut [0_u8; size_of::<libc::signalfd_siginfo>()]);
            let options = WaitOptions::NOHANG | WaitOptions::UNTRACED | WaitOptions::CONTINUED;
            std::iter::from_fn(|| wait(options).ok()?).collect()
        }
    }

    impl AsFd for ChildSignals {
        fn as_fd(&self) -> BorrowedFd<'_> {
            self.0.as_fd()
        }
    }
}

#[cfg(test)]
pub(crate) use tests::ChildSignals;

/// The signals that are requests to the daemon.
const ASKING: [libc::c_int; 3] = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP];

pub(super) fn asking_set() -> libc::sigset_t {
    set_of(&ASKING)
}

/// Unblocks the signals that are requests. A worker is started with them blocked, until it can handle them.
pub fn hear_signals() {
    // It can only fail for a wrong first argument.
    let _ = change_mask(libc::SIG_UNBLOCK, &asking_set());
}

/// A descriptor that reports the signals that are requests, which are blocked from now on.
#[derive(Debug)]
pub(crate) struct AskingSignals(OwnedFd);

impl AskingSignals {
    /// Blocks these signals in this thread and all that it starts. Must be called before any thread is started.
    pub(crate) fn claim() -> io::Result<Self> {
        let set = asking_set();
        change_mask(libc::SIG_BLOCK, &set)?;
        signal_descriptor(&set).map(Self)
    }

    pub(crate) fn take(&self) -> Vec<Signal> {
        let mut signals = Vec::new();
        let mut info = [0_u8; size_of::<libc::signalfd_siginfo>()];
        while let Ok(len) = rustix::io::read(&self.0, &mut info)
            && len == info.len()
        {
            // The number is the first field.
            let number = u32::from_ne_bytes([info[0], info[1], info[2], info[3]]);
            signals.extend(Signal::from_named_raw(number.cast_signed()));
        }
        signals
    }
}

impl AsFd for AskingSignals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// These functions return the error number instead of setting `errno`.
pub(super) fn check(code: libc::c_int) -> io::Result<()> {
    match code {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

fn change_mask(how: libc::c_int, set: &libc::sigset_t) -> io::Result<()> {
    // SAFETY: both pointers are valid for the call; the old mask is not requested.
    check(unsafe { libc::pthread_sigmask(how, set, std::ptr::null_mut()) })
}

fn signal_descriptor(set: &libc::sigset_t) -> io::Result<OwnedFd> {
    // SAFETY: the set is valid for the call, which returns a new descriptor.
    let fd = unsafe { libc::signalfd(-1, set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel just returned it, and nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

pub(super) fn set_of(signals: &[libc::c_int]) -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset initialises the set, and the signals are valid ones.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in signals {
            libc::sigaddset(set.as_mut_ptr(), *signal);
        }
        set.assume_init()
    }
}

#[cfg(test)]
mod tests {
    use rustix::process::{Pid, WaitOptions, WaitStatus, waitpid};
    use rustix::time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec};
    use std::io;
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

    /// A timer: in a test, other threads do not block SIGCHLD, and other tests have children of their own.
    #[derive(Debug)]
    pub(crate) struct ChildSignals(OwnedFd);

    impl ChildSignals {
        pub(crate) fn claim() -> io::Result<Self> {
            let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
            let timer = rustix::time::timerfd_create(TimerfdClockId::Monotonic, flags)?;
            let period = Timespec {
                tv_sec: 0,
                tv_nsec: 2_000_000,
            };
            let again = Itimerspec {
                it_interval: period,
                it_value: period,
            };
            rustix::time::timerfd_settime(&timer, TimerfdTimerFlags::empty(), &again)?;
            Ok(Self(timer))
        }

        pub(crate) fn reap(&self, leaders: impl Iterator<Item = Pid>) -> Vec<(Pid, WaitStatus)> {
            let _ = rustix::io::read(&self.0, &mut [0; 8]);
            leaders
                .filter_map(|leader| waitpid(Some(leader), WaitOptions::NOHANG).ok()?)
                .collect()
        }
    }

    impl AsFd for ChildSignals {
        fn as_fd(&self) -> BorrowedFd<'_> {
            self.0.as_fd()
        }
    }
}
