//! `run.once`.

use super::register::method;
use crate::daemon::Daemon;
use ccd_protocol::Method;
use ccd_protocol::run::RunOnce;
use ccd_session::session::{Part, Runner};
use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

pub(super) fn register(module: &mut RpcModule<Arc<Daemon>>) -> Result<(), RegisterMethodError> {
    method::<RunOnce, _, _>(module, |daemon, peer, params| async move {
        // If the client disconnects, the call is dropped.
        let never = CancellationToken::new();
        let runner = Runner {
            peer: &peer,
            method: RunOnce::NAME,
            part: Part::Start,
        };
        let ran = daemon.sessions.once(runner, &params, &never);
        Ok(ran.await?.reply)
    })
}
