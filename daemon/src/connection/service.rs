//! Calls on the line transport: looks up a method and runs it.

use super::fault::Fault;
use super::guard::{BulkPlace, Callee, Guard, Shared};
use super::request::{self, Message};
use futures_util::FutureExt;
use jsonrpsee::core::middleware::{BatchEntry, RpcServiceT};
use jsonrpsee::core::traits::IdProvider;
use jsonrpsee::server::{
    BoundedSubscriptions, ConnectionId, MethodCallback, MethodResponse, MethodSink,
    RandomIntegerIdProvider, SubscriptionState,
};
use jsonrpsee::types::{Id, Params, Request};
use serde_json::value::RawValue;
use std::sync::Arc;

/// The innermost service; jsonrpsee's own one cannot be built outside its transports.
#[derive(Clone)]
pub(super) struct LineService {
    shared: Arc<Shared>,
    sink: MethodSink,
    subscriptions: BoundedSubscriptions,
}

impl LineService {
    /// Returns a service whose subscriptions send to `sink`, inside its guard.
    pub(super) fn guarded(shared: Arc<Shared>, sink: MethodSink) -> Guard<Self> {
        let service = Self {
            subscriptions: BoundedSubscriptions::new(shared.limits.subscriptions),
            shared: Arc::clone(&shared),
            sink,
        };
        Guard::new(service, shared)
    }
}

impl Callee for LineService {
    fn call<'a>(&self, request: Request<'a>) -> impl Future<Output = MethodResponse> + Send + 'a {
        let Request {
            id,
            method,
            params,
            extensions,
            ..
        } = request;
        let params = Params::new(params.as_deref().map(RawValue::get));
        let shared = &self.shared;
        let connection = ConnectionId(shared.peer.connection as usize);
        let limit_bytes = shared.limits.reply_bytes;
        let now = |response| std::future::ready(response).left_future();
        match shared.methods.method(&method) {
            None => now(Fault::no_method(&method).response(id)),
            Some(MethodCallback::Sync(handler)) => {
                now(handler(id, params, limit_bytes, extensions))
            }
            Some(MethodCallback::Unsubscription(handler)) => {
                now(handler(id, params, connection, limit_bytes, extensions))
            }
            Some(MethodCallback::Async(handler)) => {
                let (id, params) = (id.into_owned(), params.into_owned());
                handler(id, params, connection, limit_bytes, extensions).right_future()
            }
            Some(MethodCallback::Subscription(handler)) => match self.subscriptions.acquire() {
                None => {
                    let limit = self.subscriptions.max();
                    now(Fault::Subscriptions { limit }.response(id))
                }
                Some(permit) => {
                    let state = SubscriptionState {
                        conn_id: connection,
                        id_provider: &RandomIntegerIdProvider as &dyn IdProvider,
                        subscription_permit: permit,
                    };
                    handler(id, params, self.sink.clone(), state, extensions).right_future()
                }
            },
        }
    }
}

/// Executes the request in `line` and returns the reply, if there is one.
///
/// Calls are dropped when the client disconnects. A notification may keep running for the grace period, because nobody
/// waits for it: a hook sends it and exits.
pub(super) async fn answer(service: Guard<LineService>, line: String) -> Option<Reply> {
    let Shared { peer, limits, .. } = &*service.shared;
    let gone = async || peer.gone.cancelled().await;
    let response = match request::parse(&line, peer, limits.batch) {
        Message::Wrong(id, fault) => fault.response(id),
        Message::Single(BatchEntry::Call(request)) => tokio::select! {
            biased;
            response = service.call(request) => response,
            () = gone() => return None,
        },
        Message::Single(BatchEntry::Notification(notification)) => tokio::select! {
            biased;
            response = service.notification(notification) => response,
            () = async { gone().await; tokio::time::sleep(limits.grace).await } => return None,
        },
        Message::Batch(batch) => tokio::select! {
            biased;
            response = service.batch(batch) => response,
            () = gone() => return None,
        },
    };
    (response.is_method_call() || response.is_batch()).then(|| Reply {
        place: response.extensions().get().cloned(),
        json: response.into_json(),
    })
}

/// A reply in progress.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) json: Box<RawValue>,
    /// Released when the connection takes the reply.
    #[expect(dead_code, reason = "held, not read")]
    pub(super) place: Option<BulkPlace>,
}

/// The reply to a line that could not even be read.
pub(super) fn complaint(fault: Fault) -> Box<RawValue> {
    fault.response(Id::Null).into_json()
}
