//! What the system reports about a process.

/// A process, on Linux from `/proc/PID/stat`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ProcessStat {
    /// At most 15 bytes of its program's name, or what it calls itself.
    pub(crate) name: String,
    #[cfg(not(portable))]
    pub(crate) state: char,
    pub(crate) parent: i32,
    /// Start time, in clock ticks since boot; on macOS in microseconds since 1970.
    pub(crate) started_ticks: u64,
    /// Processor time of its own and of children that it has waited for, in clock ticks.
    #[cfg(target_os = "linux")]
    pub(crate) used_ticks: u64,
    /// False for a zombie, unless only its first thread has ended.
    pub(crate) lives: bool,
    /// The session in the sense of the kernel, named by the process that opened it.
    pub(crate) kernel_session: i32,
    /// The device number of its controlling terminal; 0 if it has none.
    pub(crate) tty_device: u64,
    /// The process group in the foreground of that terminal.
    pub(crate) foreground: i32,
    /// The process group, named as the session.
    #[cfg(not(portable))]
    pub(crate) group: i32,
    /// It lives but has no place for an environment: it execs another program, or ends. So it is for another user's process.
    #[cfg(target_os = "linux")]
    pub(crate) is_in_exec: bool,
}

#[cfg(target_os = "macos")]
impl ProcessStat {
    pub(crate) fn read(pid: i32) -> Option<Self> {
        let process = crate::macos::process(pid)?;
        let opener = rustix::process::getsid(Some(rustix::process::Pid::from_raw(pid)?)).ok()?;
        Some(Self {
            name: crate::macos::name(pid).unwrap_or_default(),
            parent: process.parent,
            started_ticks: process.started_us,
            lives: true,
            kernel_session: opener.as_raw_nonzero().get(),
            tty_device: process.tty_device,
            foreground: process.foreground,
        })
    }
}

/// Some of the fields after the name.
#[cfg(target_os = "linux")]
mod field {
    pub(super) const PARENT: usize = 1;
    #[cfg(not(portable))]
    pub(super) const GROUP: usize = 2;
    pub(super) const SESSION: usize = 3;
    pub(super) const TERMINAL: usize = 4;
    pub(super) const FOREGROUND: usize = 5;
    pub(super) const FLAGS: usize = 6;
    pub(super) const USED: std::ops::Range<usize> = 11..15;
    pub(super) const THREADS: usize = 17;
    pub(super) const STARTED: usize = 19;
    pub(super) const ENVIRONMENT_END: usize = 48;
}

/// The flag of the kernel's own processes (`PF_KTHREAD`).
#[cfg(target_os = "linux")]
const OF_KERNEL: u32 = 0x0020_0000;

#[cfg(target_os = "linux")]
impl ProcessStat {
    pub(crate) fn read(pid: i32) -> Option<Self> {
        Self::parse(&std::fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Parses the line. The second field is the program's name in parentheses, which may contain any characters, even
    /// parentheses.
    pub(crate) fn parse(stat: &[u8]) -> Option<Self> {
        let name_start = stat.iter().position(|byte| *byte == b'(')? + 1;
        let name_end = stat.iter().rposition(|byte| *byte == b')')?;
        let name = String::from_utf8_lossy(stat.get(name_start..name_end)?).into_owned();
        let fields = std::str::from_utf8(stat.get(name_end + 1..)?).ok()?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        let number = |field: usize| fields.get(field)?.parse::<i32>().ok();
        let state = fields.first()?.chars().next()?;
        let has_first_thread = !matches!(state, 'Z' | 'X' | 'x');
        Some(Self {
            name,
            #[cfg(not(portable))]
            state,
            lives: has_first_thread || number(field::THREADS)? > 1,
            parent: number(field::PARENT)?,
            #[cfg(not(portable))]
            group: number(field::GROUP)?,
            kernel_session: number(field::SESSION)?,
            // The kernel prints it as a signed number.
            tty_device: u64::from(number(field::TERMINAL)?.cast_unsigned()),
            foreground: number(field::FOREGROUND)?,
            is_in_exec: has_first_thread
                && fields.get(field::ENVIRONMENT_END) == Some(&"0")
                && fields.get(field::FLAGS)?.parse::<u32>().ok()? & OF_KERNEL == 0,
            started_ticks: fields.get(field::STARTED)?.parse().ok()?,
            used_ticks: fields
                .get(field::USED)?
                .iter()
                .filter_map(|ticks| ticks.parse::<u64>().ok())
                .sum(),
        })
    }

    /// Returns whether it was stopped by a signal or a debugger; also true if that cannot be seen, because its first thread
    /// has ended.
    #[cfg(not(portable))]
    pub(crate) fn is_stopped(&self) -> bool {
        matches!(self.state, 'T' | 't' | 'Z' | 'X' | 'x')
    }
}

#[cfg(test)]
#[cfg(not(portable))]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_parentheses_and_newlines() {
        let stat =
            b"31 (a) R 9 (\xff\n) S 30 29 28 -34817 27 4194560 0 0 0 0 0 0 0 0 20 0 1 0 777 0";
        let expected = ProcessStat {
            name: "a) R 9 (\u{fffd}\n".into(),
            state: 'S',
            parent: 30,
            started_ticks: 777,
            used_ticks: 0,
            lives: true,
            kernel_session: 28,
            tty_device: 0xffff_77ff,
            foreground: 27,
            group: 29,
            is_in_exec: false,
        };
        assert_eq!(ProcessStat::parse(stat), Some(expected));
        assert_eq!(ProcessStat::parse(b"31 (cat"), None);
    }
}
