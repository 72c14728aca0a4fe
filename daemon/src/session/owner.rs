//! Sessions that live no longer than the connection of who wants them.

use super::live::{CloseOrder, Session};
use super::registry::Sessions;
use super::task::CLOSE_GRACE;
use crate::connection::Peer;
use ccd_protocol::session::EndReason;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// How long a session whose connection ended with an earlier process waits for another one.
const CLAIM_TIME: Duration = Duration::from_secs(5);

/// A place for the connection that a session is to live with, while it has none.
#[derive(Debug, Default)]
pub(super) struct OwnerWanted(Mutex<Option<oneshot::Sender<Peer>>>);

impl Session {
    /// Makes the session live as long as the connection of `peer`, if it has lost its own with an earlier process.
    pub(crate) fn claim(&self, peer: &Peer) {
        let mut wanted = self.owner_wanted.lock();
        if let Some(wanted) = wanted.take() {
            let _ = wanted.send(peer.clone()); // it may be too late
        }
    }
}

impl OwnerWanted {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<oneshot::Sender<Peer>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sessions {
    /// Ties a session to a connection: when that closes the session ends and is forgotten.
    pub(super) fn end_with(self: &Arc<Self>, session: Arc<Session>, peer: Peer) {
        let sessions = Arc::clone(self);
        self.tracker.spawn(async move {
            tokio::select! {
                () = peer.gone.cancelled() => {}
                () = session.forgotten.cancelled() => return,
                () = sessions.stop.cancelled() => {}
            }
            // Its client connects to the process that goes on.
            if !sessions.leaving.is_cancelled() {
                sessions.end_transient(&session).await;
            }
        });
    }

    /// Likewise for one whose connection ended with an earlier process: the first that [claims](Session::claim) it
    /// has it, and without any it ends.
    pub(super) fn await_owner(self: &Arc<Self>, session: Arc<Session>) {
        let (wanted, claimed) = oneshot::channel();
        *session.owner_wanted.lock() = Some(wanted);
        let sessions = Arc::clone(self);
        self.tracker.spawn(async move {
            let claim = tokio::select! {
                claim = tokio::time::timeout(CLAIM_TIME, claimed) => claim,
                () = session.forgotten.cancelled() => return,
                () = sessions.stop.cancelled() => return sessions.end_transient(&session).await,
            };
            match claim {
                Ok(Ok(peer)) => sessions.end_with(session, peer),
                _ => sessions.end_transient(&session).await,
            }
        });
    }

    async fn end_transient(&self, session: &Arc<Session>) {
        if session.is_alive() {
            session.order_close(CloseOrder {
                reason: EndReason::Closed,
                grace: CLOSE_GRACE,
            });
        }
        session.wait_dead().await;
        if let Err(error) = self.collect(session).await {
            tracing::warn!(session = %session.id(), %error, "a transient session left something behind");
        }
    }
}
