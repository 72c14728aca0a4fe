//! `agent.*`.

use super::{CallError, Failure, Module, Pending};
use ccd_protocol::Timeout;
use ccd_protocol::agent::{
    AgentAnswer, AgentCreate, AgentGet, AgentItem, AgentList, AgentListReply, AgentSubscribeParams,
    AgentWait, AgentWaitReply,
};
use ccd_protocol::subscription::AGENT_SUBSCRIBE;
use std::sync::Arc;
use std::time::Duration;

pub(super) fn register(module: &mut Module) {
    module.add::<AgentList, _, Failure>(async |daemon, _, params| {
        let loaded = daemon.loaded();
        let mut agents = daemon.agents.list(params.brief).await;
        agents.retain(|agent| params.states.is_empty() || params.states.contains(&agent.state));
        Ok(AgentListReply {
            agents,
            hosts: loaded.config.agents.hosts.clone(),
        })
    });
    module.add::<AgentGet, _, Failure>(async |daemon, _, params| {
        Ok(daemon.agents.get(&params.agent).await?)
    });
    module.add::<AgentWait, _, Failure>(async |daemon, _, params| {
        let limit = match params.timeout_ms {
            Timeout::After(ms) => Some(Duration::from_secs_f64(ms.max(0.0) / 1000.0)),
            Timeout::Default | Timeout::Forever => None,
        };
        Ok(AgentWaitReply {
            agents: daemon.agents.wait(&params, limit).await?,
        })
    });
    module.add::<AgentAnswer, _, _>(async |daemon, peer, params| {
        daemon.agents.answer(&peer, &params).await
    });
    module.add::<AgentCreate, _, _>(async |daemon, peer, params| {
        daemon.agents.create(&peer, params).await
    });
    module.subscription(AGENT_SUBSCRIBE, changes);
}

async fn changes(pending: Pending, params: Result<AgentSubscribeParams, CallError>) {
    let daemon = Arc::clone(&pending.daemon);
    let prepared = params.map(drop).map_err(Failure::from);
    let Some(((), subscriber)) = pending.accept(prepared).await else {
        return;
    };
    let mut followed = daemon.agents.follow();
    daemon.agents.refresh().await;
    let mut seq = 0;
    loop {
        let (agents, removed) = followed.news();
        if seq == 0 || !agents.is_empty() || !removed.is_empty() {
            let item = AgentItem {
                seq,
                agents,
                removed,
            };
            seq += 1;
            if subscriber.send(&item).await.is_err() {
                return;
            }
        }
        tokio::select! {
            () = followed.next() => {}
            () = subscriber.closed() => return,
            () = daemon.services.stop.cancelled() => return,
        }
    }
}
