//! Finds and signals what a session has left running.

use std::collections::{HashMap, HashSet};
#[cfg(target_os = "linux")]
use std::fs::File;
use std::io;
#[cfg(target_os = "linux")]
use std::io::Read;
use std::iter::successors;
use std::os::unix::process::parent_id;

#[cfg(target_os = "macos")]
use crate::macos::{all_processes, has_environment_entry as is_marked};
use rustix::process::{Pid, Signal};

/// The most processes that are looked at, against a machine that forks faster than it is read.
#[cfg(target_os = "linux")]
const MAX_PROCESSES: usize = 65_536;

/// How much of a process's environment is searched; the kernel allows no more.
#[cfg(target_os = "linux")]
const MAX_ENVIRON_BYTES: u64 = 6 << 20;

/// A process and not another one that got its number later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    /// When it was started, in clock ticks since the machine was; on macOS in microseconds since 1970.
    pub(crate) started_ticks: u64,
}

impl Process {
    /// Returns the process that has the number `pid` now, `None` when it has ended or cannot be looked at.
    pub(crate) fn of(pid: i32) -> Option<Self> {
        let entry = Entry::read(pid)?;
        entry.lives.then_some(Self {
            pid,
            started_ticks: entry.started_ticks,
        })
    }

    /// Returns true when it has ended, also when nobody has reaped it yet.
    pub(crate) fn is_gone(&self) -> bool {
        Self::of(self.pid) != Some(*self)
    }
}

/// Returns every living process of a session that this process has started, without order.
///
/// A process belongs to it when it descends from `leader` (`None` once that was reaped: its number may be another's),
/// or when it was started with the entry `marker` in its environment, such as `CCD_SESSION_ID=a`, or descends from
/// such a one. Where we adopt what loses its parent, only our descendants are looked at, elsewhere only our children
/// and those of our ancestors, one of which adopts: another daemon's session may have the same mark. What has cleared its environment and left the tree is not found.
///
/// Costs a small read for every process on the machine, and another for every descendant.
pub(crate) fn descendants(leader: Option<i32>, marker: &str) -> Vec<Process> {
    let table = Table::read();
    let candidates = if adopts_orphans() {
        table.below(vec![own_pid()])
    } else {
        table.children_of_own_line()
    };
    let marked = candidates
        .into_iter()
        .filter(|pid| is_marked(*pid, marker.as_bytes()));
    table.living(leader.into_iter().chain(marked).collect())
}

/// Likewise for a session of an earlier process, which was killed: none of it descends from us.
pub(crate) fn orphans(marker: &str) -> Vec<Process> {
    let table = Table::read();
    let ours = table.below(vec![own_pid()]);
    let others = table
        .entries
        .keys()
        .copied()
        .filter(|pid| !ours.contains(pid));
    table.living(
        others
            .filter(|pid| is_marked(*pid, marker.as_bytes()))
            .collect(),
    )
}

#[cfg(target_os = "linux")]
fn adopts_orphans() -> bool {
    rustix::process::child_subreaper().is_ok_and(|reaper| reaper.is_some())
}

#[cfg(target_os = "macos")]
fn adopts_orphans() -> bool {
    false
}

fn own_pid() -> i32 {
    std::process::id() as i32
}

/// The processes of this machine at one time, but for this one.
struct Table {
    entries: HashMap<i32, Entry>,
    children: HashMap<i32, Vec<i32>>,
}

impl Table {
    fn read() -> Self {
        let entries: HashMap<i32, Entry> = all_processes()
            .filter(|pid| *pid != own_pid())
            .filter_map(|pid| Some((pid, Entry::read(pid)?)))
            .collect();
        let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
        for (pid, entry) in &entries {
            children.entry(entry.parent).or_default().push(*pid);
        }
        Self { entries, children }
    }

    /// The children of this process, and of its ancestors.
    fn children_of_own_line(&self) -> HashSet<i32> {
        let parent = |pid: &i32| self.entries.get(pid).map(|entry| entry.parent);
        let ancestors = successors(Some(parent_id().cast_signed()), parent);
        ancestors
            .take(self.entries.len())
            .chain([own_pid()])
            .filter_map(|pid| self.children.get(&pid))
            .flatten()
            .copied()
            .collect()
    }

    /// `roots` and everything that descends from them, as far as it is in the table.
    fn below(&self, roots: Vec<i32>) -> HashSet<i32> {
        let mut waiting = roots;
        let mut seen = HashSet::new();
        while let Some(pid) = waiting.pop() {
            if seen.insert(pid) {
                waiting.extend(self.children.get(&pid).into_iter().flatten());
            }
        }
        seen.retain(|pid| self.entries.contains_key(pid));
        seen
    }

    /// What lives of `roots` and everything that descends from them.
    fn living(&self, roots: Vec<i32>) -> Vec<Process> {
        self.below(roots)
            .into_iter()
            .filter_map(|pid| Some((pid, self.entries.get(&pid)?)))
            .filter(|(_, entry)| entry.lives)
            .map(|(pid, entry)| Process {
                pid,
                started_ticks: entry.started_ticks,
            })
            .collect()
    }
}

/// Sends `signal` to each of `processes` that still lives. Returns the process ids that got it.
pub(crate) fn signal_all(processes: &[Process], signal: Signal) -> Vec<i32> {
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
struct Entry {
    parent: i32,
    started_ticks: u64,
    /// False for a zombie.
    lives: bool,
}

#[cfg(target_os = "macos")]
impl Entry {
    fn read(pid: i32) -> Option<Self> {
        crate::macos::process(pid).map(|process| Self {
            parent: process.parent,
            started_ticks: process.started_us,
            lives: true,
        })
    }
}

#[cfg(target_os = "linux")]
impl Entry {
    fn read(pid: i32) -> Option<Self> {
        Self::parse(&std::fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    /// The second field is the program's name in parentheses, which may hold anything, also parentheses.
    fn parse(stat: &[u8]) -> Option<Self> {
        let after_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
        let fields = std::str::from_utf8(&stat[after_name..]).ok()?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        Some(Self {
            lives: !matches!(*fields.first()?, "Z" | "X" | "x"),
            parent: fields.get(1)?.parse().ok()?,
            started_ticks: fields.get(19)?.parse().ok()?,
        })
    }
}

#[cfg(target_os = "linux")]
fn all_processes() -> impl Iterator<Item = i32> {
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .take(MAX_PROCESSES)
}

/// Looks at the environment that the process was started with; another user's cannot be read.
#[cfg(target_os = "linux")]
fn is_marked(pid: i32, marker: &[u8]) -> bool {
    let mut environ = Vec::new();
    let read = File::open(format!("/proc/{pid}/environ"))
        .and_then(|file| file.take(MAX_ENVIRON_BYTES).read_to_end(&mut environ));
    read.is_ok()
        && environ
            .split(|byte| *byte == 0)
            .any(|entry| entry == marker)
}
