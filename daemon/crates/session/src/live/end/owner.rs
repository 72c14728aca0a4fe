//! Sessions that live no longer than the connection of their client.

use super::task::CLOSE_GRACE;
use crate::live::registry::Sessions;
use crate::live::session::Session;
use crate::peer::Peer;
use ccd_protocol::session::EndReason;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// How long a session whose connection ended with an earlier process waits for a new one.
const CLAIM_TIME: Duration = Duration::from_secs(5);

/// Holds a session's claim on a connection while it has none.
#[derive(Debug, Default)]
pub(crate) struct OwnerWanted(Mutex<Option<UnclaimedSession>>);

#[derive(Debug)]
struct UnclaimedSession {
    claim: oneshot::Sender<Peer>,
    since: String,
}

impl Session {
    /// Ties the session to the connection of `peer`, if its own connection ended with an earlier process.
    pub fn claim(&self, peer: &Peer) {
        let wanted = self.owner_wanted.0.lock().take();
        if let Some(wanted) = wanted {
            let _ = wanted.claim.send(peer.clone()); // the session may have stopped waiting
        }
    }

    /// Returns since when it waits for a connection, if it does.
    pub(crate) fn orphaned_at(&self) -> Option<String> {
        let wanted = self.owner_wanted.0.lock();
        wanted.as_ref().map(|wanted| wanted.since.clone())
    }
}

impl Sessions {
    /// Ties a session to a connection: when the connection closes, the session is ended and forgotten.
    pub(crate) fn end_with(self: &Arc<Self>, session: Arc<Session>, peer: Peer) {
        let sessions = Arc::clone(self);
        self.services.tracker.spawn(async move {
            tokio::select! {
                () = peer.gone.cancelled() => {}
                () = session.forgotten.cancelled() => return,
                () = sessions.services.stop.cancelled() => {}
            }
            // On a handover, the client reconnects to the new process.
            if !sessions.services.leaving.is_cancelled() {
                sessions.end_transient(&session).await;
            }
        });
    }

    /// Does the same for a session whose connection ended with an earlier process: the first peer that
    /// [claims](Session::claim) it becomes its owner; without one, it ends. `since` is when it began to wait, if that
    /// was under an earlier process.
    pub(crate) fn await_owner(self: &Arc<Self>, session: Arc<Session>, since: Option<String>) {
        let (claim, claimed) = oneshot::channel();
        let since = since.unwrap_or_else(ccd_base::clock::now);
        let age = ccd_base::clock::age_s(&since).unwrap_or(0.0);
        let waited = Duration::try_from_secs_f64(age).unwrap_or_default();
        *session.owner_wanted.0.lock() = Some(UnclaimedSession { claim, since });
        session.keep();
        let sessions = Arc::clone(self);
        self.services.tracker.spawn(async move {
            let claim = tokio::select! {
                claim = tokio::time::timeout(CLAIM_TIME.saturating_sub(waited), claimed) => claim,
                () = session.forgotten.cancelled() => return,
                () = sessions.services.stop.cancelled() => return sessions.end_transient(&session).await,
            };
            match claim {
                Ok(Ok(peer)) => {
                    session.keep();
                    sessions.end_with(session, peer);
                }
                _ => sessions.end_transient(&session).await,
            }
        });
    }

    async fn end_transient(self: &Arc<Self>, session: &Arc<Session>) {
        if session.is_alive() {
            session.order_close(EndReason::Closed, CLOSE_GRACE);
        }
        session.wait_dead().await;
        if let Err(error) = self.collect(session).await {
            tracing::warn!(session = %session.id(), %error, "could not clean up after a transient session");
        }
    }
}
