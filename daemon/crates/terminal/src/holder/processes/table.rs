//! Finds the processes of a session, from a table of all processes by parent and by session.

#[cfg(target_os = "linux")]
use super::environment::environment_values;
use super::process::{Process, Stat};
use super::root::{adopts_orphans, holder_pid};
#[cfg(target_os = "macos")]
use crate::macos::{all_processes, environment_values};
use std::collections::{HashMap, HashSet};
use std::iter::successors;
use std::os::unix::process::parent_id;
use std::sync::Arc;
use std::time::Instant;

/// The environment variable with the id of a process's session. It identifies processes that have left the tree.
pub const SESSION_VARIABLE: &str = "CCD_SESSION_ID";

/// Maximum number of processes that are read, in case processes are created faster than that.
#[cfg(target_os = "linux")]
const MAX_PROCESSES: usize = 65_536;

/// Reads the table of processes once for all callers that wait at the same time.
///
/// Otherwise, the end of many sessions at once would read `/proc` several times for each of them.
#[derive(Debug, Default)]
pub struct ProcessTables {
    /// Held while a table is read; other callers wait for it.
    last: tokio::sync::Mutex<Option<Reading>>,
}

#[derive(Debug)]
struct Reading {
    began: Instant,
    table: Arc<ProcessTable>,
}

impl ProcessTables {
    /// Returns a table that was read after this call started.
    ///
    /// If several callers wait during a read, the first one makes the next read, and the others share its result.
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

/// The processes of this machine at one time, except this one.
#[derive(Debug, Default)]
pub struct ProcessTable {
    stats: HashMap<i32, Stat>,
    children: HashMap<i32, Vec<i32>>,
    /// Processes with a session's mark, by the session's id.
    marked: HashMap<Vec<u8>, Vec<i32>>,
    /// Processes whose mark counts.
    candidates: HashSet<i32>,
    is_of_killed_daemon: bool,
}

impl ProcessTable {
    /// Reads the processes. Marks count for processes that may belong to a session of this daemon. Blocks.
    ///
    /// Where the daemon adopts orphans, these are its descendants. Otherwise they are only its children and those of
    /// its ancestors, one of which adopts orphans. The session of another daemon may have the same mark.
    ///
    /// Costs a small read for every process of the machine, and another for each process whose mark counts.
    pub(crate) fn of_own_sessions() -> Self {
        let mut table = Self::without_marks();
        let candidates = if adopts_orphans() {
            table.below([holder_pid()])
        } else {
            table.children_of_own_line()
        };
        table.read_marks(candidates);
        table
    }

    /// Reads the processes for sessions of an earlier daemon that was killed. Marks count for processes that no daemon
    /// has adopted: another daemon, even one that runs in a session, may have a session with the same id.
    ///
    /// If the killed daemon was itself started in a session of another daemon, its processes are not found: the other
    /// daemon has adopted them.
    pub fn of_killed_daemon() -> Self {
        let mut table = Self::without_marks();
        let ours = table.below([holder_pid()]);
        let mut candidates = table.of_no_daemon();
        candidates.retain(|pid| !ours.contains(pid));
        table.read_marks(candidates);
        table.is_of_killed_daemon = true;
        table
    }

    /// Returns every living process of a session, in no particular order.
    ///
    /// A process belongs to it if it descends from one of `roots` (usually the leader; `None` once that was reaped,
    /// because its number may be reused), or if it or an ancestor was started with the session's mark. A process that has cleared its
    /// environment and left the tree is not found.
    pub fn of_session(&self, roots: impl IntoIterator<Item = i32>, id: &str) -> Vec<Process> {
        let marked = self.marked.get(id.as_bytes()).into_iter().flatten();
        self.below(roots.into_iter().chain(marked.copied()))
            .into_iter()
            .filter_map(|pid| Some((pid, self.stats.get(&pid)?)))
            .filter(|(_, stat)| stat.lives)
            .map(|(pid, stat)| Process {
                pid,
                started_ticks: stat.started_ticks,
            })
            .collect()
    }

    /// Returns every living process that descends from the process `ancestor` or is it, except this one, in no particular
    /// order. For one that adopts orphans, this is everything that it has started. Blocks.
    pub fn below_process(ancestor: i32) -> Vec<Process> {
        let table = Self::without_marks();
        let processes = table.below([ancestor]);
        let alive = processes
            .into_iter()
            .filter_map(|pid| Some((pid, table.stats.get(&pid)?)));
        alive
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
            ..Self::default()
        }
    }

    /// Returns the processes that adopt what the processes of the sessions leave.
    #[cfg(not(portable))]
    pub(super) fn adopters(&self) -> Vec<i32> {
        match self.is_of_killed_daemon {
            true => self
                .ancestors()
                .filter(|pid| *pid != holder_pid())
                .collect(),
            false => vec![holder_pid()],
        }
    }

    /// Returns whether the mark of a process was looked at.
    #[cfg(not(portable))]
    pub(super) fn has_judged(&self, pid: i32) -> bool {
        let had_mark = |stat: &Stat| !stat.is_in_exec;
        pid == own_pid()
            || self.candidates.contains(&pid) && self.stats.get(&pid).is_some_and(had_mark)
    }

    /// Reads the processes again.
    #[cfg(portable)]
    pub(super) fn again(&self) -> Self {
        match self.is_of_killed_daemon {
            true => Self::of_killed_daemon(),
            false => Self::of_own_sessions(),
        }
    }

    fn read_marks(&mut self, candidates: HashSet<i32>) {
        for pid in &candidates {
            for id in environment_values(*pid, SESSION_VARIABLE) {
                self.marked.entry(id).or_default().push(*pid);
            }
        }
        self.candidates = candidates;
    }

    /// Returns the children of this process and of its ancestors.
    fn children_of_own_line(&self) -> HashSet<i32> {
        self.ancestors()
            .chain([holder_pid()])
            .filter_map(|pid| self.children.get(&pid))
            .flatten()
            .copied()
            .collect()
    }

    /// Returns the ancestors of this process.
    fn ancestors(&self) -> impl Iterator<Item = i32> {
        let parent = |pid: &i32| self.stats.get(pid).map(|stat| stat.parent);
        successors(Some(parent_id().cast_signed()), parent).take(self.stats.len())
    }

    /// Returns `roots` and all their descendants in the table.
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

    /// Returns all processes except other daemons and their descendants, which include their sessions and processes
    /// that have left them.
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

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::join_all;
    use std::process::{Command, Stdio};

    #[tokio::test]
    async fn who_waits_for_a_table_shares_the_next_one() {
        let tables = ProcessTables::default();
        // As if a table were being read until all of them wait.
        let reading = tables.last.lock().await;
        let mut callers: Vec<_> = (0..50).map(|_| Box::pin(tables.current())).collect();
        for caller in &mut callers {
            assert!(futures_util::poll!(caller).is_pending());
        }
        drop(reading);
        let read = join_all(callers).await;
        assert!(read.iter().all(|table| Arc::ptr_eq(table, &read[0])));
        let later = tables.current().await;
        assert!(!Arc::ptr_eq(&later, &read[0]), "it began before the call");
    }

    #[tokio::test]
    async fn a_table_has_what_ran_when_it_was_asked_for() {
        let tables = ProcessTables::default();
        let id = format!("table-{}", own_pid());
        // As if a table were being read that does not have the child yet.
        let mut reading = tables.last.lock().await;
        let began = Instant::now();
        let mut child = Command::new("sleep")
            .arg("1000")
            .env(SESSION_VARIABLE, &id)
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let mut asked = Box::pin(tables.current());
        assert!(futures_util::poll!(&mut asked).is_pending());
        *reading = Some(Reading {
            began,
            table: Arc::default(),
        });
        drop(reading);
        let second = asked.await;
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
