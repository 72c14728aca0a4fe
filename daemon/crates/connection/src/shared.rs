//! What all calls of one connection share.

use super::budget::{Budget, Client};
use super::fault::Fault;
use super::limits::Limits;
use ccd_session::peer::Peer;
use jsonrpsee::types::Id;
use jsonrpsee::types::error::OVERSIZED_RESPONSE_CODE;
use jsonrpsee::{MethodCallback, MethodResponse, Methods};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

pub(super) struct Shared {
    pub(super) methods: Methods,
    pub(super) peer: Peer,
    pub(super) limits: Limits,
    /// Cancelled when a handover starts.
    pub(super) leaving: CancellationToken,
    pub(super) in_flight: Semaphore,
    /// Permits for calls whose replies may be large; each is held until its reply is written.
    pub(super) bulk: Arc<Semaphore>,
    /// What the replies of all connections may take together, and this one's part in it.
    pub(super) budget: Arc<Budget>,
    pub(super) client: Arc<Client>,
}

/// Maximum number of calls of one connection with large replies that run at a time.
const BULK_CALLS: usize = 1;

/// A permit for a bulk call.
#[derive(Debug, Clone)]
pub(super) struct BulkPlace(pub(super) Arc<OwnedSemaphorePermit>);

impl Shared {
    pub(super) fn new(
        methods: Methods,
        peer: Peer,
        limits: Limits,
        leaving: CancellationToken,
        budget: Arc<Budget>,
    ) -> Arc<Self> {
        let in_flight = Semaphore::new(limits.in_flight.min(Semaphore::MAX_PERMITS));
        Arc::new(Self {
            methods,
            client: Client::new(peer.connection),
            peer,
            budget,
            limits,
            leaving,
            in_flight,
            bulk: Arc::new(Semaphore::new(BULK_CALLS)),
        })
    }

    /// Replaces jsonrpsee's error for a reply that is too large with ccd's.
    pub(super) fn translate(&self, response: MethodResponse, id: Id<'_>) -> MethodResponse {
        // The client has the reply to a subscription already.
        if response.is_subscription() || response.as_error_code() != Some(OVERSIZED_RESPONSE_CODE) {
            return response;
        }
        let limit_bytes = self.limits.reply_bytes;
        Fault::ReplyTooLarge { limit_bytes }.response(id)
    }

    pub(super) fn is_subscription(&self, method: &str) -> bool {
        matches!(
            self.methods.method(method),
            Some(MethodCallback::Subscription(_))
        )
    }
}
