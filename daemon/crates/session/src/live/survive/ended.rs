//! Sessions that ended under an earlier worker. They are only rows and directories until somebody asks for them, so that
//! a worker serves at once however many there are.

use super::rows::session_of;
use super::table::{RowSelection, SessionRow, count_ended, ended, without_session};
use crate::live::end::end_orphans;
use crate::live::error::SessionError;
use crate::live::registry::{Counts, Sessions};
use crate::live::session::Session;
use crate::live::tape::PastTape;
use ccd_protocol::SessionId;
use ccd_store::{blocking, blocking_io};
use ccd_terminal::holder::Traces;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Sessions that are made from their rows before others have a turn.
const BATCH: usize = 100;

#[derive(Default)]
pub(in crate::live) struct EndedSessions {
    /// Held while rows are read and while a session is forgotten, so that no forgotten session returns. True if all
    /// ended sessions are listed.
    pub(super) is_whole: tokio::sync::Mutex<bool>,
    pub(super) holder_since: OnceLock<String>,
    /// Sessions that ended since this worker started.
    ends: AtomicU64,
}

impl Sessions {
    pub async fn load_ended(&self) -> Result<(), SessionError> {
        self.load(RowSelection::All).await.map(drop)
    }

    pub(in crate::live) async fn load_named(&self, text: &str) -> Result<(), SessionError> {
        self.load(RowSelection::Named(text)).await.map(drop)
    }

    /// Lists the ended sessions whose processes may still be running: those that this holder started.
    pub(in crate::live) async fn load_of_this_holder(&self) -> Result<(), SessionError> {
        let Some(since) = self.ended.holder_since.get() else {
            return Ok(());
        };
        self.load(RowSelection::CreatedSince(since)).await.map(drop)
    }

    /// Lists the ended sessions that are wanted; returns their ids.
    async fn load(&self, wanted: RowSelection<'_>) -> Result<Vec<SessionId>, SessionError> {
        let mut is_whole = self.ended.is_whole.lock().await;
        if *is_whole && !matches!(wanted, RowSelection::Outdated { .. }) {
            return Ok(Vec::new());
        }
        let rows = ended(&self.services.store, wanted).await?;
        let ids = rows
            .iter()
            .filter_map(|row| SessionId::parse(&row.session_id).ok());
        let ids: Vec<SessionId> = ids.collect();
        for batch in rows.chunks(BATCH) {
            self.list_ended(batch).await;
        }
        *is_whole |= matches!(wanted, RowSelection::All);
        Ok(ids)
    }

    async fn list_ended(&self, rows: &[SessionRow]) {
        let since = self.ended.holder_since.get();
        let is_missing = |session: &Session| !self.all.contains_key(session.id());
        let sessions: Vec<Session> = rows
            .iter()
            .filter_map(|row| {
                let is_of_this_holder = since.is_some_and(|since| row.created_at >= *since);
                session_of(&self.services, row, is_of_this_holder).filter(is_missing)
            })
            .collect();
        let folders: Vec<PathBuf> = sessions
            .iter()
            .map(|session| session.output.dir().to_owned())
            .collect();
        let tapes = blocking(move || -> Vec<_> {
            folders
                .iter()
                .map(|folder| PastTape::read(folder))
                .collect()
        });
        for (session, tape) in sessions.into_iter().zip(tapes.await) {
            *session.past_tape.lock() = tape;
            let entry = self.all.entry(session.id().clone());
            entry.or_insert_with(|| Arc::new(session));
        }
    }

    pub async fn count_all(&self) -> Result<Counts, SessionError> {
        let is_whole = self.ended.is_whole.lock().await;
        let mut counts = self.counts();
        if !*is_whole {
            let listed: Vec<String> = self
                .all
                .iter()
                .map(|entry| entry.key().to_string())
                .collect();
            counts.ended += count_ended(&self.services.store, &listed).await?;
        }
        Ok(counts)
    }

    /// Forgets sessions that ended at least `keep` ago or exceed `ended_session_limit`; returns how many.
    pub async fn retain(&self, keep: Duration) -> Result<u64, SessionError> {
        let before = ccd_base::clock::seconds_ago(keep.as_secs_f64());
        self.forget_outdated(&before).await
    }

    async fn forget_outdated(&self, before: &str) -> Result<u64, SessionError> {
        let most = self.services.settings().ended_session_limit;
        let outdated = self.load(RowSelection::Outdated { before, most }).await?;
        // A transient session that has ended still belongs to its client.
        let is_free = |session: &Session| !session.facts.transient || session.is_past();
        let listed = outdated.iter().filter_map(|id| self.listed(id));
        let free = listed.filter(|session| session.is_dead() && is_free(session));
        let free: Vec<_> = free.collect();
        self.forget_each(&free).await?;
        Ok(free.len() as u64)
    }

    /// Notes that a session has ended. Beyond `ended_session_limit`, the oldest ended ones are forgotten, a hundredth of
    /// the limit at a time.
    pub(in crate::live) fn count_end(self: &Arc<Self>) {
        let settings = self.services.settings();
        let ends = self.ended.ends.fetch_add(1, Ordering::Relaxed) + 1;
        let is_due = |most: usize| ends.is_multiple_of(most as u64 / 100 + 1);
        if settings.ended_session_limit.is_some_and(is_due) {
            self.keep_to_limit();
        }
    }

    /// Forgets the oldest ended sessions beyond `ended_session_limit`, in the background.
    pub(in crate::live) fn keep_to_limit(self: &Arc<Self>) {
        if self.services.settings().ended_session_limit.is_none() {
            return;
        }
        let sessions = Arc::clone(self);
        self.services.tracker.spawn(async move {
            if let Err(error) = sessions.forget_outdated("").await {
                tracing::error!(%error, "the oldest ended sessions could not be removed");
            }
        });
    }

    /// Removes directories of no session, and lists ended sessions whose recordings are no tapes yet.
    pub(in crate::live) async fn tidy_folders(self: &Arc<Self>) {
        if let Err(error) = self.try_to_tidy_folders().await {
            tracing::error!(%error, "left-over directories of sessions could not be removed");
        }
    }

    async fn try_to_tidy_folders(self: &Arc<Self>) -> Result<(), SessionError> {
        // A session that is starting has a directory before it is listed.
        let _starts = self.starting.lock().await;
        let at = self.services.folders.sessions.clone();
        let folders = blocking_io(move || read_folders(&at)).await;
        let mut folders = folders.map_err(SessionError::Files)?;
        let is_listed =
            |folder: &SessionFolder| folder.id().is_some_and(|id| self.all.contains_key(&id));
        folders.retain(|folder| !is_listed(folder));
        let names = folders.iter().filter_map(|folder| folder.name.to_str());
        let names: Vec<&str> = names.collect();
        let strays = without_session(&self.services.store, &names).await?;
        let (strays, known): (Vec<_>, Vec<_>) = folders.into_iter().partition(|folder| {
            let name = folder.name.to_str();
            name.is_none_or(|name| strays.contains(name))
        });
        for folder in known.iter().filter(|folder| folder.has_recording) {
            if let Some(id) = folder.id() {
                self.load_named(id.as_str()).await?;
            }
        }
        let names = strays.iter().filter_map(|folder| folder.name.to_str());
        let traces: Vec<_> = names.map(Traces::from_id).collect();
        end_orphans(&self.services.processes, &traces).await;
        let at = &self.services.folders.sessions;
        let strays = strays.iter().map(|folder| at.join(&folder.name));
        self.remove_strays(strays.collect()).await;
        Ok(())
    }
}

struct SessionFolder {
    name: OsString,
    has_recording: bool,
}

impl SessionFolder {
    fn id(&self) -> Option<SessionId> {
        SessionId::parse(self.name.to_str()?).ok()
    }
}

fn read_folders(at: &Path) -> io::Result<Vec<SessionFolder>> {
    let entries = std::fs::read_dir(at)?;
    let folder = |entry: std::fs::DirEntry| SessionFolder {
        has_recording: entry.path().join("recording.json").exists(),
        name: entry.file_name(),
    };
    entries.map(|entry| entry.map(folder)).collect()
}
