//! `hook.post`.

use super::Module;
use super::register::method;
use crate::memory::Hook;
use ccd_coach::delivery_of;
use ccd_protocol::hook::{HookPost, HookPostReply};
use jsonrpsee::core::RegisterMethodError;

pub(super) fn register(module: &mut Module) -> Result<(), RegisterMethodError> {
    method::<HookPost, _, _>(module, |daemon, _, params| async move {
        let delivery = delivery_of(params).map_err(ccd_coach::CoachError::from)?;
        let hook = Hook::of(&delivery.payload);
        let output = daemon.coach.post(delivery)?;
        let memory = match hook {
            Some(hook) => {
                let loaded = daemon.loaded();
                daemon.memories.answer(hook, &loaded.config.memory).await
            }
            None => None,
        };
        // The coach refuses calls of tools, and says nothing when a session starts.
        Ok(HookPostReply {
            output: output.or(memory),
        })
    })
}
