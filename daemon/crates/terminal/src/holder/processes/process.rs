//! Identifies a process by its number and start time, and sends signals to it.

use std::ffi::CStr;
use std::io;

use rustix::process::{Pid, Signal};

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
    Stat::read(pid.as_raw_nonzero().get()).is_some_and(|stat| stat.is_daemon)
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
    pub fn of(pid: i32) -> Option<Self> {
        let stat = Stat::read(pid)?;
        stat.lives.then_some(Self {
            pid,
            started_ticks: stat.started_ticks,
        })
    }

    /// Returns true if the process has ended, even if it is not reaped yet.
    pub fn is_gone(&self) -> bool {
        Self::of(self.pid) != Some(*self)
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
    let handle = Handle::open(process.pid)?;
    if process.is_gone() {
        return Err(rustix::io::Errno::SRCH.into());
    }
    handle.send(signal)
}

/// A descriptor of a process, which stays that of the same process.
#[cfg(target_os = "linux")]
pub(super) struct Handle(std::os::fd::OwnedFd);

#[cfg(target_os = "linux")]
impl Handle {
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

/// The end of the environment among the fields after the name.
#[cfg(target_os = "linux")]
const ENVIRONMENT_END: usize = 48;

/// The flags of a process among the fields after the name, and the one of the kernel's own processes (`PF_KTHREAD`).
#[cfg(target_os = "linux")]
const FLAGS: usize = 6;
#[cfg(target_os = "linux")]
const OF_KERNEL: u32 = 0x0020_0000;

/// The number of threads among the fields after the name.
#[cfg(target_os = "linux")]
const THREADS: usize = 17;

/// System information about a process, on Linux from `/proc/PID/stat`.
#[derive(Debug)]
pub(super) struct Stat {
    /// The process has the name that [`name_daemon`] sets.
    pub(super) is_daemon: bool,
    pub(super) parent: i32,
    pub(super) started_ticks: u64,
    /// False for a zombie, unless only its first thread has ended.
    pub(super) lives: bool,
    /// The session in the sense of the kernel, named by the process that opened it.
    pub(super) kernel_session: i32,
    /// The device number of its controlling terminal.
    pub(super) tty_device: u64,
    /// The process group, named as the session.
    #[cfg(not(portable))]
    pub(super) group: i32,
    /// It was stopped by a signal or a debugger; also true if that cannot be seen, because its first thread has ended.
    #[cfg(not(portable))]
    pub(super) is_stopped: bool,
    /// It lives but has no place for an environment: it execs another program, or ends. So it is for another user's process.
    #[cfg(target_os = "linux")]
    pub(super) is_in_exec: bool,
}

#[cfg(target_os = "macos")]
impl Stat {
    pub(super) fn read(pid: i32) -> Option<Self> {
        let process = crate::macos::process(pid)?;
        let name = crate::macos::name(pid);
        let opener = rustix::process::getsid(Some(Pid::from_raw(pid)?)).ok()?;
        Some(Self {
            is_daemon: name.is_some_and(|name| name.as_bytes() == DAEMON_NAME.to_bytes()),
            parent: process.parent,
            started_ticks: process.started_us,
            lives: true,
            kernel_session: opener.as_raw_nonzero().get(),
            tty_device: process.tty_device,
        })
    }
}

#[cfg(target_os = "linux")]
impl Stat {
    pub(super) fn read(pid: i32) -> Option<Self> {
        Self::parse(&std::fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Parses the line. The second field is the program's name in parentheses, which may contain any characters, even
    /// parentheses.
    fn parse(stat: &[u8]) -> Option<Self> {
        let name_start = stat.iter().position(|byte| *byte == b'(')? + 1;
        let name_end = stat.iter().rposition(|byte| *byte == b')')?;
        let fields = std::str::from_utf8(stat.get(name_end + 1..)?).ok()?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        let state = *fields.first()?;
        let has_first_thread = !matches!(state, "Z" | "X" | "x");
        let lives = has_first_thread || fields.get(THREADS)?.parse::<u32>().ok()? > 1;
        Some(Self {
            is_daemon: stat.get(name_start..name_end)? == DAEMON_NAME.to_bytes(),
            lives,
            #[cfg(not(portable))]
            group: fields.get(2)?.parse().ok()?,
            kernel_session: fields.get(3)?.parse().ok()?,
            // The kernel prints it as a signed number.
            tty_device: u64::from(fields.get(4)?.parse::<i32>().ok()?.cast_unsigned()),
            #[cfg(not(portable))]
            is_stopped: !has_first_thread || matches!(state, "T" | "t"),
            is_in_exec: has_first_thread
                && fields.get(ENVIRONMENT_END) == Some(&"0")
                && fields.get(FLAGS)?.parse::<u32>().ok()? & OF_KERNEL == 0,
            parent: fields.get(1)?.parse().ok()?,
            started_ticks: fields.get(19)?.parse().ok()?,
        })
    }
}
