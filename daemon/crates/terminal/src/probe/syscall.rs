//! Determines what a sleeping task waits for, from the number and arguments of its system call.
//! A task of a 32-bit program on a 64-bit kernel has other call numbers; it counts as not waiting.

use std::io;

use libc::c_long;

use super::proc::{ProcFiles, TaskId};

/// Maximum number of descriptors of a `poll` set that are checked.
const POLL_MAX_LEN: usize = 256;

/// The highest descriptor of a `select` set that is checked, plus one: the size of `fd_set`.
const SELECT_MAX_LEN: usize = 1024;

/// `sizeof(struct pollfd)`: a descriptor (32 bits), the requested and the returned events (16 bits each).
const POLLFD_LEN: usize = 8;

/// `POLLIN | POLLRDNORM`; epoll uses the same bits.
const FOR_INPUT: u32 = 0x41;

/// A system call that a task sleeps in. Equal values mean that it is the same call, or the same again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sleep {
    number: c_long,
    arguments: [u64; 6],
    stack_and_instruction: [u64; 2],
}

impl Sleep {
    /// Returns the call that the task sleeps in; `None` if it runs or sleeps outside a call.
    /// `PermissionDenied` if the kernel does not show it to this process, other errors if the task has ended.
    pub(super) fn read(task: TaskId, files: &mut ProcFiles) -> io::Result<Option<Self>> {
        files.syscall(task).map(Self::parse)
    }

    /// For a call that reads: returns whether it asks for a single byte.
    pub(super) fn reads_one_byte(&self) -> bool {
        self.number == libc::SYS_read && self.arguments[2] == 1
    }

    /// Parses a line of `/proc/PID/task/TID/syscall`; `None` if the task runs or sleeps outside a call.
    fn parse(line: &[u8]) -> Option<Self> {
        let mut fields = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
        let number = fields.next()?.parse().ok().filter(|&number| number >= 0)?;
        let mut word = || u64::from_str_radix(fields.next()?.strip_prefix("0x")?, 16).ok();
        let mut arguments = [0; 6];
        for argument in &mut arguments {
            *argument = word()?;
        }
        Some(Self {
            number,
            arguments,
            stack_and_instruction: [word()?, word()?],
        })
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum TaskWait {
    /// Data from this descriptor.
    Read(i32),
    /// Input on any of several descriptors.
    Set(InputSet),
    Signal,
    /// Something other than input.
    Elsewhere,
}

/// Descriptors that are watched for input.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InputSet {
    /// The family of the call: `poll`, `select` or `epoll`.
    pub(super) how: &'static str,
    pub(super) descriptors: Vec<i32>,
    /// The call returns by itself after some time.
    pub(super) has_timeout: bool,
    /// The set was longer than the part that is checked.
    pub(super) cut: bool,
}

/// Returns what the call waits for. Reads the set through `files`, from the task's memory or its epoll descriptor.
pub(super) fn wait_of(sleep: &Sleep, task: TaskId, files: &mut ProcFiles) -> io::Result<TaskWait> {
    let arguments = &sleep.arguments;
    let (family, limit) = match WaitingCall::from(sleep.number) {
        WaitingCall::Read => return Ok(TaskWait::Read(arguments[0] as i32)),
        WaitingCall::Signal => return Ok(TaskWait::Signal),
        WaitingCall::Other => return Ok(TaskWait::Elsewhere),
        WaitingCall::Set(family, limit) => (family, limit),
    };
    let (how, (descriptors, cut)) = match family {
        CallFamily::Poll => ("poll", poll_set(arguments, task, files)?),
        CallFamily::Select => ("select", select_set(arguments, task, files)?),
        CallFamily::Epoll => {
            let info = files.descriptor_info(task, arguments[0] as i32)?;
            ("epoll", (epoll_descriptors(info), false))
        }
        // A call that continues after a stop keeps its arguments but not its number. It may be a `poll`, or a sleep
        // whose arguments are not a readable set.
        CallFamily::Restart => ("poll", poll_set(arguments, task, files).unwrap_or_default()),
    };
    Ok(TaskWait::Set(InputSet {
        how,
        descriptors,
        has_timeout: limit.is_set(arguments),
        cut,
    }))
}

/// The calls in which a task can wait for a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WaitingCall {
    Read,
    /// For a set of descriptors.
    Set(CallFamily, TimeLimit),
    Signal,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallFamily {
    Poll,
    Select,
    Epoll,
    Restart,
}

/// The argument that limits the time of a call, by its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TimeLimit {
    /// Milliseconds as a C `int`; a negative value means for ever.
    Milliseconds(usize),
    /// A pointer to the time; null means for ever.
    Pointer(usize),
}

impl From<c_long> for WaitingCall {
    /// The calls without `p` exist only on x86-64; newer architectures only have their successors.
    fn from(number: c_long) -> Self {
        use CallFamily::{Epoll, Poll, Restart, Select};
        use TimeLimit::{Milliseconds, Pointer};
        #[cfg(target_arch = "x86_64")]
        match number {
            libc::SYS_pause => return Self::Signal,
            libc::SYS_poll => return Self::Set(Poll, Milliseconds(2)),
            libc::SYS_select => return Self::Set(Select, Pointer(4)),
            libc::SYS_epoll_wait => return Self::Set(Epoll, Milliseconds(3)),
            _ => {}
        }
        match number {
            // Some versions of cat and pv use `splice` to move input to a pipe.
            libc::SYS_read | libc::SYS_readv | libc::SYS_splice => Self::Read,
            libc::SYS_recvfrom | libc::SYS_recvmsg => Self::Read,
            libc::SYS_rt_sigsuspend => Self::Signal,
            libc::SYS_ppoll => Self::Set(Poll, Pointer(2)),
            libc::SYS_pselect6 => Self::Set(Select, Pointer(4)),
            libc::SYS_epoll_pwait => Self::Set(Epoll, Milliseconds(3)),
            libc::SYS_epoll_pwait2 => Self::Set(Epoll, Pointer(3)),
            libc::SYS_restart_syscall => Self::Set(Restart, Milliseconds(2)),
            _ => Self::Other,
        }
    }
}

impl TimeLimit {
    fn is_set(self, arguments: &[u64; 6]) -> bool {
        match self {
            Self::Milliseconds(index) => arguments[index] as i32 >= 0,
            Self::Pointer(index) => arguments[index] != 0,
        }
    }
}

/// Returns the descriptors, and whether there were more than are checked.
fn poll_set(
    arguments: &[u64; 6],
    task: TaskId,
    files: &mut ProcFiles,
) -> io::Result<(Vec<i32>, bool)> {
    let wanted = usize::try_from(arguments[1]).unwrap_or(usize::MAX);
    let mut memory = [0; POLL_MAX_LEN * POLLFD_LEN];
    let memory = &mut memory[..wanted.min(POLL_MAX_LEN) * POLLFD_LEN];
    files.memory(task, arguments[0], memory)?;
    Ok((poll_descriptors(memory), wanted > POLL_MAX_LEN))
}

fn poll_descriptors(memory: &[u8]) -> Vec<i32> {
    let (entries, _) = memory.as_chunks::<POLLFD_LEN>();
    let watched = entries.iter().filter_map(|entry| {
        let [a, b, c, d, low, high, _, _] = *entry;
        let descriptor = i32::from_ne_bytes([a, b, c, d]);
        let events = u32::from(u16::from_ne_bytes([low, high]));
        (descriptor >= 0 && events & FOR_INPUT != 0).then_some(descriptor)
    });
    watched.collect()
}

/// Returns the descriptors, and whether there were more than are checked.
fn select_set(
    arguments: &[u64; 6],
    task: TaskId,
    files: &mut ProcFiles,
) -> io::Result<(Vec<i32>, bool)> {
    if arguments[1] == 0 {
        return Ok((Vec::new(), false));
    }
    let wanted = usize::try_from(arguments[0]).unwrap_or(usize::MAX);
    let len = wanted.min(SELECT_MAX_LEN);
    let mut memory = [0; SELECT_MAX_LEN / 8];
    let memory = &mut memory[..len.div_ceil(64) * 8];
    files.memory(task, arguments[1], memory)?;
    Ok((select_descriptors(memory, len), wanted > SELECT_MAX_LEN))
}

/// Reads the set, an array of 64-bit words in the machine's byte order.
fn select_descriptors(memory: &[u8], len: usize) -> Vec<i32> {
    let (words, _) = memory.as_chunks::<8>();
    let word_with = |number: usize| u64::from_ne_bytes(words[number / 64]);
    let watched = (0..len).filter(|&number| word_with(number) >> (number % 64) & 1 == 1);
    watched
        .filter_map(|number| i32::try_from(number).ok())
        .collect()
}

/// Returns the descriptors watched for input, from an epoll descriptor's `fdinfo`
/// (`tfd:        0 events:       19 data: …`, the events in hexadecimal).
fn epoll_descriptors(fdinfo: &[u8]) -> Vec<i32> {
    let watched = fdinfo.split(|&byte| byte == b'\n').filter_map(|line| {
        let line = std::str::from_utf8(line).ok()?.strip_prefix("tfd:")?;
        let mut fields = line.split_ascii_whitespace();
        let descriptor = fields.next()?.parse().ok()?;
        let events = u32::from_str_radix(fields.nth(1)?, 16).ok()?;
        (events & FOR_INPUT != 0).then_some(descriptor)
    });
    watched.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sleep_in(number: c_long, arguments: [u64; 6]) -> Sleep {
        Sleep {
            number,
            arguments,
            stack_and_instruction: [0; 2],
        }
    }

    #[test]
    fn a_sleeping_task_is_parsed_and_a_running_one_is_not() {
        let line = b"0 0x3 0x7f01 0x20000 0x22 0x0 0xffffffffffffffff 0x7ffc 0x7f02\n";
        let sleep = sleep_in(0, [3, 0x7f01, 0x20000, 0x22, 0, u64::MAX]);
        assert_eq!(
            Sleep::parse(line),
            Some(Sleep {
                stack_and_instruction: [0x7ffc, 0x7f02],
                ..sleep
            })
        );
        for line in [
            "running\n",
            "-1 0x7ffc 0x7f02\n",
            "",
            "0 0x3\n",
            "x 0x3 0x1",
        ] {
            assert_eq!(Sleep::parse(line.as_bytes()), None, "{line:?}");
        }
    }

    #[test]
    fn a_poll_set_counts_only_what_is_watched_for_input() {
        let entry = |descriptor: i32, events: u16| {
            let mut entry = descriptor.to_ne_bytes().to_vec();
            entry.extend(events.to_ne_bytes());
            entry.extend([0, 0]);
            entry
        };
        let memory = [
            entry(0, 1),
            entry(1, 4),
            entry(-1, 1),
            entry(9, 0x40),
            entry(5, 5),
        ]
        .concat();
        assert_eq!(poll_descriptors(&memory), [0, 9, 5]);
        assert_eq!(poll_descriptors(&[]), [0; 0]);
    }

    #[test]
    fn a_select_set_ends_at_its_length() {
        let mut memory = (1_u64 | 1 << 5 | 1 << 63).to_ne_bytes().to_vec();
        memory.extend((1_u64 | 1 << 2).to_ne_bytes());
        assert_eq!(select_descriptors(&memory, 66), [0, 5, 63, 64]);
        assert_eq!(select_descriptors(&memory, 0), [0; 0]);
    }

    #[test]
    fn an_epoll_set_counts_only_what_is_watched_for_input() {
        let fdinfo = b"pos:\t0\nflags:\t02000002\n\
            tfd:       21 events:       19 data:               15  pos:0 ino:3c9 sdev:18\n\
            tfd:        1 events:       1c data:                1  pos:0 ino:4 sdev:18\n\
            tfd:        0 events: 80000059 data:                0  pos:0 ino:4 sdev:18\ntfd:  4 ev";
        assert_eq!(epoll_descriptors(fdinfo), [21, 0]);
    }

    #[test]
    fn each_call_has_its_own_time_limit() {
        let for_ever = u64::from(u32::MAX);
        for (number, arguments, has_timeout) in [
            (libc::SYS_epoll_pwait, [4, 0, 16, for_ever, 0, 8], false),
            (libc::SYS_epoll_pwait, [4, 0, 16, 250, 0, 8], true),
            (libc::SYS_ppoll, [1, 1, 0, 1, 1, 1], false),
            (libc::SYS_ppoll, [0, 0, 0x7ffc, 0, 0, 0], true),
            (libc::SYS_pselect6, [0, 0, 0, 0, 0x7ffc, 0], true),
            (libc::SYS_restart_syscall, [0, 1, for_ever, 0, 0, 0], false),
        ] {
            let WaitingCall::Set(_, limit) = WaitingCall::from(number) else {
                panic!("{number} waits for a set");
            };
            assert_eq!(
                limit.is_set(&arguments),
                has_timeout,
                "{number} {arguments:?}"
            );
        }
    }
}
