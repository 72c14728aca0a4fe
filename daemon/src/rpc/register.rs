//! Ties a method's type to its handler.

use super::RpcError;
use crate::connection::Peer;
use crate::daemon::Daemon;
use ccd_protocol::Method;
use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use jsonrpsee::types::{ErrorObjectOwned, Params};
use serde::de::DeserializeOwned;
use std::future::Future;
use std::sync::Arc;

/// Registers `handler` for the method `M`.
pub(super) fn method<M, F, Fut>(
    module: &mut RpcModule<Arc<Daemon>>,
    handler: F,
) -> Result<(), RegisterMethodError>
where
    M: Method,
    F: Fn(Arc<Daemon>, Peer, M::Params) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<M::Reply, RpcError>> + Send,
{
    module
        .register_async_method(M::NAME, move |params, daemon, extensions| {
            let handler = handler.clone();
            let parsed = parse::<M::Params>(&params);
            let peer = extensions.get::<Peer>().cloned();
            async move {
                let peer = peer.ok_or_else(no_peer)?;
                let params = parsed?;
                handler(Arc::clone(&daemon), peer, params)
                    .await
                    .map_err(ErrorObjectOwned::from)
            }
        })
        .map(drop)
}

/// Parses parameters given by name; none at all is the same as an empty object.
///
/// # Errors
///
/// [`RpcError::Params`] names what is missing or has the wrong type.
pub(super) fn parse<P: DeserializeOwned>(params: &Params<'_>) -> Result<P, RpcError> {
    let text = params.as_str().unwrap_or("{}");
    if text.trim_start().starts_with('[') {
        let empty = text.chars().filter(|c| !c.is_whitespace()).eq(['[', ']']);
        if !empty {
            return Err(RpcError::Params(
                "give the parameters by name, as an object".into(),
            ));
        }
        return serde_json::from_str("{}").map_err(|error| RpcError::Params(error.to_string()));
    }
    serde_json::from_str(text).map_err(|error| {
        // The position counts from the parameters, which nobody sees: leave it out.
        let text = error.to_string();
        let end = text.rfind(" at line ").unwrap_or(text.len());
        RpcError::Params(text[..end].to_owned())
    })
}

fn no_peer() -> ErrorObjectOwned {
    ErrorObjectOwned::owned(
        ccd_protocol::ErrorCode::Internal as i32,
        "internal error",
        None::<()>,
    )
}
