//! Processes that outlived their session because they left it with `setsid`, or outlived a daemon that was killed.

use super::kill::{Daemon, Killed, kill, wait_gone};
use super::task::ask;
use crate::live::error::SessionError;
use crate::live::registry::Sessions;
use crate::live::session::Session;
use ccd_protocol::session::EndReason;
use ccd_terminal::holder::{Leader, ProcessTables, Traces};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long processes left by a killed daemon may take to exit after SIGTERM; the daemon's start waits for it.
const ORPHAN_GRACE: Duration = Duration::from_millis(500);

/// Ends processes that sessions of a killed daemon left: they ignored the hang-up, or had detached from it.
pub(crate) async fn end_orphans(tables: &ProcessTables, sessions: &[Traces]) {
    if sessions.is_empty() {
        return;
    }
    let daemon = Daemon::Killed(tables);
    let table = daemon.table().await;
    let processes = sessions.iter().flat_map(|one| table.processes_of(one));
    let processes: Vec<_> = processes.collect();
    if !processes.is_empty() {
        tracing::warn!(
            processes = processes.len(),
            "killing the processes that the killed daemon left"
        );
    }
    ask(&processes);
    wait_gone(&processes, Instant::now() + ORPHAN_GRACE).await;
    kill(daemon, || sessions.to_vec(), |_| true).await;
}

impl Session {
    /// Returns what the session's processes are recognised by. The process ids of an earlier holder mean nothing.
    pub fn traces(&self) -> Traces {
        let is_dead = self.is_dead();
        let leader = match self.facts.pid {
            _ if !self.facts.is_of_this_holder => Leader::Unknown,
            // Its program could not be started. In a container, the daemon itself may be in a session with the number 0.
            0 => Leader::Unknown,
            pid if is_dead || self.output.exit().is_some() => Leader::Reaped(pid),
            pid => Leader::Present(pid),
        };
        Traces {
            id: self.id().as_str().into(),
            leader,
            tty_device: (!is_dead)
                .then_some(self.facts.tty_device)
                .filter(|device| *device != 0),
        }
    }
}

impl Sessions {
    /// Kills the processes that a session has left, and [retires](Sessions::retire) it if it is transient: nothing could
    /// find them afterwards.
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
        if ended.facts.transient {
            self.retire(ended).await
        } else {
            Ok(())
        }
    }
}

pub(super) async fn kill_leftovers(processes: &ProcessTables, ended: &[Arc<Session>]) -> Killed {
    // A new session may have taken the id of a forgotten one, and own the processes.
    let is_kept = |id: &str| {
        let mut sessions = ended.iter();
        sessions.any(|session| session.id().as_str() == id && !session.forgotten.is_cancelled())
    };
    let (own, earlier): (Vec<&Arc<Session>>, Vec<_>) = ended
        .iter()
        .partition(|session| session.facts.is_of_this_holder);
    let traces = |sessions: &[&Arc<Session>]| -> Vec<Traces> {
        let kept = sessions.iter().filter(|one| !one.forgotten.is_cancelled());
        kept.map(|session| session.traces()).collect()
    };
    let mut killed = Killed::default();
    let groups = [
        (Daemon::Own(processes), own),
        (Daemon::Killed(processes), earlier),
    ];
    for (daemon, sessions) in groups {
        if !sessions.is_empty() {
            killed.extend(kill(daemon, || traces(&sessions), is_kept).await);
        }
    }
    killed
}
