//! `run.once`.

use super::{Failure, Module};
use ccd_protocol::Method;
use ccd_protocol::run::RunOnce;
use ccd_session::{OutputPart, Runner};
use tokio_util::sync::CancellationToken;

pub(super) fn register(module: &mut Module) {
    module.add::<RunOnce, _, Failure>(async |daemon, peer, params| {
        // If the client disconnects, the call is dropped.
        let never = CancellationToken::new();
        let runner = Runner {
            peer: &peer,
            method: RunOnce::NAME,
            part: OutputPart::Start,
        };
        let ran = daemon.sessions.once(runner, &params, &never);
        Ok(ran.await?.reply)
    });
}
