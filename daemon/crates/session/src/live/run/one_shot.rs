//! A session that exists only for one piece of work and leaves no files.

use crate::live::end::CLOSE_GRACE;
use crate::live::error::SessionError;
use crate::live::input::LastLine;
use crate::live::registry::Sessions;
use crate::live::session::Session;
use crate::peer::Peer;
use ccd_protocol::Timeout;
use ccd_protocol::session::{EndReason, Pattern, SessionCreateParams};
use std::sync::Arc;
use tokio::sync::oneshot;

/// The session; when this is dropped, the session is asked to end.
pub struct OneShot {
    sessions: Arc<Sessions>,
    pub session: Arc<Session>,
}

impl OneShot {
    /// Starts a session without time limits, which ends with its peer's connection at the latest. It has no history.
    pub async fn start(
        sessions: &Arc<Sessions>,
        peer: &Peer,
        params: SessionCreateParams,
    ) -> Result<Self, SessionError> {
        let params = SessionCreateParams {
            transient: true,
            ..params
        };
        Self::start_for(sessions, peer, params, None).await
    }

    /// Starts a session for the method `started_by`, with a history. If it is not transient, its output stays after its end.
    pub async fn start_for(
        sessions: &Arc<Sessions>,
        peer: &Peer,
        params: SessionCreateParams,
        started_by: Option<&'static str>,
    ) -> Result<Self, SessionError> {
        let params = SessionCreateParams {
            session_timeout_s: Some(0.0),
            max_session_runtime_s: params.max_session_runtime_s.or(Some(0.0)),
            ..params
        };
        // In a task: a caller that gives up during the start must not leave a session.
        let (sender, started) = oneshot::channel();
        let (sessions, peer) = (Arc::clone(sessions), peer.clone());
        let tracker = sessions.services.tracker.clone();
        tracker.spawn(async move {
            let started = sessions.start(&peer, params, started_by).await;
            // If nobody waits for it, it ends here.
            let _ = sender.send(started.map(|started| Self {
                sessions,
                session: started.session,
            }));
        });
        started.await.unwrap_or(Err(SessionError::ShuttingDown))
    }

    pub fn new(sessions: &Arc<Sessions>, session: Arc<Session>) -> Self {
        Self {
            sessions: Arc::clone(sessions),
            session,
        }
    }

    /// Asks the program and the processes that it started to end.
    pub(super) fn close(&self, reason: EndReason) {
        self.session.order_close(reason, CLOSE_GRACE);
    }

    /// Ends the program and waits until none of its processes runs.
    pub async fn end(&self, reason: EndReason) {
        self.close(reason);
        self.session.wait_dead().await;
    }

    /// Ends the program in a task, for a caller that cannot wait, and forgets the session.
    pub fn end_behind(self, reason: EndReason) {
        self.close(reason);
        let tracker = self.session.services.tracker.clone();
        tracker.spawn(async move {
            self.session.wait_dead().await;
            if let Err(error) = self.collect().await {
                tracing::warn!(%error, "could not clean up after a program");
            }
        });
    }

    pub fn without_input(&self) {
        self.session.end_input(LastLine::Whole);
    }

    /// Waits for a pattern in the output from now on, and answers with a line; false if the pattern did not match.
    pub async fn answer(&self, peer: &Peer, pattern: Pattern, line: Option<&str>) -> bool {
        let session = &self.session;
        let from = session.output.end();
        let search = session.search(&[pattern], false, Timeout::Forever).await;
        let Ok(search) = search else {
            return false;
        };
        let found = session.search_from(peer, search, from).await;
        if let (Ok(_), Some(line)) = (&found, line) {
            session.type_unseen(line).await;
        }
        found.is_ok()
    }

    /// Returns the session's output from the offset `from` on, at most `max_bytes`.
    pub async fn output(&self, from: u64, max_bytes: usize) -> Result<Vec<u8>, SessionError> {
        self.session.bytes(from, max_bytes).await
    }

    /// Forgets the session, which has ended, and kills the processes that it left.
    pub async fn collect(self) -> Result<(), SessionError> {
        self.sessions.collect(&self.session).await
    }
}

impl Session {
    /// Returns the output from the offset `from` on, at most `max_bytes`.
    pub async fn bytes(&self, from: u64, max_bytes: usize) -> Result<Vec<u8>, SessionError> {
        let bytes = self.output.bytes(from, max_bytes).await;
        bytes.map_err(SessionError::Files)
    }
}

impl Drop for OneShot {
    fn drop(&mut self) {
        if !self.session.is_dead() {
            self.close(EndReason::Closed);
        }
    }
}
