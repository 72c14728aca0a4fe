//! The sessions of a daemon: each has its id, its slot in the holder, and perhaps a name.

use super::error::SessionError;
use super::services::{Services, SessionSettings};
use super::session::Session;
use super::start::checked_id;
use super::survive::{EndedSessions, StrayRecording};
use crate::program::Programs;
use ccd_base::nearest::nearest;
use ccd_protocol::SessionId;
use ccd_protocol::session::{SessionRenameParams, SessionState};
use dashmap::DashMap;
use futures_util::future::{BoxFuture, FutureExt};
use parking_lot::{Mutex, RwLock};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::{Notify, watch};

pub struct Sessions {
    /// Those that live or ended under this worker, and earlier ones that somebody has asked for.
    pub(super) all: DashMap<SessionId, Arc<Session>>,
    pub(super) ended: EndedSessions,
    /// Sessions by their slot in the holder.
    slots: RwLock<Vec<Option<Arc<Session>>>>,
    /// Notified whenever there may be room for another session.
    pub(super) places: Notify,
    /// Changed whenever the list of live sessions, or of listed ones, may be another.
    pub changes: watch::Sender<()>,
    /// One start at a time, so that names, limits and reuse are decided once.
    pub(super) starting: tokio::sync::Mutex<()>,
    pub services: Arc<Services>,
    pub programs: Programs,
    /// Sessions without files that stay listed, oldest first.
    pub(super) past: Mutex<VecDeque<SessionId>>,
    /// Recordings of sessions that are not listed, which could not be made into tapes yet.
    pub(super) stray_recordings: Mutex<Vec<StrayRecording>>,
    /// Makes the hashes of `reuse` meaningless outside this daemon.
    pub(super) reuse_key: [u8; 32],
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    pub live: u64,
    pub ended: u64,
}

impl Sessions {
    pub fn new(services: Arc<Services>) -> Arc<Self> {
        Arc::new(Self {
            all: DashMap::new(),
            ended: EndedSessions::default(),
            slots: RwLock::new(Vec::new()),
            places: Notify::new(),
            changes: watch::Sender::new(()),
            starting: tokio::sync::Mutex::new(()),
            programs: Programs::new(&services.folders.base),
            past: Mutex::default(),
            stray_recordings: Mutex::default(),
            reuse_key: services.holder.secret(),
            services,
        })
    }

    /// Replaces the settings, for sessions that start from now on. If more ended sessions than `ended_session_limit` are
    /// kept, the oldest are forgotten.
    pub fn set_settings(self: &Arc<Self>, settings: SessionSettings) {
        self.services.set_settings(settings);
        self.keep_to_limit();
        self.places.notify_waiters();
    }

    /// Waits until there is room for another session. Another start may take the room first.
    pub async fn place(&self) {
        loop {
            let freed = self.places.notified();
            match self.services.settings().max_sessions {
                Some(max) if self.counts().live >= max as u64 => freed.await,
                _ => return,
            }
        }
    }

    /// Finds a session by id, name or unique prefix of an id.
    /// A name means the live session with this name, else the newest.
    pub fn find<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<Arc<Session>, SessionError>> {
        async move {
            let found = self.find_listed(text);
            let is_meant = |session: &Session| {
                session.id().as_str() == text || session.is_alive() && session.is_named(text)
            };
            match found {
                Ok(session) if is_meant(&session) => return Ok(session),
                Err(SessionError::InvalidArgument(_)) => return found,
                // Sessions that are not listed may have this name, or the same prefix.
                _ => self.load_named(text).await?,
            }
            self.find_listed(text).map_err(|error| match error {
                SessionError::NotFound { asked, .. } => SessionError::NotFound {
                    similar: self.similar_name(&asked),
                    asked,
                },
                error => error,
            })
        }
        .boxed()
    }

    /// Returns the listed session with this id.
    pub fn listed(&self, id: &SessionId) -> Option<Arc<Session>> {
        self.all.get(id).map(|listed| Arc::clone(&listed))
    }

    /// Finds a session as [`Sessions::find`] does, except those that ended under an earlier worker and that nobody has
    /// asked for.
    pub fn find_listed(&self, text: &str) -> Result<Arc<Session>, SessionError> {
        let id = SessionId::parse(text).map_err(|error| {
            SessionError::InvalidArgument(format!("the session {text:?} {error}"))
        })?;
        if let Some(session) = self.listed(&id) {
            return Ok(session);
        }
        let mut by_name: Option<Arc<Session>> = None;
        let mut by_prefix = Vec::new();
        for session in &self.all {
            if session.is_named(text) {
                let better = by_name.as_ref().is_none_or(|found| {
                    (session.is_alive(), &session.facts.created_at)
                        > (found.is_alive(), &found.facts.created_at)
                });
                if better {
                    by_name = Some(Arc::clone(&session));
                }
            } else if session.id().as_str().starts_with(text) {
                by_prefix.push(Arc::clone(&session));
            }
        }
        if let Some(session) = by_name {
            return Ok(session);
        }
        if by_prefix.len() > 1 {
            let mut candidates: Vec<String> = by_prefix
                .iter()
                .map(|session| session.id().to_string())
                .collect();
            candidates.sort_unstable();
            return Err(SessionError::Ambiguous {
                prefix: text.to_owned(),
                candidates,
            });
        }
        by_prefix.pop().ok_or_else(|| SessionError::NotFound {
            asked: text.to_owned(),
            similar: None,
        })
    }

    fn similar_name(&self, text: &str) -> Option<String> {
        let names: Vec<SessionId> = self.list().iter().filter_map(|one| one.name()).collect();
        nearest(text, names.iter().map(SessionId::as_str)).map(str::to_owned)
    }

    /// Gives a live session another name, which no other live session has.
    pub async fn rename(&self, params: &SessionRenameParams) -> Result<(), SessionError> {
        let name = checked_id("name", &params.name)?;
        let session = self.find(&params.session).await?;
        session.require_alive()?;
        let starting = self.starting.lock().await;
        let is_taken = |other: &Session| {
            !other.is_dead() && other.id() != session.id() && other.is_called(&name)
        };
        if let Some(other) = self.all.iter().find(|other| is_taken(other)) {
            return Err(SessionError::Conflict {
                session: other.id().clone(),
                wanted: name.to_string(),
            });
        }
        session.set_name(name);
        drop(starting);
        session.keep();
        session.save_soon();
        self.changes.send_replace(());
        Ok(())
    }

    /// Returns the listed sessions, oldest first: all that live, and those that have ended and were loaded.
    pub fn list(&self) -> Vec<Arc<Session>> {
        let mut sessions: Vec<Arc<Session>> = self
            .all
            .iter()
            .map(|entry| Arc::clone(entry.value()))
            .collect();
        sessions.sort_by(|a, b| (&a.facts.created_at, a.id()).cmp(&(&b.facts.created_at, b.id())));
        sessions
    }

    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for session in &self.all {
            match session.state().phase {
                SessionState::Alive => counts.live += 1,
                SessionState::Zombie | SessionState::Dead => counts.ended += 1,
            }
        }
        counts
    }

    /// Adds a session, and makes it reachable by its slot in the holder.
    pub(super) fn insert(&self, session: Arc<Session>) {
        if let Some(slot) = session.facts.slot {
            let mut slots = self.slots.write();
            if slots.len() <= slot {
                slots.resize(slot + 1, None);
            }
            slots[slot] = Some(Arc::clone(&session));
        }
        self.all.insert(session.id().clone(), session);
        self.changes.send_replace(());
    }

    pub(super) fn at_slot(&self, slot: usize) -> Option<Arc<Session>> {
        self.slots.read().get(slot).cloned().flatten()
    }

    /// Frees the session's slot in the holder, once: another session may have it by then.
    pub(super) fn release(&self, session: &Session) {
        let Some(slot) = session.facts.slot else {
            return;
        };
        let mut slots = self.slots.write();
        let is_there = |there: &mut Arc<Session>| std::ptr::eq(&**there, session);
        let had = slots
            .get_mut(slot)
            .and_then(|place| place.take_if(is_there));
        drop(slots);
        if had.is_some() {
            self.services.holder.release(slot);
            session.forget_kept_state();
        }
    }
}
