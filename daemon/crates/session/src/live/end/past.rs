//! Sessions that are over and have no files: transient ones that have ended, and starts that failed. They stay listed,
//! so that their history can be found.

use crate::interaction::shown_command;
use crate::live::error::SessionError;
use crate::live::registry::Sessions;
use crate::live::session::Session;
use crate::peer::Peer;
use ccd_protocol::{ErrorCode, Reportable as _};
use std::sync::Arc;
use std::time::Instant;

/// Maximum number of these sessions; the oldest are forgotten. As many as one job can start.
pub(in crate::live) const MAX_PAST: usize = 1000;

impl Session {
    /// True if only its record and its history are left.
    pub(crate) fn is_past(&self) -> bool {
        self.facts.slot.is_none() && (self.facts.transient || self.facts.start_error.is_some())
    }
}

impl Sessions {
    /// Removes an ended session from the disk. Its record and its history stay, if it has one.
    pub(crate) async fn retire(
        self: &Arc<Self>,
        session: &Arc<Session>,
    ) -> Result<(), SessionError> {
        if !session.facts.is_logged() {
            return self.forget(session).await;
        }
        let Some(past) = self.past_of(session) else {
            return Ok(());
        };
        self.release(session);
        let (sessions, session) = (Arc::clone(self), Arc::clone(session));
        self.services.tracker.spawn(async move {
            sessions.remove_files(&session, &past).await;
            sessions.keep_past(&past).await;
        });
        Ok(())
    }

    /// Lists what remains of a session in its place; `None` if it is no longer listed.
    fn past_of(&self, session: &Arc<Session>) -> Option<Arc<Session>> {
        let past = Arc::new(session.past()?);
        let mut listed = self.all.get_mut(session.id())?;
        if !Arc::ptr_eq(&listed, session) {
            return None;
        }
        *listed = Arc::clone(&past);
        session.forgotten.cancel();
        Some(past)
    }

    /// Removes the files of `session`, once the rows of its output are made, unless `past` is no longer listed in its
    /// place: then another session may use the folder.
    pub(crate) async fn remove_files(&self, session: &Arc<Session>, past: &Arc<Session>) {
        self.services.recorder.flush(past.id()).await;
        let listed = self.listed(past.id());
        if listed.is_some_and(|listed| Arc::ptr_eq(&listed, past))
            && let Err(error) = self.remove_folder_of(session).await
        {
            tracing::warn!(session = %session.id(), %error, "could not remove the files of a transient session");
        }
    }

    /// Counts a session that has no files any more, and forgets the oldest ones.
    pub(crate) async fn keep_past(&self, past: &Session) {
        let oldest = {
            let mut kept = self.past.lock();
            kept.push_back(past.id().clone());
            let is_too_many = kept.len() > MAX_PAST;
            kept.pop_front_if(|_| is_too_many)
        };
        let listed = oldest.and_then(|id| self.listed(&id));
        if let Some(oldest) = listed.filter(|listed| listed.is_past())
            && let Err(error) = self.forget(&oldest).await
        {
            tracing::warn!(session = %oldest.id(), %error, "could not forget a session");
        }
    }

    /// Lists a session that could not be started, with an ERROR row. It has an id of its own and no name: the requested
    /// ones still mean what they meant before.
    pub(crate) async fn list_failed_start(
        &self,
        peer: &Peer,
        failed: Session,
        error: &SessionError,
        began: Instant,
    ) {
        let is_refused = error.code() == ErrorCode::InvalidArgument;
        if is_refused || !failed.facts.is_logged() {
            return;
        }
        let failed = Arc::new(failed);
        self.insert(Arc::clone(&failed));
        if let Err(error) = failed.save().await {
            tracing::warn!(%error, "could not note a failed start in the database");
        }
        let command = shown_command(&*failed);
        failed.note_failure(peer, error, began, None, Some(&command));
        self.keep_past(&failed).await;
    }
}
