//! Kills the processes of sessions.

use ccd_terminal::holder::{Frozen, Process, ProcessTable, ProcessTables, Traces, signal_frozen};
use rustix::process::Signal;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long it may take until nothing is left.
const KILL_PATIENCE: Duration = Duration::from_secs(2);

/// How long killed processes may take to be gone until they are looked for again.
const GONE_PATIENCE: Duration = Duration::from_millis(50);

/// Time between two checks of processes that are ending.
const LOOK_PERIOD: Duration = Duration::from_millis(2);

/// What was killed, and what is left in spite of it.
#[derive(Debug, Default)]
pub(super) struct Killed {
    pub killed: Vec<(Arc<str>, i32)>,
    pub left: Vec<Process>,
}

impl Killed {
    /// Returns the ids of the processes that were killed, in order.
    pub(super) fn pids(&self) -> Vec<i32> {
        let mut pids: Vec<i32> = self.killed.iter().map(|(_, pid)| *pid).collect();
        pids.sort_unstable();
        pids.dedup();
        pids
    }

    pub(super) fn extend(&mut self, other: Self) {
        self.killed.extend(other.killed);
        self.left.extend(other.left);
    }
}

/// The daemon whose sessions started the processes.
#[derive(Clone, Copy)]
pub(super) enum Daemon<'a> {
    Own(&'a ProcessTables),
    /// The tables of the running daemon say what was seen before the other one was killed.
    Killed(&'a ProcessTables),
}

impl Daemon<'_> {
    /// Returns a table that is read after this call started.
    pub(super) async fn table(self) -> Arc<ProcessTable> {
        match self {
            Self::Own(tables) => tables.current().await,
            Self::Killed(tables) => tables.after_kill().await,
        }
    }
}

/// Stops all processes of sessions, then kills them, until nothing is found.
/// `sessions` returns the sessions. `may_kill` is asked about each session once its processes are stopped.
pub(super) async fn kill(
    daemon: Daemon<'_>,
    sessions: impl Fn() -> Vec<Traces>,
    may_kill: impl Fn(&str) -> bool,
) -> Killed {
    let patience = Instant::now() + KILL_PATIENCE;
    let mut result = Killed::default();
    loop {
        let sessions = sessions();
        let table = daemon.table().await;
        let freeze = move || table.freeze(&sessions, patience);
        let frozen = tokio::task::spawn_blocking(freeze).await;
        let (frozen, spared): (Vec<Frozen>, Vec<_>) = frozen
            .unwrap_or_default()
            .into_iter()
            .partition(|frozen| may_kill(&frozen.session));
        signal_frozen(&spared, Signal::CONT);
        if frozen.is_empty() {
            return result;
        }
        let processes: Vec<Process> = frozen.iter().map(|frozen| frozen.process).collect();
        let reached = signal_frozen(&frozen, Signal::KILL);
        let reached = frozen
            .iter()
            .filter(|frozen| reached.contains(&frozen.process.pid));
        let named = reached.map(|frozen| (Arc::clone(&frozen.session), frozen.process.pid));
        result.killed.extend(named);
        wait_gone(&processes, Instant::now() + GONE_PATIENCE).await;
        if Instant::now() > patience {
            let alive = processes.iter().filter(|process| !process.is_gone());
            result.left = alive.copied().collect();
            if !result.left.is_empty() {
                let left = pids(&result.left);
                tracing::error!(?left, "processes survived SIGKILL");
                result.killed.retain(|(_, pid)| !left.contains(pid));
                return result;
            }
        }
        if Instant::now() > patience + KILL_PATIENCE {
            tracing::error!(last = ?pids(&processes), "processes start others faster than they can be stopped");
            result.left = processes;
            return result;
        }
    }
}

fn pids(processes: &[Process]) -> Vec<i32> {
    processes.iter().map(|process| process.pid).collect()
}

pub(super) async fn wait_gone(processes: &[Process], deadline: Instant) {
    while Instant::now() < deadline && !processes.iter().all(Process::is_gone) {
        tokio::time::sleep(LOOK_PERIOD).await;
    }
}
