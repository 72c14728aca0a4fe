//! What `/proc` tells about a process.

use crate::Result;
use std::fs;

/// Memory of a process in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Memory {
    /// Its share of everything it has mapped, but of files that are rings.
    pub(crate) total: u64,
    /// The part of `total` that other files have: mostly program text, which the page cache holds anyway.
    pub(crate) files: u64,
}

impl Memory {
    /// Memory that no file has.
    pub(crate) fn own(self) -> u64 {
        self.total - self.files
    }
}

/// Memory of the process `pid`: its proportional share, rings left out.
pub(crate) fn memory(pid: u32) -> Result<Memory> {
    let maps = fs::read_to_string(format!("/proc/{pid}/smaps"))?;
    let mut memory = Memory::default();
    let mut path = "";
    for line in maps.lines() {
        let mut words = line.split_ascii_whitespace();
        let first = words.next().unwrap_or_default();
        if !first.ends_with(':') {
            path = words.nth(4).unwrap_or_default();
        } else if first == "Pss:" && !is_ring(path) {
            let kib: u64 = words.next().unwrap_or_default().parse()?;
            memory.total += kib << 10;
            memory.files += if path.starts_with('/') { kib << 10 } else { 0 };
        }
    }
    Ok(memory)
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

/// Work of all threads of the process `pid`.
pub(crate) fn work(pid: u32) -> Result<Work> {
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
