//! Processes that outlived their ended session, because they left it with `setsid`.

use super::error::SessionError;
use super::live::Session;
use super::registry::Sessions;
use crate::holder::{Process, ProcessTable, signal_all};
use rustix::process::Signal;
use std::sync::Arc;

impl Sessions {
    /// Forgets a session that has ended, with what has left it: nobody could find that any more.
    ///
    /// # Errors
    ///
    /// As [`Sessions::forget`].
    pub(super) async fn collect(&self, ended: &Arc<Session>) -> Result<(), SessionError> {
        // An ordered end has found everything already.
        if ended.close_order().is_none() {
            self.kill_leftovers(std::slice::from_ref(ended)).await;
        }
        self.forget(ended).await
    }

    /// Kills what `ended` have left; returns which. The processes of the machine are read once for all of them.
    pub(super) async fn kill_leftovers(&self, ended: &[Arc<Session>]) -> Vec<i32> {
        let (own, earlier): (Vec<&Arc<Session>>, Vec<_>) = ended
            .iter()
            .partition(|session| session.facts.slot.is_some());
        let mut left = Vec::new();
        if !own.is_empty() {
            let table = self.processes.current().await;
            left.extend(
                own.into_iter()
                    .flat_map(|session| self.left_by(session, &table)),
            );
        }
        if !earlier.is_empty() {
            let read = tokio::task::spawn_blocking(ProcessTable::of_killed_daemon).await;
            let table = read.unwrap_or_default();
            left.extend(
                earlier
                    .into_iter()
                    .flat_map(|session| self.left_by(session, &table)),
            );
        }
        signal_all(&left, Signal::KILL)
    }

    /// Nothing when the session is no longer known: its id may have been taken by one whose processes are in the table.
    fn left_by(&self, session: &Arc<Session>, table: &ProcessTable) -> Vec<Process> {
        let known = self.all.get(session.id());
        if known.is_some_and(|known| Arc::ptr_eq(&known, session)) {
            table.of_session(None, session.id().as_str())
        } else {
            Vec::new()
        }
    }
}
