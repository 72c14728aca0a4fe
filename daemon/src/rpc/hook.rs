//! `hook.post`.

use super::{Failure, Module};
use crate::memory::Hook;
use ccd_coach::delivery_of;
use ccd_protocol::hook::{HookPost, HookPostReply};

pub(super) fn register(module: &mut Module) {
    module.add::<HookPost, _, Failure>(async |daemon, peer, mut params| {
        let session = params.session.take();
        let delivery = delivery_of(params).map_err(ccd_coach::CoachError::from)?;
        let hook = Hook::parse(&delivery.payload);
        // Without it, payloads are thrown away.
        if daemon.loaded().config.hooks.enabled {
            let agents = &daemon.agents;
            agents.hook(&delivery, session.as_deref(), &peer).await;
        }
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
    });
}
