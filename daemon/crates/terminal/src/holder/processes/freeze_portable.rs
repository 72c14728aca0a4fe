//! Stops processes that are to be killed, so that few can start another in the meantime.
//!
//! Without a process that adopts orphans, the processes of the machine are listed again until a list has nothing new.

use super::process::{Process, signal_all};
use super::table::ProcessTable;
use rustix::process::Signal;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

/// A stopped process of a session.
#[derive(Debug, Clone)]
pub struct Frozen {
    /// The session's id.
    pub session: Arc<str>,
    pub process: Process,
}

/// Sends `signal` to stopped processes. Returns the process ids that received it.
pub fn signal_frozen(frozen: &[Frozen], signal: Signal) -> Vec<i32> {
    let processes: Vec<Process> = frozen.iter().map(|frozen| frozen.process).collect();
    signal_all(&processes, signal)
}

impl ProcessTable {
    /// Stops all processes of the sessions `ids`, also those that are started meanwhile: what descends from `leader`
    /// (of the first session), and what has the mark of a session. Returns them. Blocks, until `deadline` at most.
    pub fn freeze(&self, ids: &[String], leader: Option<i32>, deadline: Instant) -> Vec<Frozen> {
        let mut frozen = Vec::new();
        for (index, id) in ids.iter().enumerate() {
            let leader = leader.filter(|_| index == 0);
            let mut first = Some(self.of_session(leader, id));
            let session = Arc::<str>::from(&**id);
            let found = freeze(deadline, |known| match first.take() {
                Some(first) => first,
                None => self.again().of_session(known.iter().copied(), id),
            });
            frozen.extend(named(found, &session));
        }
        frozen
    }
}

/// Stops everything that descends from the process `ancestor`, but not itself. Returns what was stopped. Blocks, until
/// `deadline` at most.
pub fn freeze_below(ancestor: i32, deadline: Instant) -> Vec<Frozen> {
    let found = freeze(deadline, |_| {
        let mut below = ProcessTable::below_process(ancestor);
        below.retain(|process| process.pid != ancestor);
        below
    });
    named(found, &Arc::from("")).collect()
}

fn named(processes: Vec<Process>, session: &Arc<str>) -> impl Iterator<Item = Frozen> {
    processes.into_iter().map(|process| Frozen {
        session: Arc::clone(session),
        process,
    })
}

/// Stops what `list` returns, which gets what was stopped before, until that is nothing new.
fn freeze(deadline: Instant, mut list: impl FnMut(&[i32]) -> Vec<Process>) -> Vec<Process> {
    let mut frozen: HashMap<i32, Process> = HashMap::new();
    loop {
        let known: Vec<i32> = frozen.keys().copied().collect();
        let mut new = list(&known);
        new.retain(|process| frozen.get(&process.pid) != Some(process));
        if new.is_empty() || Instant::now() >= deadline {
            return frozen.into_values().collect();
        }
        signal_all(&new, Signal::STOP);
        frozen.extend(new.into_iter().map(|process| (process.pid, process)));
    }
}
