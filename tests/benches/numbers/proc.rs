//! Figures about a process from `/proc`.

use crate::Result;
use std::fs;

/// Memory of a process in bytes: its proportional share of its mappings, without ring files.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Memory {
    /// Memory that is not backed by a file.
    pub(crate) own: u64,
    /// Pages of files, mostly program text: the page cache would hold them anyway.
    pub(crate) files: u64,
}

/// Returns the memory of the process `pid`.
pub(crate) fn memory(pid: u32) -> Result<Memory> {
    let mut memory = memory_of_one(pid)?;
    if let Some(worker) = worker_of(pid) {
        let of_worker = memory_of_one(worker)?;
        memory.own += of_worker.own;
        memory.files += of_worker.files;
    }
    Ok(memory)
}

/// Returns the worker of the daemon whose holder is `pid`, if there is one.
pub(crate) fn worker_of(pid: u32) -> Option<u32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    let mut children = children.split_ascii_whitespace().flat_map(str::parse);
    children.find(|child| {
        let line = fs::read(format!("/proc/{child}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|arg| arg == b"--worker")
    })
}

/// Returns the most memory that the process `pid` ever had, in bytes, shared pages included.
pub(crate) fn peak_memory(pid: u32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    Ok(kib(line.unwrap_or_default().split_ascii_whitespace().next())? << 10)
}

/// Returns the memory of the process `pid`, without that of its worker.
pub(crate) fn memory_of_one(pid: u32) -> Result<Memory> {
    let maps = fs::read_to_string(format!("/proc/{pid}/smaps"))?;
    let mut memory = Memory::default();
    let (mut path, mut share) = ("", 0);
    for line in maps.lines() {
        let mut words = line.split_ascii_whitespace();
        let first = words.next().unwrap_or_default();
        if !first.ends_with(':') {
            path = words.nth(4).unwrap_or_default();
        } else if is_ring(path) {
            continue;
        } else if first == "Pss:" {
            share = kib(words.next())?;
        } else if first == "Anonymous:" {
            // Changed data of the program is mapped from a file, but the page is no longer that of the file.
            let own = if path.starts_with('/') {
                kib(words.next())?.min(share)
            } else {
                share
            };
            memory.own += own << 10;
            memory.files += (share - own) << 10;
        }
    }
    Ok(memory)
}

fn kib(word: Option<&str>) -> Result<u64> {
    Ok(word.unwrap_or_default().parse()?)
}

fn is_ring(path: &str) -> bool {
    path.contains(".rings/")
}

/// Processor time and wake-ups of a process so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Work {
    /// User and system time in clock ticks.
    pub(crate) ticks: u64,
    /// How often any of its threads went to sleep.
    pub(crate) sleeps: u64,
}

/// Returns the work of all threads of the process `pid`.
pub(crate) fn work(pid: u32) -> Result<Work> {
    let mut work = work_of_one(pid)?;
    if let Some(worker) = worker_of(pid) {
        let of_worker = work_of_one(worker)?;
        work.ticks += of_worker.ticks;
        work.sleeps += of_worker.sleeps;
    }
    Ok(work)
}

fn work_of_one(pid: u32) -> Result<Work> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let times = after_name.split_ascii_whitespace().skip(11).take(2);
    let mut ticks = 0;
    for time in times {
        ticks += time.parse::<u64>()?;
    }
    let mut sleeps = 0;
    for task in fs::read_dir(format!("/proc/{pid}/task"))? {
        let status = fs::read_to_string(task?.path().join("status"))?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        sleeps += line.unwrap_or("0").trim().parse::<u64>()?;
    }
    Ok(Work { ticks, sleeps })
}
