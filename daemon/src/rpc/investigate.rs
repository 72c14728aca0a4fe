//! `investigate.*`.

use super::register::method;
use crate::daemon::Daemon;
use crate::discover::{investigate, learn, probe};
use ccd_protocol::investigate::{InvestigateLearn, InvestigateProbe, InvestigateRun};
use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use std::sync::Arc;

pub(super) fn register(module: &mut RpcModule<Arc<Daemon>>) -> Result<(), RegisterMethodError> {
    method::<InvestigateRun, _, _>(module, |daemon, peer, params| async move {
        Ok(investigate(&daemon, &peer, params).await?)
    })?;
    method::<InvestigateProbe, _, _>(module, |daemon, peer, params| async move {
        Ok(probe(&daemon, &peer, params).await?)
    })?;
    method::<InvestigateLearn, _, _>(module, |daemon, _, params| async move {
        Ok(learn(&daemon, &params).await?)
    })
}
