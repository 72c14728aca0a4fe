//! Looks up a method and runs it.

use super::fault::Fault;
use super::room::Room;
use super::shared::Shared;
use futures_util::FutureExt;
use jsonrpsee::core::id_providers::RandomIntegerIdProvider;
use jsonrpsee::core::traits::IdProvider;
use jsonrpsee::types::{Params, Request};
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
    pub(super) room: Room,
}

impl Callee {
    /// Without an `outlet` it accepts no subscriptions.
    pub(super) fn new(shared: Arc<Shared>, outlet: Option<Outlet>) -> Self {
        Self {
            subscriptions: BoundedSubscriptions::new(shared.limits.subscriptions),
            shared,
            outlet,
        }
    }

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
