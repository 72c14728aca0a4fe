//! Saving sessions in the database, and forgetting them in the database and on disk.

use super::rows::{row_of, session_of};
use super::table::DeleteSession;
use crate::live::error::{SessionError, reason_of, reason_text};
use crate::live::registry::Sessions;
use crate::live::session::Session;
use ccd_protocol::session::EndReason;
use ccd_store::StoreError;
use ccd_tape::record::RecordingNote;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Time between two attempts to record an end.
const RETRY: Duration = Duration::from_secs(2);

/// The end of a session, as its ring has it for the next start.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SessionEnd {
    pub(super) reason: EndReason,
    pub(super) at: String,
}

impl SessionEnd {
    fn from_session(session: &Session) -> Option<Self> {
        let state = session.state();
        Some(Self {
            reason: state.end_reason?,
            at: state.ended_at.clone()?,
        })
    }

    /// Returns the end that a ring's note has; `None` for a note about something else.
    pub(super) fn parse(note: &[u8]) -> Option<Self> {
        let end = std::str::from_utf8(note).ok()?.strip_prefix("end ")?;
        let (reason, at) = end.split_once(' ')?;
        Some(Self {
            reason: reason_of(reason)?,
            at: at.to_owned(),
        })
    }
}

impl std::fmt::Display for SessionEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "end {} {}", reason_text(self.reason), self.at)
    }
}

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
        *past.past_tape.lock() = self.past_or_present_tape();
        Some(past)
    }
}

impl Sessions {
    /// Writes the end of a session to the database, and frees its slot.
    /// While the disk is full, the slot is kept with its ring, from which the next start completes the row.
    pub(crate) async fn record_end(self: &Arc<Self>, session: &Arc<Session>) {
        let Err(error) = session.save().await else {
            return self.release(session);
        };
        tracing::error!(session = %session.id(), %error, "could not write the end of a session to the database; trying again");
        if let Some(end) = SessionEnd::from_session(session) {
            session.output.set_note(end.to_string().as_bytes());
        }
        let (sessions, session) = (Arc::clone(self), Arc::clone(session));
        tokio::spawn(async move {
            let retried = async {
                loop {
                    tokio::time::sleep(RETRY).await;
                    if session.save().await.is_ok() {
                        return sessions.release(&session);
                    }
                }
            };
            session.forgotten.run_until_cancelled(retried).await;
        });
    }

    /// Removes an ended session from the database, the list and the disk. Does nothing if it is no longer listed,
    /// because another session may have its id by then. If the disk is full, it may lose its files and stay listed.
    pub async fn forget(&self, session: &Session) -> Result<(), SessionError> {
        let id = session.id();
        // Until all is gone: a session that starts with its id meanwhile has the same folder.
        let _turn = self.ended.is_whole.lock().await;
        let is_it = |listed: &Arc<Session>| std::ptr::eq(&**listed, session);
        let Some(forgotten) = self.listed(id).filter(is_it) else {
            return Ok(());
        };
        session.forgotten.cancel();
        let delete = || self.services.store.commit(DeleteSession(id.to_string()));
        let remove = async || self.remove_folder_of(&forgotten).await;
        let mut is_removed = false;
        if session.facts.is_logged()
            && let Err(error) = delete().await
        {
            if !error.is_full() {
                return Err(error.into());
            }
            // That may make the room for the deletion.
            remove().await.map_err(SessionError::Files)?;
            is_removed = true;
            delete().await.map_err(SessionError::StaysListed)?;
        }
        let removed = if is_removed { Ok(()) } else { remove().await };
        self.unlist(session);
        removed.map_err(SessionError::Files)
    }

    fn unlist(&self, session: &Session) {
        let is_it = |_: &_, listed: &Arc<Session>| std::ptr::eq(&**listed, session);
        self.all.remove_if(session.id(), is_it);
        self.changes.send_replace(());
        self.release(session);
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
            // Its row could not be written, so there is none to keep.
            self.unlist(session);
        }
    }
}

/// Returns whether a tape has yet to be made from the log in this folder.
async fn has_recording(folder: &Path) -> bool {
    let folder = folder.to_owned();
    let noted = tokio::task::spawn_blocking(move || RecordingNote::read(&folder).is_some()).await;
    noted.unwrap_or(false)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_fits_into_a_ring_and_is_read_back() {
        let end = SessionEnd {
            reason: EndReason::DaemonKilled,
            at: ccd_base::clock::now(),
        };
        let note = end.to_string();
        assert!(note.len() < 63, "{note}");
        assert_eq!(SessionEnd::parse(note.as_bytes()), Some(end));
        assert_eq!(SessionEnd::parse(b""), None);
        assert_eq!(SessionEnd::parse(&[0, 1, 255]), None);
    }
}
