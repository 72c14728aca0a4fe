//! Stops processes that are to be killed, so that few can start another in the meantime.
//! Without a process that adopts orphans, the processes of the machine are listed again until a list has nothing new.

use super::process::{Process, signal_all};
use super::table::ProcessTable;
use super::traces::Traces;
use rustix::process::Signal;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

#[derive(Debug, Clone)]
pub struct Frozen {
    pub session: Arc<str>,
    pub process: Process,
}

/// Sends `signal` to stopped processes. Returns the process ids that received it.
pub fn signal_frozen(frozen: &[Frozen], signal: Signal) -> Vec<i32> {
    let processes: Vec<Process> = frozen.iter().map(|frozen| frozen.process).collect();
    signal_all(&processes, signal)
}

impl ProcessTable {
    /// Stops all processes of `sessions`, also those that are started meanwhile. Returns them. Blocks, until `deadline`
    /// at most.
    pub fn freeze(&self, sessions: &[Traces], deadline: Instant) -> Vec<Frozen> {
        let mut frozen = Vec::new();
        for session in sessions {
            let mut later: Option<Self> = None;
            let mut is_first = true;
            let found = freeze(deadline, || {
                if !std::mem::take(&mut is_first) {
                    later = Some(later.as_ref().unwrap_or(self).again());
                }
                later.as_ref().unwrap_or(self).processes_of(session)
            });
            frozen.extend(named(found, &session.id));
        }
        frozen
    }
}

/// Stops everything that descends from the process `ancestor`, but not itself. Returns what was stopped. Blocks, until
/// `deadline` at most.
pub(super) fn freeze_below(ancestor: i32, deadline: Instant) -> Vec<Frozen> {
    let found = freeze(deadline, || {
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

/// Stops what `list` returns, until that is nothing new.
fn freeze(deadline: Instant, mut list: impl FnMut() -> Vec<Process>) -> Vec<Process> {
    let mut frozen: HashMap<i32, Process> = HashMap::new();
    loop {
        let mut new = list();
        new.retain(|process| frozen.get(&process.pid) != Some(process));
        if new.is_empty() || Instant::now() >= deadline {
            return frozen.into_values().collect();
        }
        signal_all(&new, Signal::STOP);
        frozen.extend(new.into_iter().map(|process| (process.pid, process)));
    }
}
