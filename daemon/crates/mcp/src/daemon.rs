//! What the server needs of the daemon.

use crate::policy::Policy;
use ccd_protocol::session::{
    Session, SessionGet, SessionGetParams, SessionWait, SessionWaitParams, SessionWaitReply,
    WaitFor,
};
use ccd_protocol::{ErrorCode, ErrorObject, Method, Timeout};
use futures_util::future::BoxFuture;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::Arc;
use tokio::sync::watch;

pub trait Daemon: Send + Sync + 'static {
    /// Calls a method in the name of an agent. Dropping the future gives the call up.
    fn call<'a>(
        &'a self,
        agent: &'a str,
        method: &'static str,
        params: Box<RawValue>,
    ) -> BoxFuture<'a, Result<Box<RawValue>, ErrorObject>>;

    /// Counts the bytes that have arrived of a message that is not complete. After an error, the caller drops them.
    fn count_unfinished(&self, bytes: usize) -> Result<(), ErrorObject>;

    /// Returns once others need the memory of that message.
    fn dropped(&self) -> BoxFuture<'_, ()>;

    fn policy(&self) -> Arc<Policy>;

    /// Changes whenever another session is listed, or one no longer.
    fn sessions(&self) -> watch::Receiver<()>;
}

#[derive(Clone, Copy)]
pub(crate) struct Calls<'a> {
    pub(crate) daemon: &'a dyn Daemon,
    /// The name that the agent gives itself.
    pub(crate) agent: &'a str,
}

impl Calls<'_> {
    pub(crate) async fn call<M: Method>(
        &self,
        params: &M::Params,
    ) -> Result<M::Reply, ErrorObject> {
        let garbled = |error: serde_json::Error| ErrorObject {
            code: ErrorCode::Internal as i64,
            message: format!("{}: {error}", M::NAME),
            data: None,
        };
        let params = to_raw_value(params).map_err(garbled)?;
        let reply = self.daemon.call(self.agent, M::NAME, params).await?;
        serde_json::from_str(reply.get()).map_err(garbled)
    }

    /// Waits until a session is as wanted.
    pub(crate) async fn wait(
        &self,
        session: &str,
        condition: WaitFor,
        timeout_ms: Timeout,
    ) -> Result<SessionWaitReply, ErrorObject> {
        let params = SessionWaitParams {
            session: session.to_owned(),
            condition,
            idle_ms: None,
            since: None,
            timeout_ms,
        };
        self.call::<SessionWait>(&params).await
    }

    /// Returns the record of a session, after a look at what its program waits for.
    pub(crate) async fn look(&self, session: &str) -> Result<Session, ErrorObject> {
        self.call::<SessionGet>(&SessionGetParams::of(session))
            .await
    }

    /// Returns the record of a session, without that look, which takes longer than a send.
    pub(crate) async fn record(&self, session: &str) -> Result<Session, ErrorObject> {
        let params = SessionGetParams {
            session: session.to_owned(),
            waiting: Some(false),
        };
        self.call::<SessionGet>(&params).await
    }
}
