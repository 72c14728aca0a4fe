//! A process by its number and start, and how it is signalled.

use std::ffi::CStr;
use std::io;

use rustix::process::{Pid, Signal};

/// The name of every daemon's process, on Linux whatever its file is called.
const DAEMON_NAME: &CStr = c"ccd";

/// Gives this process the name by which other daemons know it. Call it in the main thread.
///
/// # Errors
///
/// The kernel refuses, which it has no reason to.
pub fn name_daemon() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::thread::set_name(DAEMON_NAME)?;
    Ok(())
}

/// A process and not another one that got its number later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Process {
    pub pid: i32,
    /// When it was started, in clock ticks since the machine was; on macOS in microseconds since 1970.
    pub started_ticks: u64,
}

impl Process {
    /// Returns the process that has the number `pid` now, `None` when it has ended or cannot be looked at.
    pub fn of(pid: i32) -> Option<Self> {
        let stat = Stat::read(pid)?;
        stat.lives.then_some(Self {
            pid,
            started_ticks: stat.started_ticks,
        })
    }

    /// Returns true when it has ended, also when nobody has reaped it yet.
    pub fn is_gone(&self) -> bool {
        Self::of(self.pid) != Some(*self)
    }
}

/// Sends `signal` to each of `processes` that still lives. Returns the process ids that got it.
pub fn signal_all(processes: &[Process], signal: Signal) -> Vec<i32> {
    processes
        .iter()
        .filter(|p| send(**p, signal).is_ok())
        .map(|p| p.pid)
        .collect()
}

/// Signals through a descriptor of the process. It is checked after that was opened, so the number cannot have
/// passed to another process in between.
#[cfg(target_os = "linux")]
fn send(process: Process, signal: Signal) -> io::Result<()> {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
    let gone = || io::Error::from(rustix::io::Errno::SRCH);
    let pid = Pid::from_raw(process.pid).ok_or_else(gone)?;
    let descriptor = pidfd_open(pid, PidfdFlags::empty())?;
    if process.is_gone() {
        return Err(gone());
    }
    Ok(pidfd_send_signal(&descriptor, signal)?)
}

/// Signals by number: between the look and the signal the number may pass to another process, though no system gives
/// one away again so soon.
#[cfg(target_os = "macos")]
fn send(process: Process, signal: Signal) -> io::Result<()> {
    let gone = || io::Error::from(rustix::io::Errno::SRCH);
    let pid = Pid::from_raw(process.pid).ok_or_else(gone)?;
    if process.is_gone() {
        return Err(gone());
    }
    Ok(rustix::process::kill_process(pid, signal)?)
}

/// What the system says about a process, on Linux `/proc/PID/stat`.
#[derive(Debug)]
pub(super) struct Stat {
    /// It has the name of [`name_daemon`].
    pub(super) is_daemon: bool,
    pub(super) parent: i32,
    pub(super) started_ticks: u64,
    /// False for a zombie.
    pub(super) lives: bool,
}

#[cfg(target_os = "macos")]
impl Stat {
    /// Reads it; `None` when there is no such process.
    pub(super) fn read(pid: i32) -> Option<Self> {
        let process = crate::macos::process(pid)?;
        let name = crate::macos::name(pid);
        Some(Self {
            is_daemon: name.is_some_and(|name| name.as_bytes() == DAEMON_NAME.to_bytes()),
            parent: process.parent,
            started_ticks: process.started_us,
            lives: true,
        })
    }
}

#[cfg(target_os = "linux")]
impl Stat {
    /// Reads it; `None` when there is no such process.
    pub(super) fn read(pid: i32) -> Option<Self> {
        Self::parse(&std::fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    /// The second field is the program's name in parentheses, which may hold anything, also parentheses.
    fn parse(stat: &[u8]) -> Option<Self> {
        let name_start = stat.iter().position(|byte| *byte == b'(')? + 1;
        let name_end = stat.iter().rposition(|byte| *byte == b')')?;
        let fields = std::str::from_utf8(stat.get(name_end + 1..)?).ok()?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        Some(Self {
            is_daemon: stat.get(name_start..name_end)? == DAEMON_NAME.to_bytes(),
            lives: !matches!(*fields.first()?, "Z" | "X" | "x"),
            parent: fields.get(1)?.parse().ok()?,
            started_ticks: fields.get(19)?.parse().ok()?,
        })
    }
}
