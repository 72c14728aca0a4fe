//! Saving sessions in the database, and forgetting them in the database and on disk.

use super::rows::{row_of, session_of};
use super::strays::has_recording;
use super::table::DeleteSession;
use crate::session::error::SessionError;
use crate::session::live::Session;
use crate::session::registry::Sessions;
use ccd_protocol::SessionId;
use ccd_protocol::session::EndReason;
use ccd_store::StoreError;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

impl Session {
    /// Writes a session's row; it survives a kill once this returns.
    pub async fn save(&self) -> Result<(), StoreError> {
        self.services.store.commit(row_of(self)).await
    }

    /// Writes its row without waiting for it.
    pub(crate) fn save_soon(self: &Arc<Self>) {
        if self.facts.is_logged() {
            let session = Arc::clone(self);
            self.services.tracker.spawn(async move {
                if let Err(error) = session.save().await {
                    tracing::error!(session = %session.id(), %error, "could not write a session to the database");
                }
            });
        }
    }

    /// Returns what remains of an ended session without its files.
    pub(crate) fn past(&self) -> Option<Self> {
        let past = session_of(&self.services, &row_of(self), false)?;
        *past.past_tape() = self.past_or_present_tape();
        Some(past)
    }
}

impl Sessions {
    /// Removes an ended session from the list, the database and the disk. Does nothing if it is no longer listed,
    /// because another session may have its id by then.
    pub async fn forget(&self, session: &Session) -> Result<(), SessionError> {
        let id = session.id();
        let turn = self.ended.is_whole.lock().await;
        let is_it = |_: &SessionId, listed: &Arc<Session>| std::ptr::eq(&**listed, session);
        let Some((_, forgotten)) = self.all.remove_if(id, is_it) else {
            return Ok(());
        };
        session.forgotten.cancel();
        if session.facts.transient {
            self.release(session);
        }
        let delete = || self.services.store.commit(DeleteSession(id.to_string()));
        let is_kept = session.facts.is_logged() && delete().await.is_err();
        drop(turn);
        self.remove_folder_of(&forgotten)
            .await
            .map_err(SessionError::Files)?;
        if is_kept {
            // A disk that was full now has room for the deletion.
            delete().await?;
        }
        Ok(())
    }

    /// Removes a session's folder, unless it contains a recording of which no tape could be made yet.
    pub(crate) async fn remove_folder_of(&self, session: &Arc<Session>) -> io::Result<()> {
        let folder = session.output.dir();
        if !has_recording(folder).await {
            return remove_folder(folder).await;
        }
        tracing::warn!(session = %session.id(), "its log is kept until its tape can be made");
        self.keep_stray(folder.to_owned(), Some(Arc::clone(session)));
        Ok(())
    }

    /// Ends a session that was just started, and removes it completely: no client knows it.
    pub async fn abandon(&self, session: &Session) {
        session.order_close(EndReason::Closed, Duration::ZERO);
        session.wait_dead().await;
        if let Err(error) = self.forget(session).await {
            tracing::warn!(session = %session.id(), %error, "could not clean up after a session that did not start");
        }
    }
}

pub(super) async fn remove_folder(folder: &Path) -> io::Result<()> {
    match tokio::fs::remove_dir_all(folder).await {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            tokio::fs::remove_file(folder).await
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
