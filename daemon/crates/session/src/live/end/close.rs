//! Ending sessions by request.

use super::leftovers::kill_leftovers;
use super::task::CLOSE_GRACE;
use crate::durations::{millis, seconds};
use crate::live::error::SessionError;
use crate::live::registry::Sessions;
use crate::live::session::Session;
use ccd_protocol::data::{DataForgetParams, DataPart, DataSelected};
use ccd_protocol::session::{
    EndReason, SessionCleanupParams, SessionCleanupReply, SessionCloseParams, SessionCloseReply,
};
use ccd_text::redact::redact;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

impl Session {
    /// Ends a session. If it has ended already, returns its status.
    pub async fn close(
        self: &Arc<Self>,
        params: &SessionCloseParams,
    ) -> Result<SessionCloseReply, SessionError> {
        let mut warnings = Vec::new();
        let grace = match params.grace_ms {
            Some(grace) => millis(grace, "grace_ms", &mut warnings)?,
            None => CLOSE_GRACE,
        };
        let mut killed = Vec::new();
        let left;
        if self.is_dead() {
            let ended = std::slice::from_ref(self);
            let result = kill_leftovers(&self.services.processes, ended).await;
            (killed, left) = (result.pids(), result.left);
        } else {
            self.order_close(EndReason::Closed, grace);
            self.keep();
            self.wait_dead().await;
            left = self.state().left.clone();
        }
        let state = self.state().clone();
        killed.extend(state.killed);
        Ok(SessionCloseReply {
            exitstatus: state.exit.and_then(|exit| exit.code),
            signal: state.exit.and_then(|exit| exit.signal),
            forced: !killed.is_empty() || !left.is_empty(),
            killed,
            left: left.iter().map(|process| process.pid).collect(),
            tape: self.tape_use(),
            warnings,
        })
    }
}

impl Sessions {
    /// Removes ended sessions, after closing live ones if the request asks for it.
    pub async fn cleanup(
        &self,
        params: &SessionCleanupParams,
    ) -> Result<SessionCleanupReply, SessionError> {
        let mut warnings = Vec::new();
        let age = params
            .max_age_s
            .map(|age| seconds(age, "max_age_s", &mut warnings))
            .transpose()?;
        let too_old = |session: &Session| {
            let is_used = session.facts.persist || session.viewers.any();
            age.is_some_and(|age| !is_used && session.idle() >= age)
        };
        let mut closing = Vec::new();
        for session in self.list() {
            if !session.is_dead() && (params.force || too_old(&session)) {
                session.order_close(EndReason::Closed, CLOSE_GRACE);
                session.keep();
                closing.push(session);
            }
        }
        for session in closing {
            session.wait_dead().await;
        }
        let ended = self.forgettable().await?;
        self.forget_all(&ended).await?;
        Ok(SessionCleanupReply {
            removed: ended.len() as u64,
            warnings,
        })
    }

    pub async fn forget_data(
        &self,
        which: &DataForgetParams,
    ) -> Result<DataSelected, SessionError> {
        let project = which.project.as_ref();
        // The directory of an ended session has its secrets masked.
        let masked = project.map(|project| redact(project).text.into_owned());
        let is_in = |session: &Arc<Session>| {
            let cwd = Path::new(&session.facts.cwd);
            let mut forms = project.into_iter().chain(&masked);
            project.is_none() || forms.any(|form| cwd.starts_with(form))
        };
        let mut ended = self.forgettable().await?;
        ended.retain(is_in);
        if let Some(before) = &which.before {
            ended.retain(|session| {
                session
                    .state()
                    .ended_at
                    .as_ref()
                    .is_none_or(|at| at < before)
            });
        }
        let oldest = ended.iter().map(|session| session.facts.created_at.clone());
        let selected = DataSelected::of(
            DataPart::Sessions,
            ended.len() as u64,
            ("ended session", "ended sessions"),
            oldest.min(),
        );
        let mut live = self.list();
        live.retain(|session| (!session.is_dead() || is_owned(session)) && is_in(session));
        if !which.dry_run {
            self.forget_all(&ended).await?;
        }
        let kind = ("live session", "live sessions");
        Ok(selected.leaving(live.len() as u64, kind, "ccctl close ends one"))
    }

    /// Returns the ended sessions that nobody owns any more.
    async fn forgettable(&self) -> Result<Vec<Arc<Session>>, SessionError> {
        self.load_ended().await?;
        let mut ended = self.list();
        ended.retain(|session| session.is_dead() && !is_owned(session));
        Ok(ended)
    }

    async fn forget_all(&self, ended: &[Arc<Session>]) -> Result<(), SessionError> {
        kill_leftovers(&self.services.processes, ended).await;
        self.forget_each(ended).await?;
        self.services.store.tidy();
        Ok(())
    }

    /// Forgets sessions; on a full disk, the files of all are removed before it fails.
    pub(in crate::live) async fn forget_each(
        &self,
        ended: &[Arc<Session>],
    ) -> Result<(), SessionError> {
        let mut listed = Vec::new();
        for session in ended {
            match self.forget(session).await {
                Err(SessionError::StaysListed(_)) => listed.push(session),
                forgotten => forgotten?,
            }
        }
        // The files of the others may have made room.
        for session in listed {
            self.forget(session).await?;
        }
        Ok(())
    }

    /// Ends every session, and what ended ones left, before the daemon exits: nothing could find them later.
    pub async fn close_all(&self, grace: Duration) {
        if let Err(error) = self.load_of_this_holder().await {
            tracing::error!(%error, "processes that ended sessions left may stay");
        }
        let mut sessions = self.list();
        sessions.retain(|session| session.facts.is_of_this_holder);
        let (ended, closing): (Vec<_>, Vec<_>) =
            sessions.into_iter().partition(|session| session.is_dead());
        for session in &closing {
            session.order_close(EndReason::Shutdown, grace);
        }
        if !ended.is_empty() {
            kill_leftovers(&self.services.processes, &ended).await;
        }
        for session in closing {
            session.wait_dead().await;
        }
    }
}

/// True for a transient session that its client, which is about to go, still holds.
fn is_owned(session: &Session) -> bool {
    session.facts.transient && !session.is_past()
}
