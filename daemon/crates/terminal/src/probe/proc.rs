//! Small, bounded reads in `/proc`.

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::FileExt as _;

use rustix::fs::FileType;

use crate::process_stat::ProcessStat;

/// Maximum length read from one file. Only `fdinfo` of an epoll set with about 800 descriptors reaches it.
const FILE_MAX_BYTES: usize = 64 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TaskId {
    pub(super) pid: i32,
    pub(super) tid: i32,
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/proc/{}/task/{}", self.pid, self.tid)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ThreadStatus {
    pub(super) state: char,
    pub(super) voluntary_switches: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Descriptor {
    /// A character device with this number.
    Device(u64),
    Socket,
    /// A pipe with this number.
    Pipe(u64),
    Other,
}

/// Reads files in `/proc` through two buffers that are allocated once.
pub(super) struct ProcFiles {
    path: String,
    content: Vec<u8>,
}

impl ProcFiles {
    pub(super) fn new() -> Self {
        Self {
            path: String::with_capacity(64),
            content: vec![0; FILE_MAX_BYTES],
        }
    }

    /// Returns the line that contains the system call of the task.
    /// `PermissionDenied` if the kernel does not show it to this process, `NotFound` or `ESRCH` if the task has ended.
    pub(super) fn syscall(&mut self, task: TaskId) -> io::Result<&[u8]> {
        self.read(format_args!("{task}/syscall"))
    }

    /// Returns `None` if the task has ended.
    pub(super) fn status(&mut self, task: TaskId) -> Option<ThreadStatus> {
        parse_status(self.read(format_args!("{task}/status")).ok()?)
    }

    /// Returns `None` if the process has ended.
    pub(super) fn stat(&mut self, pid: i32) -> Option<ProcessStat> {
        ProcessStat::parse(self.read(format_args!("/proc/{pid}/stat")).ok()?)
    }

    /// Returns the ids of at most `limit` tasks of the process; none if it has ended.
    pub(super) fn tasks(&mut self, pid: i32, limit: usize) -> Vec<i32> {
        let entries = std::fs::read_dir(self.path(format_args!("/proc/{pid}/task")));
        let names = entries
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name());
        names
            .filter_map(|name| name.to_str()?.parse().ok())
            .take(limit)
            .collect()
    }

    /// Returns the processes that the task has started and that still exist.
    pub(super) fn children(&mut self, task: TaskId) -> Vec<i32> {
        let Ok(content) = self.read(format_args!("{task}/children")) else {
            return Vec::new();
        };
        let ids = content.split(u8::is_ascii_whitespace);
        ids.filter_map(|id| std::str::from_utf8(id).ok()?.parse().ok())
            .collect()
    }

    /// Returns what the descriptor refers to; `None` if it is not open.
    pub(super) fn descriptor(&mut self, task: TaskId, number: i32) -> Option<Descriptor> {
        let stat = rustix::fs::stat(self.path(format_args!("{task}/fd/{number}"))).ok()?;
        Some(match FileType::from_raw_mode(stat.st_mode) {
            FileType::CharacterDevice => Descriptor::Device(stat.st_rdev),
            FileType::Socket => Descriptor::Socket,
            FileType::Fifo => Descriptor::Pipe(stat.st_ino),
            _ => Descriptor::Other,
        })
    }

    /// Returns whether the task runs the program that this process runs.
    pub(super) fn is_own_program(&mut self, task: TaskId) -> bool {
        let own = rustix::fs::stat("/proc/self/exe");
        let its = rustix::fs::stat(self.path(format_args!("{task}/exe")));
        let (Ok(own), Ok(its)) = (own, its) else {
            return false;
        };
        (own.st_dev, own.st_ino) == (its.st_dev, its.st_ino)
    }

    /// Returns the kernel's details of a descriptor: for epoll, the set.
    pub(super) fn descriptor_info(&mut self, task: TaskId, number: i32) -> io::Result<&[u8]> {
        self.read(format_args!("{task}/fdinfo/{number}"))
    }

    pub(super) fn memory(
        &mut self,
        task: TaskId,
        address: u64,
        buffer: &mut [u8],
    ) -> io::Result<()> {
        File::open(self.path(format_args!("{task}/mem")))?.read_exact_at(buffer, address)
    }

    fn path(&mut self, path: fmt::Arguments<'_>) -> &str {
        self.path.clear();
        self.path
            .write_fmt(path)
            .expect("a String takes whatever is written");
        &self.path
    }

    fn read(&mut self, path: fmt::Arguments<'_>) -> io::Result<&[u8]> {
        let mut file = File::open(self.path(path))?;
        let mut len = 0;
        while len < self.content.len() {
            match file.read(&mut self.content[len..])? {
                0 => break,
                more => len += more,
            }
        }
        Ok(&self.content[..len])
    }
}

fn parse_status(content: &[u8]) -> Option<ThreadStatus> {
    let value = |name: &[u8]| {
        let line = content
            .split(|&byte| byte == b'\n')
            .find_map(|line| line.strip_prefix(name))?;
        std::str::from_utf8(line).ok().map(str::trim)
    };
    Some(ThreadStatus {
        state: value(b"State:")?.chars().next()?,
        voluntary_switches: value(b"voluntary_ctxt_switches:")?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn this_task() -> TaskId {
        let link = std::fs::read_link("/proc/thread-self").unwrap();
        let (pid, tid) = link.to_str().unwrap().split_once("/task/").unwrap();
        TaskId {
            pid: pid.parse().unwrap(),
            tid: tid.parse().unwrap(),
        }
    }

    #[test]
    fn the_voluntary_switches_are_not_the_other_ones() {
        let status = b"Name:\tx\xff\nState:\tT (stopped)\n\
            nonvoluntary_ctxt_switches:\t7\nvoluntary_ctxt_switches:\t12\n";
        assert_eq!(
            parse_status(status),
            Some(ThreadStatus {
                state: 'T',
                voluntary_switches: 12
            })
        );
        assert_eq!(parse_status(b"State:\tS (sleeping)\n"), None);
    }

    #[test]
    fn memory_is_read_whole_or_not_at_all() {
        let mut files = ProcFiles::new();
        let there = *b"sixteen bytes ok";
        let mut copy = [0; 16];
        files
            .memory(this_task(), there.as_ptr() as u64, &mut copy)
            .unwrap();
        assert_eq!(copy, there);
        assert!(files.memory(this_task(), 8, &mut copy).is_err());
    }
}
