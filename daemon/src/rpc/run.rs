//! `run.once`.

use super::Module;
use super::register::method;
use ccd_protocol::Method;
use ccd_protocol::run::RunOnce;
use ccd_session::session::{OutputPart, Runner};
use jsonrpsee::core::RegisterMethodError;
use tokio_util::sync::CancellationToken;

pub(super) fn register(module: &mut Module) -> Result<(), RegisterMethodError> {
    method::<RunOnce, _, _>(module, |daemon, peer, params| async move {
        // If the client disconnects, the call is dropped.
        let never = CancellationToken::new();
        let runner = Runner {
            peer: &peer,
            method: RunOnce::NAME,
            part: OutputPart::Start,
        };
        let ran = daemon.sessions.once(runner, &params, &never);
        Ok(ran.await?.reply)
    })
}
