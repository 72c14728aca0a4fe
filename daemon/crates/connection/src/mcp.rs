//! Connections that speak MCP: the crate `mcp` calls methods through the same guard as every other client.

use super::guard::Guard;
use super::intake::Unfinished;
use super::shared::Shared;
use ccd_mcp::{Daemon, Limits, Policy};
use ccd_protocol::{ErrorCode, ErrorObject};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use jsonrpsee::types::{Extensions, Id, Request, TwoPointZero};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use tokio::net::UnixStream;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// What agents may do, and the list of sessions, while both change.
#[derive(Clone)]
pub struct Agents {
    pub policy: watch::Receiver<Arc<Policy>>,
    pub sessions: watch::Receiver<()>,
}

impl Agents {
    /// Agents that may do nothing, for a daemon without configuration and sessions.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(super) fn none() -> Self {
        let policy = Policy {
            programs: Vec::new(),
            sessions: ccd_mcp::Reach::Own,
            read_only: true,
        };
        Self {
            policy: watch::channel(Arc::new(policy)).1,
            sessions: watch::channel(()).1,
        }
    }
}

/// Serves `stream`, of which `first` has been read.
pub(super) fn serve(
    stream: UnixStream,
    first: Vec<u8>,
    shared: Arc<Shared>,
    agents: Agents,
    stop: CancellationToken,
) -> BoxFuture<'static, io::Result<()>> {
    let limits = Limits {
        opening_bytes: shared.limits.frame_bytes,
        in_flight: shared.limits.in_flight,
        write_stall: shared.limits.write_stall,
        grace: shared.limits.grace,
    };
    let requests = &shared.budget.requests;
    let methods = Methods {
        unfinished: Mutex::new(requests.begin(shared.peer.connection, shared.limits)),
        guard: Guard::new(shared, None),
        agents,
    };
    ccd_mcp::serve(stream, first, Arc::new(methods), limits, stop)
}

struct Methods {
    guard: Guard,
    agents: Agents,
    unfinished: Mutex<Unfinished>,
}

impl Daemon for Methods {
    fn call<'a>(
        &'a self,
        agent: &'a str,
        method: &'static str,
        params: Box<RawValue>,
    ) -> BoxFuture<'a, Result<Box<RawValue>, ErrorObject>> {
        let shared = &self.guard.shared;
        let requests = &shared.budget.requests;
        let admission = requests.admit(params.get().len(), &shared.limits);
        let mut extensions = Extensions::new();
        extensions.insert(shared.peer.named(agent));
        let request = Request {
            jsonrpc: TwoPointZero,
            id: Id::Null,
            method: Cow::Borrowed(method),
            params: Some(Cow::Owned(params)),
            extensions,
        };
        async move {
            let _admission = admission.map_err(|fault| ErrorObject::from_error(&fault))?;
            result_of(&self.guard.call(request).await.into_json())
        }
        .boxed()
    }

    fn count_unfinished(&self, bytes: usize) -> Result<(), ErrorObject> {
        let counted = self.unfinished.lock().count(bytes);
        counted.map_err(|fault| ErrorObject::from_error(&fault))
    }

    fn dropped(&self) -> BoxFuture<'_, ()> {
        let dropped = self.unfinished.lock().dropped();
        dropped.boxed()
    }

    fn policy(&self) -> Arc<Policy> {
        Arc::clone(&self.agents.policy.borrow())
    }

    fn sessions(&self) -> watch::Receiver<()> {
        self.agents.sessions.clone()
    }
}

fn result_of(reply: &RawValue) -> Result<Box<RawValue>, ErrorObject> {
    #[derive(Deserialize)]
    struct Reply<'a> {
        #[serde(borrow)]
        result: Option<&'a RawValue>,
        error: Option<ErrorObject>,
    }
    match serde_json::from_str(reply.get()) {
        Ok(Reply {
            result: Some(result),
            ..
        }) => Ok(result.to_owned()),
        Ok(Reply {
            error: Some(error), ..
        }) => Err(error),
        Ok(_) | Err(_) => Err(ErrorObject {
            code: ErrorCode::Internal as i64,
            message: "a reply could not be read".to_owned(),
            data: None,
        }),
    }
}
