//! Finds what a session has left running: all processes at one time, by parent and by session.

use super::process::{Process, Stat};
use super::root::{adopts_orphans, holder_pid};
#[cfg(target_os = "macos")]
use crate::macos::{all_processes, environment_values};
use std::collections::{HashMap, HashSet};
#[cfg(target_os = "linux")]
use std::fs::File;
#[cfg(target_os = "linux")]
use std::io::Read;
use std::iter::successors;
use std::os::unix::process::parent_id;
use std::sync::Arc;
#[cfg(target_os = "linux")]
use std::time::Duration;
use std::time::Instant;

/// The variable that tells a process its session; the mark by which those are found that have left the tree.
pub const SESSION_VARIABLE: &str = "CCD_SESSION_ID";

/// The most processes that are looked at, against a machine that forks faster than it is read.
#[cfg(target_os = "linux")]
const MAX_PROCESSES: usize = 65_536;

/// How much of a process's environment is searched; the kernel allows no more.
#[cfg(target_os = "linux")]
const MAX_ENVIRON_BYTES: u64 = 6 << 20;

/// A process that has none may be about to become another program: it is looked at so often, with this pause between.
#[cfg(target_os = "linux")]
const EXEC_LOOKS: u32 = 3;
#[cfg(target_os = "linux")]
const EXEC_PAUSE: Duration = Duration::from_micros(200);

/// Reads the table of this daemon's processes, once for all who ask at the same time.
///
/// The end of many sessions at once would read `/proc` several times for each of them otherwise.
#[derive(Debug, Default)]
pub struct ProcessTables {
    /// Held while a table is read: who asks meanwhile waits here.
    last: tokio::sync::Mutex<Option<Reading>>,
}

#[derive(Debug)]
struct Reading {
    began: Instant,
    table: Arc<ProcessTable>,
}

impl ProcessTables {
    /// Returns a table that was read after this call began.
    ///
    /// Of those who wait while one is read the first reads the next one, and the others take that.
    pub async fn current(&self) -> Arc<ProcessTable> {
        let called = Instant::now();
        let mut last = self.last.lock().await;
        if let Some(reading) = last.as_ref().filter(|reading| reading.began > called) {
            return Arc::clone(&reading.table);
        }
        let began = Instant::now();
        let read = tokio::task::spawn_blocking(ProcessTable::of_own_sessions).await;
        let table = Arc::new(read.unwrap_or_default());
        *last = Some(Reading {
            began,
            table: Arc::clone(&table),
        });
        table
    }
}

/// The processes of this machine at one time, but for this one.
#[derive(Debug, Default)]
pub struct ProcessTable {
    stats: HashMap<i32, Stat>,
    children: HashMap<i32, Vec<i32>>,
    /// Processes that were started with a session's mark, by the session's id.
    marked: HashMap<Vec<u8>, Vec<i32>>,
}

impl ProcessTable {
    /// Reads the processes; marks count where a session of this daemon may be. Blocks.
    ///
    /// Where we adopt what loses its parent that is below us, elsewhere only our children and those of our ancestors,
    /// one of which adopts: another daemon's session may have the same mark.
    ///
    /// Costs a small read for every process on the machine, and another for every one whose mark counts.
    pub fn of_own_sessions() -> Self {
        let mut table = Self::without_marks();
        let candidates = if adopts_orphans() {
            table.below([holder_pid()])
        } else {
            table.children_of_own_line()
        };
        table.read_marks(&candidates);
        table
    }

    /// Likewise for sessions of an earlier process, which was killed: marks count where no daemon adopts what
    /// loses its parent. Another daemon, also one that runs in a session, may have a session of the same id.
    ///
    /// What a daemon left that was itself started in another daemon's session is not found: the latter has adopted it.
    pub fn of_killed_daemon() -> Self {
        let mut table = Self::without_marks();
        let ours = table.below([holder_pid()]);
        let mut candidates = table.of_no_daemon();
        candidates.retain(|pid| !ours.contains(pid));
        table.read_marks(&candidates);
        table
    }

    /// Returns every living process of a session, without order.
    ///
    /// A process belongs to it when it descends from `leader` (`None` once that was reaped: its number may be another's),
    /// or when it was started with the session's mark, or descends from such a one. What has cleared its environment
    /// and left the tree is not found.
    pub fn of_session(&self, leader: Option<i32>, id: &str) -> Vec<Process> {
        let marked = self.marked.get(id.as_bytes()).into_iter().flatten();
        self.below(leader.into_iter().chain(marked.copied()))
            .into_iter()
            .filter_map(|pid| Some((pid, self.stats.get(&pid)?)))
            .filter(|(_, stat)| stat.lives)
            .map(|(pid, stat)| Process {
                pid,
                started_ticks: stat.started_ticks,
            })
            .collect()
    }

    fn without_marks() -> Self {
        let stats: HashMap<i32, Stat> = all_processes()
            .filter(|pid| *pid != own_pid())
            .filter_map(|pid| Some((pid, Stat::read(pid)?)))
            .collect();
        let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
        for (pid, stat) in &stats {
            children.entry(stat.parent).or_default().push(*pid);
        }
        Self {
            stats,
            children,
            marked: HashMap::new(),
        }
    }

    fn read_marks(&mut self, candidates: &HashSet<i32>) {
        for pid in candidates {
            for id in environment_values(*pid, SESSION_VARIABLE) {
                self.marked.entry(id).or_default().push(*pid);
            }
        }
    }

    /// The children of this process, and of its ancestors.
    fn children_of_own_line(&self) -> HashSet<i32> {
        let parent = |pid: &i32| self.stats.get(pid).map(|stat| stat.parent);
        let ancestors = successors(Some(parent_id().cast_signed()), parent);
        ancestors
            .take(self.stats.len())
            .chain([holder_pid()])
            .filter_map(|pid| self.children.get(&pid))
            .flatten()
            .copied()
            .collect()
    }

    /// `roots` and everything that descends from them, as far as it is in the table.
    fn below(&self, roots: impl IntoIterator<Item = i32>) -> HashSet<i32> {
        let mut waiting: Vec<i32> = roots.into_iter().collect();
        let mut seen = HashSet::new();
        while let Some(pid) = waiting.pop() {
            if seen.insert(pid) {
                waiting.extend(self.children.get(&pid).into_iter().flatten());
            }
        }
        seen.retain(|pid| self.stats.contains_key(pid));
        seen
    }

    /// Everything but other daemons and what descends from them: their sessions, also what those have left.
    fn of_no_daemon(&self) -> HashSet<i32> {
        let daemons = self.stats.iter().filter(|(_, stat)| stat.is_daemon);
        let theirs = self.below(daemons.map(|(pid, _)| *pid));
        let all = self.stats.keys().copied();
        all.filter(|pid| !theirs.contains(pid)).collect()
    }
}

fn own_pid() -> i32 {
    std::process::id() as i32
}

#[cfg(target_os = "linux")]
fn all_processes() -> impl Iterator<Item = i32> {
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .take(MAX_PROCESSES)
}

/// Returns the values that the variable `name` has in the environment that a process was started with; another
/// user's cannot be read.
#[cfg(target_os = "linux")]
fn environment_values(pid: i32, name: &str) -> Vec<Vec<u8>> {
    let mut environ = Vec::new();
    for look in 0..EXEC_LOOKS {
        if look > 0 {
            std::thread::sleep(EXEC_PAUSE);
        }
        let read = File::open(format!("/proc/{pid}/environ"))
            .and_then(|file| file.take(MAX_ENVIRON_BYTES).read_to_end(&mut environ));
        match read {
            Ok(0) => {}
            Ok(_) => break,
            Err(_) => return Vec::new(),
        }
    }
    let value = |entry: &[u8]| {
        let after_name = entry.strip_prefix(name.as_bytes())?;
        after_name.strip_prefix(b"=").map(<[u8]>::to_vec)
    };
    environ.split(|byte| *byte == 0).filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::join_all;
    use std::process::{Command, Stdio};

    #[tokio::test]
    async fn who_waits_for_a_table_shares_the_next_one() {
        let tables = ProcessTables::default();
        let read = join_all((0..50).map(|_| tables.current())).await;
        assert!(!Arc::ptr_eq(&read[0], &read[1]), "it began before the call");
        let second = &read[1];
        assert!(read[1..].iter().all(|table| Arc::ptr_eq(table, second)));
    }

    #[tokio::test]
    async fn a_table_has_what_ran_when_it_was_asked_for() {
        let tables = ProcessTables::default();
        let first = tables.current();
        tokio::pin!(first);
        let is_begun = futures_util::poll!(first.as_mut()).is_pending();
        assert!(is_begun);
        let id = format!("table-{}", own_pid());
        let mut child = Command::new("sleep")
            .arg("1000")
            .env(SESSION_VARIABLE, &id)
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let (_, second) = tokio::join!(first, tables.current());
        let pid = child.id().cast_signed();
        let found = second.of_session(None, &id);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(
            found.iter().map(|process| process.pid).collect::<Vec<_>>(),
            [pid]
        );
        assert!(found[0].is_gone());
        let after = tables.current().await;
        assert!(after.of_session(None, &id).is_empty());
    }
}
