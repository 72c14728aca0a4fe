//! Finds the processes of a session, from a table of all processes.

#[cfg(target_os = "linux")]
use super::environment::environment_values;
use super::process::{Process, has_daemon_name};
use super::root::{adopts_orphans, holder_pid};
use super::traces::{Leader, SESSION_VARIABLE, Traces};
#[cfg(target_os = "macos")]
use crate::macos::{all_processes, environment_values};
use crate::process_stat::ProcessStat;
use std::collections::{HashMap, HashSet};
use std::iter::successors;
use std::os::unix::process::parent_id;
use std::sync::Arc;
use std::time::Instant;

/// Maximum number of processes that are read, in case processes are created faster than that.
#[cfg(target_os = "linux")]
const MAX_PROCESSES: usize = 65_536;

/// Reads the table of processes once for all callers that wait at the same time.
/// Otherwise, the end of many sessions at once would read `/proc` several times for each of them.
#[derive(Debug, Default)]
pub struct ProcessTables {
    /// Held while a table is read; other callers wait for it.
    last: tokio::sync::Mutex<Option<TableReading>>,
}

#[derive(Debug)]
struct TableReading {
    began: Instant,
    table: Arc<ProcessTable>,
}

impl ProcessTables {
    /// Returns a table that was read after this call started.
    /// If several callers wait during a read, the first one makes the next read, and the others share its result.
    pub async fn current(&self) -> Arc<ProcessTable> {
        let called = Instant::now();
        let mut last = self.last.lock().await;
        if let Some(reading) = last.as_ref().filter(|reading| reading.began > called) {
            return Arc::clone(&reading.table);
        }
        let began = Instant::now();
        let earlier = earlier(last.as_ref());
        let read = move || ProcessTable::read(&earlier);
        let read = tokio::task::spawn_blocking(read).await;
        let table = Arc::new(read.unwrap_or_default());
        *last = Some(TableReading {
            began,
            table: Arc::clone(&table),
        });
        table
    }

    /// Returns a table for sessions of a daemon that was killed.
    pub async fn after_kill(&self) -> Arc<ProcessTable> {
        let earlier = earlier(self.last.lock().await.as_ref());
        let read = move || ProcessTable::read_after_kill(&earlier);
        Arc::new(tokio::task::spawn_blocking(read).await.unwrap_or_default())
    }
}

fn earlier(last: Option<&TableReading>) -> Arc<ProcessTable> {
    last.map(|reading| Arc::clone(&reading.table))
        .unwrap_or_default()
}

/// The processes of this machine at one time, except this one.
#[derive(Debug, Default)]
pub struct ProcessTable {
    stats: HashMap<i32, ProcessStat>,
    children: HashMap<i32, Vec<i32>>,
    /// Processes with a session's mark, by the session's id.
    marked: HashMap<Vec<u8>, Vec<i32>>,
    /// Processes whose mark, session in the sense of the kernel and terminal count.
    candidates: HashSet<i32>,
    /// The child of the holder below which each process was first seen, in this table or an earlier one.
    origins: HashMap<Process, Process>,
    is_of_killed_daemon: bool,
}

impl ProcessTable {
    /// Reads the processes. Marks count for processes that may belong to a session of this daemon. Blocks.
    /// Where the daemon adopts orphans, these are its descendants. Otherwise they are only its children and those of
    /// its ancestors, one of which adopts orphans. The session of another daemon may have the same mark.
    /// What was below a program in the table `earlier` still counts as below it.
    /// Costs a small read for every process of the machine, and another for each process whose mark counts.
    pub(crate) fn read(earlier: &Self) -> Self {
        let mut table = Self::without_marks();
        let candidates = if adopts_orphans() {
            table.below([holder_pid()])
        } else {
            table.children_of_own_line()
        };
        table.note_origins(earlier);
        table.read_marks(candidates);
        table
    }

    /// Reads the processes for sessions of an earlier daemon that was killed. Marks count for processes that no daemon
    /// has adopted: another daemon, even one that runs in a session, may have a session with the same id.
    /// If the killed daemon was itself started in a session of another daemon, its processes are not found: the other
    /// daemon has adopted them.
    pub(crate) fn read_after_kill(earlier: &Self) -> Self {
        let mut table = Self::without_marks();
        let ours = table.below([holder_pid()]);
        let mut candidates = table.without_daemon();
        candidates.retain(|pid| !ours.contains(pid));
        table.note_origins(earlier);
        table.read_marks(candidates);
        table.is_of_killed_daemon = true;
        table
    }

    /// Returns every living process of a session, in no particular order.
    /// A process belongs to it if it or an ancestor is its program, was below its program in an earlier table, was
    /// started with its mark, or is in its program's session or on its terminal. A process that has lost all of that
    /// unseen is not found: that it was adopted only shows that it is of this daemon.
    pub fn processes_of(&self, traces: &Traces) -> Vec<Process> {
        let leader = match traces.leader {
            Leader::Present(pid) => Some(pid),
            Leader::Reaped(_) | Leader::Unknown => None,
        };
        let marked = self.marked.get(traces.id.as_bytes());
        let is_inside = self.insider(traces);
        let candidates = self.candidates.iter();
        let inside = candidates.filter(|pid| self.stats.get(pid).is_some_and(&is_inside));
        let origins = self.origins.iter();
        let below = origins.filter(|(_, origin)| self.is_program(**origin, traces.leader));
        self.living_below(
            (leader.iter())
                .chain(marked.into_iter().flatten())
                .chain(inside)
                .copied()
                .chain(below.map(|(process, _)| process.pid)),
        )
    }

    /// Returns a check whether a process is in the session of a session's program, or on its terminal.
    pub(super) fn insider(&self, traces: &Traces) -> impl Fn(&ProcessStat) -> bool + use<> {
        let session = self.kernel_session(traces.leader);
        let tty_device = traces.tty_device;
        move |stat| session == Some(stat.kernel_session) || tty_device == Some(stat.tty_device)
    }

    /// Returns the name of the session that a program has opened, if it cannot be that of another one.
    fn kernel_session(&self, leader: Leader) -> Option<i32> {
        match leader {
            Leader::Present(pid) => Some(pid),
            // Where orphans are adopted, no stranger's process is looked at.
            Leader::Reaped(pid) => {
                let is_own = adopts_orphans() && !self.is_of_killed_daemon;
                (is_own && !self.stats.contains_key(&pid)).then_some(pid)
            }
            Leader::Unknown => None,
        }
    }

    /// Returns whether a process that was seen is, or was, this program.
    fn is_program(&self, seen: Process, leader: Leader) -> bool {
        match leader {
            Leader::Present(pid) => {
                seen.pid == pid && self.process(pid).is_none_or(|now| now == seen)
            }
            Leader::Reaped(pid) => seen.pid == pid && self.process(pid) != Some(seen),
            Leader::Unknown => false,
        }
    }

    /// Returns every living process that descends from the process `ancestor` or is it, except this one, in no particular
    /// order. For one that adopts orphans, this is everything that it has started. Blocks.
    pub fn below_process(ancestor: i32) -> Vec<Process> {
        Self::without_marks().living_below([ancestor])
    }

    fn without_marks() -> Self {
        let stats: HashMap<i32, ProcessStat> = all_processes()
            .filter(|pid| *pid != own_pid())
            .filter_map(|pid| Some((pid, ProcessStat::read(pid)?)))
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
        if self.is_of_killed_daemon {
            self.ancestors()
                .filter(|pid| *pid != holder_pid())
                .collect()
        } else {
            vec![holder_pid()]
        }
    }

    /// Returns whether the mark of a process was looked at.
    #[cfg(not(portable))]
    pub(super) fn has_judged(&self, pid: i32) -> bool {
        let had_mark = |stat: &ProcessStat| !stat.is_in_exec;
        [own_pid(), holder_pid()].contains(&pid)
            || self.candidates.contains(&pid) && self.stats.get(&pid).is_some_and(had_mark)
    }

    #[cfg(portable)]
    pub(super) fn again(&self) -> Self {
        if self.is_of_killed_daemon {
            Self::read_after_kill(self)
        } else {
            Self::read(self)
        }
    }

    /// Notes the origin of each process; what an earlier table has noted holds.
    fn note_origins(&mut self, earlier: &Self) {
        let mut waiting: Vec<(i32, Option<Process>)> = Vec::new();
        let tops = self.children.get(&holder_pid()).into_iter().flatten();
        waiting.extend(tops.map(|pid| (*pid, None)));
        let mut origins = HashMap::new();
        while let Some((pid, above)) = waiting.pop() {
            let Some(process) = self.process(pid) else {
                continue;
            };
            let noted = earlier.origins.get(&process).copied();
            let origin = noted.or(above).unwrap_or(process);
            if origins.insert(process, origin).is_none() {
                let children = self.children.get(&pid).into_iter().flatten();
                waiting.extend(children.map(|pid| (*pid, Some(origin))));
            }
        }
        // If the holder was killed, nothing is below it.
        for (process, origin) in &earlier.origins {
            if self.process(process.pid) == Some(*process) {
                origins.entry(*process).or_insert(*origin);
            }
        }
        self.origins = origins;
    }

    fn read_marks(&mut self, mut candidates: HashSet<i32>) {
        candidates.remove(&holder_pid());
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

    fn ancestors(&self) -> impl Iterator<Item = i32> {
        let parent = |pid: &i32| self.stats.get(pid).map(|stat| stat.parent);
        successors(Some(parent_id().cast_signed()), parent).take(self.stats.len())
    }

    /// Returns the process that has this number in the table, even if it has ended and was not reaped.
    fn process(&self, pid: i32) -> Option<Process> {
        let started_ticks = self.stats.get(&pid)?.started_ticks;
        Some(Process { pid, started_ticks })
    }

    /// Returns those of `roots` and their descendants that live.
    fn living_below(&self, roots: impl IntoIterator<Item = i32>) -> Vec<Process> {
        let mut pids = self.below(roots);
        pids.retain(|pid| self.stats.get(pid).is_some_and(|stat| stat.lives));
        pids.into_iter()
            .filter_map(|pid| self.process(pid))
            .collect()
    }

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
    fn without_daemon(&self) -> HashSet<i32> {
        let daemons = self.stats.iter().filter(|(_, stat)| has_daemon_name(stat));
        let theirs = self.below(daemons.map(|(pid, _)| *pid));
        let all = self.stats.keys().copied();
        all.filter(|pid| !theirs.contains(pid)).collect()
    }
}

pub(super) fn own_pid() -> i32 {
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

    /// A process: its id, parent, start, session in the sense of the kernel, and terminal.
    type Row = (i32, i32, u64, i32, u64);

    const PROGRAM: i32 = 9_000_000;

    fn table_of(processes: &[Row], earlier: &ProcessTable) -> ProcessTable {
        let mut table = ProcessTable::default();
        for &(pid, parent, started_ticks, kernel_session, tty_device) in processes {
            let stat = ProcessStat {
                parent,
                started_ticks,
                kernel_session,
                tty_device,
                ..ProcessStat::read(own_pid()).unwrap()
            };
            table.stats.insert(pid, stat);
            table.children.entry(parent).or_default().push(pid);
        }
        table.note_origins(earlier);
        table.read_marks(processes.iter().map(|process| process.0).collect());
        table
    }

    fn found(table: &ProcessTable, leader: Leader, tty_device: Option<u64>) -> Vec<i32> {
        let traces = Traces {
            leader,
            tty_device,
            ..Traces::from_id("none")
        };
        let processes = table.processes_of(&traces).into_iter();
        let mut pids: Vec<i32> = processes.map(|process| process.pid).collect();
        pids.sort_unstable();
        pids
    }

    #[test]
    fn what_is_in_the_session_of_a_program_or_on_its_terminal_is_its_own() {
        let adopted = |offset: i32, session: i32, tty| {
            let pid = PROGRAM + offset;
            (pid, own_pid(), 11, session, tty)
        };
        let (program, inside) = (adopted(0, PROGRAM, 7), adopted(1, PROGRAM, 0));
        let (on_terminal, stranger) = (adopted(2, 2, 7), adopted(3, 3, 8));
        let processes = [program, inside, on_terminal, stranger];
        let table = table_of(&processes, &ProcessTable::default());
        let present = Leader::Present(PROGRAM);
        let own = [program.0, inside.0, on_terminal.0];
        assert_eq!(found(&table, present, Some(7)), own);
        assert_eq!(found(&table, present, None), own[..2]);
        // The number is that of another program by now.
        assert_eq!(found(&table, Leader::Reaped(PROGRAM), None), [0; 0]);
    }

    #[test]
    fn what_was_seen_below_a_program_stays_its_own_and_not_that_of_another_with_its_number() {
        let found = |table: &ProcessTable, leader| found(table, leader, None);
        let (child, new) = (PROGRAM + 1, PROGRAM + 2);
        let program = |started| (PROGRAM, own_pid(), started, PROGRAM, 0);
        let first = [program(10), (child, PROGRAM, 11, child, 0)];
        let first = table_of(&first, &ProcessTable::default());
        assert_eq!(found(&first, Leader::Present(PROGRAM)), [PROGRAM, child]);
        // It is adopted, and has started another one.
        let left = [(child, own_pid(), 11, child, 0), (new, child, 12, new, 0)];
        let second = table_of(&left, &first);
        assert_eq!(found(&second, Leader::Reaped(PROGRAM)), [child, new]);
        assert_eq!(found(&second, Leader::Unknown), [0; 0]);
        let third = table_of(&[left[0], left[1], program(13)], &second);
        assert_eq!(found(&third, Leader::Reaped(PROGRAM)), [child, new]);
        assert_eq!(found(&third, Leader::Present(PROGRAM)), [PROGRAM]);
        // Another process has the number of one of them.
        let fourth = table_of(&[(child, own_pid(), 14, child, 0)], &third);
        assert_eq!(found(&fourth, Leader::Reaped(PROGRAM)), [0; 0]);
    }

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
        *reading = Some(TableReading {
            began,
            table: Arc::default(),
        });
        drop(reading);
        let second = asked.await;
        let pid = child.id().cast_signed();
        let found = second.processes_of(&Traces::from_id(&id));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(
            found.iter().map(|process| process.pid).collect::<Vec<_>>(),
            [pid]
        );
        assert!(found[0].is_gone());
        let after = tables.current().await;
        assert!(after.processes_of(&Traces::from_id(&id)).is_empty());
    }
}
