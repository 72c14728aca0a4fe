//! Processes that outlived their session because they left it with `setsid`, or outlived a daemon that was killed.

use super::kill::{Daemon, Killed, kill, wait_gone};
use super::task::ask;
use crate::session::error::SessionError;
use crate::session::live::Session;
use crate::session::registry::Sessions;
use ccd_protocol::session::EndReason;
use ccd_terminal::holder::ProcessTables;
use rustix::process::Signal;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long processes left by a killed daemon may take to exit after SIGTERM; the daemon's start waits for it.
const ORPHAN_GRACE: Duration = Duration::from_millis(500);

/// The signals that were sent to processes, by session and process id.
pub(super) type Ended = HashMap<String, HashMap<i32, Signal>>;

/// Ends processes left by the sessions of a killed daemon: they ignored the hang-up of their terminal or had detached
/// from it.
pub(crate) async fn end_orphans(sessions: &[String]) -> Ended {
    let mut ended = Ended::new();
    if sessions.is_empty() {
        return ended;
    }
    let mut note = |session: &str, pid, signal| {
        let ended = ended.entry(session.to_owned()).or_default();
        ended.insert(pid, signal);
    };
    let table = Daemon::Killed.table().await;
    let mut processes = Vec::new();
    for session in sessions {
        for process in table.of_session(None, session) {
            note(session, process.pid, Signal::TERM);
            processes.push(process);
        }
    }
    if !processes.is_empty() {
        tracing::warn!(
            processes = processes.len(),
            "killing the processes that the killed daemon left"
        );
    }
    ask(&processes);
    wait_gone(&processes, Instant::now() + ORPHAN_GRACE).await;
    let killed = kill(Daemon::Killed, || (None, sessions.to_vec()), |_| true).await;
    for (session, pid) in killed.killed {
        note(&session, pid, Signal::KILL);
    }
    ended
}

impl Sessions {
    /// Kills the processes that a session has left, and [retires](Sessions::retire) it if it is transient: nothing could
    /// find them afterwards.
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
        match ended.facts.transient {
            true => self.retire(ended).await,
            false => Ok(()),
        }
    }
}

/// Kills the processes that `ended` left.
pub(super) async fn kill_leftovers(processes: &ProcessTables, ended: &[Arc<Session>]) -> Killed {
    // A new session may have taken the id of a forgotten one, and own the processes.
    let is_kept = |id: &str| {
        let mut sessions = ended.iter();
        sessions.any(|session| session.id().as_str() == id && !session.forgotten.is_cancelled())
    };
    let (own, earlier): (Vec<&Arc<Session>>, Vec<_>) = ended
        .iter()
        .partition(|session| session.facts.is_of_this_holder);
    let ids = |sessions: &[&Arc<Session>]| -> Vec<String> {
        let kept = sessions.iter().filter(|one| !one.forgotten.is_cancelled());
        kept.map(|session| session.id().to_string()).collect()
    };
    let mut killed = Killed::default();
    if !own.is_empty() {
        let own = || (None, ids(&own));
        killed.extend(kill(Daemon::Own(processes), own, is_kept).await);
    }
    if !earlier.is_empty() {
        let earlier = || (None, ids(&earlier));
        killed.extend(kill(Daemon::Killed, earlier, is_kept).await);
    }
    killed
}
