//! Every call passes through here, whatever its transport: limits, span, panics, error codes.

use super::fault::Fault;
use super::room::Room;
use super::shared::{BulkPlace, Shared};
use ccd_protocol::method::ReplySize;
use ccd_session::peer::Peer;
use futures_util::FutureExt;
use jsonrpsee::core::id_providers::RandomIntegerIdProvider;
use jsonrpsee::core::middleware::{Batch, BatchEntry, Notification};
use jsonrpsee::core::traits::IdProvider;
use jsonrpsee::types::{Id, Params, Request};
use jsonrpsee::{
    BatchResponseBuilder, BoundedSubscriptions, ConnectionId, MethodCallback, MethodResponse,
    MethodSink, SubscriptionState,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tracing::Instrument;

#[derive(Clone)]
pub(super) struct Guard {
    pub(super) shared: Arc<Shared>,
    outlet: Option<Outlet>,
    subscriptions: BoundedSubscriptions,
}

/// Where subscriptions send to.
#[derive(Clone)]
pub(super) struct Outlet {
    /// For the replies to subscriptions, which jsonrpsee sends.
    pub(super) sink: MethodSink,
    pub(super) room: Room,
}

/// Methods that may wait for a long time and can be repeated: they change nothing, or the next worker knows about the
/// request.
const REPEATABLE_METHODS: [&str; 6] = [
    "session.expect",
    "session.wait",
    "session.screen",
    "session.close",
    "job.get",
    "agent.wait",
];

/// Methods that change something and may then wait for a long time.
const DOING_METHODS: [&str; 4] = ["session.send", "session.run", "session.cleanup", "run.once"];

/// Returns whether a call ends with its connection: it may wait for a long time, or it says itself what is closed then.
fn ends_with_connection(method: &str) -> bool {
    method == "session.create" || waits(method)
}

fn waits(method: &str) -> bool {
    REPEATABLE_METHODS.contains(&method) || DOING_METHODS.contains(&method)
}

fn reply_size(method: &str) -> ReplySize {
    let info = ccd_protocol::methods().find(|info| info.name == method);
    info.map_or(ReplySize::Small, |info| info.reply_size)
}

/// Returns whether this is a `session.run` that the next worker recognises.
fn has_run_id(request: &Request<'_>) -> bool {
    #[derive(serde::Deserialize)]
    struct Params {
        run_id: Option<serde::de::IgnoredAny>,
    }
    request.method == "session.run"
        && (request.params().parse::<Params>()).is_ok_and(|params| params.run_id.is_some())
}

impl Guard {
    /// Without an `outlet` no subscriptions are accepted.
    pub(super) fn new(shared: Arc<Shared>, outlet: Option<Outlet>) -> Self {
        Self {
            subscriptions: BoundedSubscriptions::new(shared.limits.subscriptions),
            shared,
            outlet,
        }
    }

    pub(super) async fn call(&self, mut request: Request<'_>) -> MethodResponse {
        let shared = &self.shared;
        let id = request.id.clone().into_owned();
        let Some((method, callback)) = shared.methods.method_with_name(&request.method) else {
            return Fault::no_method(&request.method).response(id);
        };
        let Ok(_slot) = shared.in_flight.try_acquire() else {
            let limit = shared.limits.in_flight;
            return Fault::InFlight { limit }.response(id);
        };
        if let MethodCallback::Unsubscription(_) = callback {
            request.params = request.params.map(positional_subscription);
        }
        if request.extensions.get::<Peer>().is_none() {
            request.extensions.insert(shared.peer.clone());
        }
        let reply_size = reply_size(method);
        let bulk = if reply_size == ReplySize::Bulk {
            let place = Arc::clone(&shared.bulk).acquire_owned().await;
            place.ok().map(Arc::new).map(BulkPlace)
        } else {
            None
        };
        // See `Budget`.
        let _making = match reply_size {
            ReplySize::Small => None,
            ReplySize::Large | ReplySize::Bulk => Some(shared.budget.make().await),
        };
        let repeatable = REPEATABLE_METHODS.contains(&method) || has_run_id(&request);
        let (conn, peer) = (shared.peer.connection, shared.peer.pid);
        let span = tracing::debug_span!("call", method, conn, peer);
        let call = AssertUnwindSafe(self.run(method, callback, request));
        let call = call.catch_unwind().instrument(span);
        let waits = waits(method);
        let answer = tokio::select! {
            biased;
            answer = call => answer,
            () = shared.leaving.cancelled(), if waits => {
                return Fault::HandedOver { repeatable }.response(id);
            }
        };
        match answer {
            Ok(response) => {
                let mut response = shared.translate(response, id);
                if let Some(place) = bulk {
                    response.extensions_mut().insert(place);
                }
                response
            }
            Err(_) => {
                tracing::error!(method, conn, "handler panicked");
                Fault::Panicked.response(id)
            }
        }
    }

    /// Runs a method. jsonrpsee's own service for this cannot be built outside its transports.
    async fn run(
        &self,
        method: &'static str,
        callback: &MethodCallback,
        request: Request<'_>,
    ) -> MethodResponse {
        let Request {
            id,
            params: text,
            mut extensions,
            ..
        } = request;
        let params = Params::new(text.as_deref().map(RawValue::get));
        let connection = ConnectionId(self.shared.peer.connection as usize);
        let limit_bytes = self.shared.limits.reply_bytes;
        match callback {
            MethodCallback::Sync(handler) => handler(id, params, limit_bytes, extensions),
            MethodCallback::Unsubscription(handler) => {
                handler(id, params, connection, limit_bytes, extensions)
            }
            MethodCallback::Async(handler) => {
                let (id, params) = (id.into_owned(), params.into_owned());
                // A call may wait for long with parameters of 16 MiB.
                drop(text);
                handler(id, params, connection, limit_bytes, extensions).await
            }
            MethodCallback::Subscription(handler) => {
                let Some(Outlet { sink, room }) = self.outlet.clone() else {
                    return Fault::NoSubscription(method).response(id);
                };
                let Some(permit) = self.subscriptions.acquire() else {
                    let limit = self.subscriptions.max();
                    return Fault::Subscriptions { limit }.response(id);
                };
                extensions.insert(room);
                let state = SubscriptionState {
                    conn_id: connection,
                    id_provider: &RandomIntegerIdProvider as &dyn IdProvider,
                    subscription_permit: permit,
                };
                handler(id, params, sink, state, extensions).await
            }
        }
    }

    /// Runs a call as long as its connection is there, if it is one that ends with it.
    pub(super) async fn call_of_client(&self, request: Request<'_>) -> Option<MethodResponse> {
        if !ends_with_connection(&request.method) {
            return Some(self.call(request).await);
        }
        tokio::select! {
            biased;
            () = self.shared.peer.gone.cancelled() => None,
            response = self.call(request) => Some(response),
        }
    }

    /// Runs the entries one after another: a batch may send and then expect. `None` if it has ended with its connection.
    pub(super) async fn batch(&self, batch: Batch<'_>) -> Option<MethodResponse> {
        let limits = &self.shared.limits;
        if batch.is_empty() {
            return Some(Fault::EmptyBatch.response(Id::Null));
        }
        if batch.len() > limits.batch {
            let limit = limits.batch;
            return Some(Fault::BatchTooLong { limit }.response(Id::Null));
        }
        let limit_bytes = limits.reply_bytes;
        let mut replies = BatchResponseBuilder::new_with_limit(limit_bytes);
        for entry in batch {
            let response = match entry {
                Ok(BatchEntry::Call(request)) => self.call_of_client(request).await?,
                Ok(BatchEntry::Notification(n)) => self.notification(n).await,
                Err(error) => {
                    let (error, id) = error.into_parts();
                    MethodResponse::error(id, error)
                }
            };
            // An accepted subscription has sent its reply itself.
            if response.is_method_call() && replies.append(response).is_err() {
                return Some(Fault::ReplyTooLarge { limit_bytes }.response(Id::Null));
            }
        }
        Some(if replies.is_empty() {
            MethodResponse::notification()
        } else {
            MethodResponse::from_batch(replies.finish())
        })
    }

    /// Executes it like a call without a reply. Subscriptions are not accepted as notifications, because the client
    /// would not learn their id.
    pub(super) async fn notification(&self, notification: Notification<'_>) -> MethodResponse {
        let method = notification.method;
        if !self.shared.is_subscription(&method) {
            let response = self.call(Request {
                jsonrpc: notification.jsonrpc,
                id: Id::Null,
                method,
                params: notification.params,
                extensions: notification.extensions,
            });
            if let Some(code) = response.await.as_error_code() {
                let conn = self.shared.peer.connection;
                tracing::warn!(code, conn, "notification failed");
            }
        }
        MethodResponse::notification()
    }
}

/// Converts `{"subscription": id}` to `[id]`, the only form that jsonrpsee accepts for unsubscribing.
fn positional_subscription(params: Cow<'_, RawValue>) -> Cow<'_, RawValue> {
    #[derive(Deserialize)]
    struct ByName<'a> {
        #[serde(borrow)]
        subscription: &'a RawValue,
    }
    let positional = serde_json::from_str::<ByName<'_>>(params.get())
        .ok()
        .and_then(|by_name| serde_json::value::to_raw_value(&[by_name.subscription]).ok());
    positional.map_or(params, Cow::Owned)
}
