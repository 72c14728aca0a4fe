//! Processes that outlived their session because they left it with `setsid`, or outlived a daemon that was killed.

use super::task::ask;
use crate::session::error::SessionError;
use crate::session::live::Session;
use crate::session::registry::Sessions;
use ccd_protocol::session::EndReason;
use ccd_terminal::holder::{Process, ProcessTable, ProcessTables, signal_all};
use rustix::process::Signal;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long processes left by a killed daemon may take to exit after SIGTERM; the daemon's start waits for it.
const ORPHAN_GRACE: Duration = Duration::from_millis(500);

/// How long they may take to be gone after SIGKILL.
const KILL_PATIENCE: Duration = Duration::from_secs(2);

/// Time between two checks of processes that are ending.
const LOOK_PERIOD: Duration = Duration::from_millis(5);

/// The signals that were sent to processes, by session and process id.
pub(super) type Ended = HashMap<String, HashMap<i32, Signal>>;

/// Ends processes left by the sessions of a killed daemon: they ignored the hang-up of their terminal or had detached
/// from it.
pub(crate) async fn end_orphans(sessions: &[String]) -> Ended {
    let mut ended = Ended::new();
    let orphans = orphans_of(sessions).await;
    if orphans.is_empty() {
        return ended;
    }
    let mut note = |orphans: &[(String, Process)], signal| {
        for (session, process) in orphans {
            let ended = ended.entry(session.clone()).or_default();
            ended.insert(process.pid, signal);
        }
    };
    tracing::warn!(
        processes = orphans.len(),
        "killing the processes that the killed daemon left"
    );
    note(&orphans, Signal::TERM);
    ask(&processes_of(&orphans));
    wait_gone(&orphans, Instant::now() + ORPHAN_GRACE).await;
    let patience = Instant::now() + KILL_PATIENCE;
    // Repeat until nothing is left, because a process may fork before it is killed.
    loop {
        let left = orphans_of(sessions).await;
        if left.is_empty() {
            break;
        }
        note(&left, Signal::KILL);
        signal_all(&processes_of(&left), Signal::KILL);
        if Instant::now() > patience {
            tracing::error!(left = left.len(), "processes survived SIGKILL");
            break;
        }
        wait_gone(&left, patience).await;
    }
    ended
}

/// Returns the running processes of sessions of a killed daemon, each with its session.
async fn orphans_of(sessions: &[String]) -> Vec<(String, Process)> {
    if sessions.is_empty() {
        return Vec::new();
    }
    let read = tokio::task::spawn_blocking(ProcessTable::of_killed_daemon).await;
    let table = read.unwrap_or_default();
    let of_session = |id: &String| {
        let processes = table.of_session(None, id).into_iter();
        processes.map(|process| (id.clone(), process)).collect()
    };
    sessions.iter().flat_map::<Vec<_>, _>(of_session).collect()
}

fn processes_of(orphans: &[(String, Process)]) -> Vec<Process> {
    orphans.iter().map(|(_, process)| *process).collect()
}

async fn wait_gone(orphans: &[(String, Process)], deadline: Instant) {
    while Instant::now() < deadline && !orphans.iter().all(|(_, process)| process.is_gone()) {
        tokio::time::sleep(LOOK_PERIOD).await;
    }
}

impl Sessions {
    /// [Retires](Sessions::retire) a session that has ended, and kills the processes that it left: nothing could find
    /// them afterwards.
    ///
    /// # Errors
    ///
    /// As [`Sessions::forget`].
    pub async fn collect(self: &Arc<Self>, ended: &Arc<Session>) -> Result<(), SessionError> {
        // If an order ended it, all processes have been found already. An order may also have come too late.
        let reason = ended.state().end_reason;
        if matches!(
            reason,
            None | Some(EndReason::Exited | EndReason::Signalled)
        ) {
            let processes = &self.services.processes;
            kill_leftovers(processes, std::slice::from_ref(ended)).await;
        }
        self.retire(ended).await
    }
}

/// Kills the processes that `ended` left; returns their ids.
pub(super) async fn kill_leftovers(processes: &ProcessTables, ended: &[Arc<Session>]) -> Vec<i32> {
    let mut killed = Vec::new();
    let patience = Instant::now() + KILL_PATIENCE;
    // Repeat until nothing is left, because a process may fork before it is killed.
    loop {
        let left = all_left_by(processes, ended).await;
        if left.is_empty() || Instant::now() > patience {
            killed.sort_unstable();
            killed.dedup();
            return killed;
        }
        killed.extend(signal_all(&left, Signal::KILL));
        while Instant::now() < patience && !left.iter().all(Process::is_gone) {
            tokio::time::sleep(LOOK_PERIOD).await;
        }
    }
}

/// Returns the processes that `ended` left. Reads the process table once for all of them.
async fn all_left_by(processes: &ProcessTables, ended: &[Arc<Session>]) -> Vec<Process> {
    let (own, earlier): (Vec<&Arc<Session>>, Vec<_>) = ended
        .iter()
        .partition(|session| session.facts.is_of_this_holder);
    let mut left = Vec::new();
    if !own.is_empty() {
        let table = processes.current().await;
        left.extend(own.into_iter().flat_map(|session| left_by(session, &table)));
    }
    if !earlier.is_empty() {
        let read = tokio::task::spawn_blocking(ProcessTable::of_killed_daemon).await;
        let table = read.unwrap_or_default();
        left.extend(
            earlier
                .into_iter()
                .flat_map(|session| left_by(session, &table)),
        );
    }
    left
}

/// Returns nothing if the session is forgotten: a new session may have taken its id and own the processes in the table.
fn left_by(session: &Session, table: &ProcessTable) -> Vec<Process> {
    match session.forgotten.is_cancelled() {
        true => Vec::new(),
        false => table.of_session(None, session.id().as_str()),
    }
}
