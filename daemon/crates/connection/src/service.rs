//! Requests of every transport, from their text to the message with the reply.

use super::fault::Fault;
use super::guard::Guard;
use super::method::WholeReply;
use super::outgoing::Message;
use super::request::{self, Parsed};
use super::shared::{BulkPlace, Shared};
use jsonrpsee::core::middleware::BatchEntry;
use jsonrpsee::types::Id;
use serde_json::value::RawValue;
use std::sync::Arc;

/// Carries out the request in `text` and returns the reply, if there is one.
pub(super) async fn answer(service: Guard, text: String) -> Option<Message> {
    let Shared { peer, limits, .. } = &*service.shared;
    let request = request::parse(&text, peer, limits.batch);
    carry_out(&service, request).await
}

/// Carries out a request and returns the reply, if there is one.
/// When the client disconnects, calls that may wait for long are dropped, also those of a batch, which ends there; what else
/// has begun has the grace period, so that nothing is left half done, and so have notifications: a hook sends one and exits.
pub(super) async fn carry_out(service: &Guard, request: Parsed<'_>) -> Option<Message> {
    let Shared { peer, limits, .. } = &*service.shared;
    let mut whole = None;
    let response = async {
        match request {
            Parsed::Wrong(id, fault) => Some(fault.response(id)),
            Parsed::Single(BatchEntry::Call(mut request)) => {
                let reply = WholeReply::new(&request.id, limits.reply_bytes);
                request.extensions.insert(Arc::clone(&reply));
                whole = Some(reply);
                service.call_of_client(request).await
            }
            Parsed::Single(BatchEntry::Notification(one)) => Some(service.notification(one).await),
            Parsed::Batch(batch) => service.batch(batch).await,
        }
    };
    let given_up = async {
        peer.gone.cancelled().await;
        tokio::time::sleep(limits.grace).await;
    };
    let response = tokio::select! {
        biased;
        response = response => response?,
        () = given_up => return None,
    };
    if !(response.is_method_call() || response.is_batch()) {
        return None;
    }
    let bulk = response.extensions().get::<BulkPlace>();
    let bulk = bulk.map(|BulkPlace(place)| Arc::clone(place));
    let large = whole.filter(|_| response.is_success());
    let large = large.and_then(|whole| whole.take());
    let json = large.unwrap_or_else(|| response.into_json());
    let Shared { budget, client, .. } = &*service.shared;
    let charge = budget.charge(client, json.get().len());
    Some(if bulk.is_some() || charge.is_some() {
        Message::with_place(json, Arc::new((bulk, charge)))
    } else {
        json.into()
    })
}

/// The reply to a message that could not even be read.
pub(super) fn complaint(fault: Fault) -> Box<RawValue> {
    fault.response(Id::Null).into_json()
}
