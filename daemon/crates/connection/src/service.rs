//! Calls of every transport: looks up a method and runs it.

use super::fault::Fault;
use super::guard::{BulkPlace, Guard, Shared};
use super::outgoing::Message;
use super::request::{self, Parsed};
use super::room::Room;
use futures_util::FutureExt;
use jsonrpsee::core::id_providers::RandomIntegerIdProvider;
use jsonrpsee::core::middleware::{BatchEntry, RpcServiceT};
use jsonrpsee::core::traits::IdProvider;
use jsonrpsee::types::{Id, Params, Request};
use jsonrpsee::{
    BoundedSubscriptions, ConnectionId, MethodCallback, MethodResponse, MethodSink,
    SubscriptionState,
};
use serde_json::value::RawValue;
use std::sync::Arc;

/// The innermost service; jsonrpsee's own one cannot be built outside its transports.
#[derive(Clone)]
pub(super) struct Callee {
    shared: Arc<Shared>,
    outlet: Option<Outlet>,
    subscriptions: BoundedSubscriptions,
}

/// Where subscriptions send to.
#[derive(Clone)]
pub(super) struct Outlet {
    /// For the replies to subscriptions, which jsonrpsee sends.
    pub(super) sink: MethodSink,
    /// For items.
    pub(super) room: Room,
}

impl Callee {
    /// Returns a service inside its guard; without an `outlet` it accepts no subscriptions.
    pub(super) fn guarded(shared: Arc<Shared>, outlet: Option<Outlet>) -> Guard {
        let callee = Self {
            subscriptions: BoundedSubscriptions::new(shared.limits.subscriptions),
            shared: Arc::clone(&shared),
            outlet,
        };
        Guard::new(callee, shared)
    }

    /// Passes one request to its handler.
    pub(super) fn call<'a>(
        &self,
        request: Request<'a>,
    ) -> impl Future<Output = MethodResponse> + Send + 'a {
        let Request {
            id,
            method,
            params,
            mut extensions,
            ..
        } = request;
        let params = Params::new(params.as_deref().map(RawValue::get));
        let shared = &self.shared;
        let connection = ConnectionId(shared.peer.connection as usize);
        let limit_bytes = shared.limits.reply_bytes;
        let now = |response| std::future::ready(response).left_future();
        match shared.methods.method_with_name(&method) {
            None => now(Fault::no_method(&method).response(id)),
            Some((_, MethodCallback::Sync(handler))) => {
                now(handler(id, params, limit_bytes, extensions))
            }
            Some((_, MethodCallback::Unsubscription(handler))) => {
                now(handler(id, params, connection, limit_bytes, extensions))
            }
            Some((_, MethodCallback::Async(handler))) => {
                let (id, params) = (id.into_owned(), params.into_owned());
                handler(id, params, connection, limit_bytes, extensions).right_future()
            }
            Some((method, MethodCallback::Subscription(handler))) => {
                let Some(Outlet { sink, room }) = self.outlet.clone() else {
                    return now(Fault::NoSubscription(method).response(id));
                };
                let Some(permit) = self.subscriptions.acquire() else {
                    let limit = self.subscriptions.max();
                    return now(Fault::Subscriptions { limit }.response(id));
                };
                extensions.insert(room);
                let state = SubscriptionState {
                    conn_id: connection,
                    id_provider: &RandomIntegerIdProvider as &dyn IdProvider,
                    subscription_permit: permit,
                };
                handler(id, params, sink, state, extensions).right_future()
            }
        }
    }
}

/// Carries out the request in `text` and returns the reply, if there is one.
pub(super) async fn answer(service: Guard, text: String) -> Option<Message> {
    let Shared { peer, limits, .. } = &*service.shared;
    let request = request::parse(&text, peer, limits.batch);
    carry_out(&service, request).await
}

/// Carries out a request and returns the reply, if there is one.
///
/// Calls are dropped when the client disconnects. A notification may keep running for the grace period, because nobody
/// waits for it: a hook sends it and exits.
pub(super) async fn carry_out(service: &Guard, request: Parsed<'_>) -> Option<Message> {
    let Shared { peer, limits, .. } = &*service.shared;
    let gone = async || peer.gone.cancelled().await;
    let response = match request {
        Parsed::Wrong(id, fault) => fault.response(id),
        Parsed::Single(BatchEntry::Call(request)) => tokio::select! {
            biased;
            response = service.call(request) => response,
            () = gone() => return None,
        },
        Parsed::Single(BatchEntry::Notification(notification)) => tokio::select! {
            biased;
            response = service.notification(notification) => response,
            () = async { gone().await; tokio::time::sleep(limits.grace).await } => return None,
        },
        Parsed::Batch(batch) => tokio::select! {
            biased;
            response = service.batch(batch) => response,
            () = gone() => return None,
        },
    };
    if !(response.is_method_call() || response.is_batch()) {
        return None;
    }
    let place = response.extensions().get::<BulkPlace>().cloned();
    let json = response.into_json();
    Some(match place {
        Some(BulkPlace(place)) => Message::with_place(json, place),
        None => json.into(),
    })
}

/// The reply to a message that could not even be read.
pub(super) fn complaint(fault: Fault) -> Box<RawValue> {
    fault.response(Id::Null).into_json()
}
