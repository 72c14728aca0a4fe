//! Identifies a process by its number and start time, and sends signals to it.

use std::ffi::CStr;
use std::io;

use rustix::process::{Pid, Signal};

use crate::process_stat::ProcessStat;

/// The process name of every daemon; on Linux it does not depend on the name of the file.
const DAEMON_NAME: &CStr = c"ccd";

/// Gives this process the name by which other daemons recognise it. Must be called in the main thread.
pub fn name_daemon() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::thread::set_name(DAEMON_NAME)?;
    Ok(())
}

/// Returns whether the process `pid` has the name of a daemon.
pub fn is_daemon(pid: Pid) -> bool {
    ProcessStat::read(pid.as_raw_nonzero().get()).is_some_and(|stat| has_daemon_name(&stat))
}

/// Returns whether a process has the name that [`name_daemon`] sets.
pub(super) fn has_daemon_name(stat: &ProcessStat) -> bool {
    stat.name.as_bytes() == DAEMON_NAME.to_bytes()
}

/// A process, never confused with a later one of the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Process {
    pub pid: i32,
    /// Start time, in clock ticks since boot; on macOS in microseconds since 1970.
    pub started_ticks: u64,
}

impl Process {
    /// Returns the process that has the number `pid` now; `None` if it has ended or cannot be inspected.
    pub fn find(pid: i32) -> Option<Self> {
        let stat = ProcessStat::read(pid)?;
        stat.lives.then_some(Self {
            pid,
            started_ticks: stat.started_ticks,
        })
    }

    /// Returns true if the process has ended, even if it is not reaped yet.
    pub fn is_gone(&self) -> bool {
        Self::find(self.pid) != Some(*self)
    }
}

/// Sends `signal` to each of `processes` that is still alive. Returns the process ids that received it.
pub fn signal_all(processes: &[Process], signal: Signal) -> Vec<i32> {
    processes
        .iter()
        .filter(|p| send(**p, signal).is_ok())
        .map(|p| p.pid)
        .collect()
}

/// Signals through a descriptor of the process. The process is checked after the descriptor is opened, so its number
/// cannot have passed to another process in between.
#[cfg(target_os = "linux")]
fn send(process: Process, signal: Signal) -> io::Result<()> {
    let handle = ProcessHandle::open(process.pid)?;
    if process.is_gone() {
        return Err(rustix::io::Errno::SRCH.into());
    }
    handle.send(signal)
}

/// A descriptor of a process, which stays that of the same process.
#[cfg(target_os = "linux")]
pub(super) struct ProcessHandle(std::os::fd::OwnedFd);

#[cfg(target_os = "linux")]
impl ProcessHandle {
    pub(super) fn open(pid: i32) -> io::Result<Self> {
        use rustix::process::{PidfdFlags, pidfd_open};
        let pid = Pid::from_raw(pid).ok_or(rustix::io::Errno::SRCH)?;
        Ok(Self(pidfd_open(pid, PidfdFlags::empty())?))
    }

    pub(super) fn send(&self, signal: Signal) -> io::Result<()> {
        Ok(rustix::process::pidfd_send_signal(&self.0, signal)?)
    }
}

/// Signals by number. Between the check and the signal, the number could pass to another process, but no system reuses
/// numbers so soon.
#[cfg(target_os = "macos")]
fn send(process: Process, signal: Signal) -> io::Result<()> {
    let gone = || io::Error::from(rustix::io::Errno::SRCH);
    let pid = Pid::from_raw(process.pid).ok_or_else(gone)?;
    if process.is_gone() {
        return Err(gone());
    }
    Ok(rustix::process::kill_process(pid, signal)?)
}
