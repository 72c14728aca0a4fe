//! The end of all sessions when their holder has died: nothing reads their terminals or reaps their programs.

use super::leftovers::end_orphans;
use crate::live::registry::Sessions;
use crate::live::session::Session;
use ccd_protocol::session::{EndReason, SessionState};
use futures_util::future::join_all;
use std::sync::Arc;

impl Sessions {
    /// Writes out what was read, ends the programs, and ends the sessions with the reason `holder_died`.
    pub async fn end_without_holder(self: &Arc<Self>) {
        let mut left = self.list();
        left.retain(|session| !session.is_dead());
        join_all(left.iter().map(async |session| {
            session.take_output(usize::MAX);
            self.services.logger.finish(session).await;
            // This is the terminal's last descriptor: closing it makes the kernel hang the terminal up.
            session.input.close();
        }))
        .await;
        let traces: Vec<_> = left.iter().map(|session| session.traces()).collect();
        end_orphans(&self.services.processes, &traces).await;
        for session in &left {
            self.bury_without_holder(session).await;
        }
    }

    async fn bury_without_holder(self: &Arc<Self>, session: &Arc<Session>) {
        // Unless the holder has reaped the program, nobody learns how it ends.
        session.set_ended(EndReason::HolderDied, None);
        session.end_pipe().await;
        session
            .finish_tape(EndReason::HolderDied, || self.filters())
            .await;
        // A caller that waits for the session to be dead may remove its files.
        session.state().phase = SessionState::Dead;
        session.note_end();
        if session.facts.is_logged()
            && let Err(error) = session.save().await
        {
            tracing::error!(session = %session.id(), %error, "could not write the end of a session to the database");
        }
        // The holder would otherwise remove the ring file.
        let ring = self.services.folders.ring(session.id().as_str());
        if let Err(error) = std::fs::remove_file(ring) {
            tracing::warn!(session = %session.id(), %error, "could not remove a ring file");
        }
        session.output.finish();
        session.output.announce();
    }
}
