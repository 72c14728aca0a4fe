//! `hook.post`.

use super::register::method;
use crate::daemon::Daemon;
use ccd_coach::delivery_of;
use ccd_protocol::hook::{HookPost, HookPostReply};
use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use std::sync::Arc;

pub(super) fn register(module: &mut RpcModule<Arc<Daemon>>) -> Result<(), RegisterMethodError> {
    method::<HookPost, _, _>(module, |daemon, _, params| async move {
        let delivery = delivery_of(params).map_err(ccd_coach::CoachError::from)?;
        let output = daemon.coach.post(delivery)?;
        Ok(HookPostReply { output })
    })
}
