//! `chain.*`.

use super::{CallError, Module, RpcError, RpcResult};
use crate::chain::{ChainError, Mode, Plan, Work, numbers, refuse_secrets, unknown_fields};
use crate::daemon::Daemon;
use ccd_protocol::chain::{
    Chain, ChainDelete, ChainGet, ChainList, ChainListReply, ChainParallel, ChainRun,
    ChainRunParams, ChainSave, ChainSaveParams, ChainSaveReply, ChainStarted, ChainSummary,
    ChainWatch,
};
use ccd_protocol::{Done, SessionId, Timeout};
use ccd_session::peer::Peer;
use serde_json::Value;
use std::sync::Arc;

pub(super) fn register(module: &mut Module) {
    module.add::<ChainList, _, _>(async |daemon, _, _| list(&daemon).await);
    module.add::<ChainGet, _, RpcError>(async |daemon, _, params| {
        Ok(saved(&daemon, &params.name).await?.0)
    });
    module.add::<ChainSave, _, _>(async |daemon, _, params| save(&daemon, params).await);
    module.add::<ChainDelete, _, RpcError>(async |daemon, _, params| {
        if daemon.chains.delete(&name_of(&params.name)?).await? {
            return Ok(Done {});
        }
        Err(ChainError::NotFound(params.name).into())
    });
    module.add::<ChainRun, _, _>(async |daemon, peer, params| run(&daemon, peer, params).await);
    module.add::<ChainParallel, _, RpcError>(async |daemon, peer, mut params| {
        let work = Work {
            sessions: Arc::clone(&daemon.sessions),
            peer,
            cwd: params.cwd.take(),
            env: std::mem::take(&mut params.env),
            inherited: std::mem::take(&mut params.inherited),
        };
        Ok(work.parallel(&daemon.jobs, params).await?)
    });
    module.add::<ChainWatch, _, RpcError>(async |daemon, peer, mut params| {
        let work = Work {
            sessions: Arc::clone(&daemon.sessions),
            peer,
            cwd: params.cwd.take(),
            env: std::mem::take(&mut params.env),
            inherited: std::mem::take(&mut params.inherited),
        };
        Ok(work.watch(&daemon.jobs, params).await?)
    });
}

async fn list(daemon: &Daemon) -> RpcResult<ChainListReply> {
    let mut chains = Vec::new();
    for name in daemon.chains.names().await? {
        let summary = match saved(daemon, name.as_str()).await {
            Ok((chain, _)) => ChainSummary {
                step_count: chain.commands.len(),
                cwd: chain.cwd,
                timeout: chain.timeout,
                shared: chain.shared,
                shell: chain.shell,
                ..ChainSummary::default()
            },
            // The chain may have been deleted since the names were listed.
            Err(ChainError::NotFound(_)) => continue,
            Err(error) => ChainSummary {
                problem: Some(error.to_string()),
                ..ChainSummary::default()
            },
        };
        chains.push(ChainSummary {
            name: name.to_string(),
            ..summary
        });
    }
    Ok(ChainListReply { chains })
}

async fn save(daemon: &Daemon, params: ChainSaveParams) -> RpcResult<ChainSaveReply> {
    let name = name_of(&params.name)?;
    let (chain, mut warnings) = given(&params.chain)?;
    refuse_secrets(&chain)?;
    let plan = Plan::of(&daemon.sessions, &chain, None, Timeout::Default).await?;
    warnings.extend(plan.warnings_to_save());
    let chain = under_name(chain, &name);
    let replaced = daemon.chains.get::<Value>(&name).await;
    daemon.chains.save(&name, chain.clone()).await?;
    Ok(ChainSaveReply {
        chain,
        // A file that cannot be read is replaced, too.
        replaced: !matches!(replaced, Ok(None)),
        warnings,
    })
}

async fn run(daemon: &Daemon, peer: Peer, params: ChainRunParams) -> RpcResult<ChainStarted> {
    let mode = Mode::of(params.shared, params.shell)?;
    let (chain, warnings) = match (&params.name, &params.chain) {
        (Some(name), None) => saved(daemon, name).await?,
        (None, Some(chain)) => given(chain)?,
        _ => {
            let told = "give either name (of a saved chain) or chain";
            return Err(CallError::InvalidArgument(told.into()).into());
        }
    };
    let plan = Plan::of(&daemon.sessions, &chain, mode, params.timeout_ms).await?;
    let work = Work {
        sessions: Arc::clone(&daemon.sessions),
        peer,
        cwd: params.cwd.or(chain.cwd).or(params.caller_cwd),
        env: params.env,
        inherited: params.inherited,
    };
    let mut started = plan.ready()?.start(&daemon.jobs, work).await?;
    started.warnings.splice(0..0, warnings);
    Ok(started)
}

async fn saved(daemon: &Daemon, name: &str) -> Result<(Chain, Vec<String>), ChainError> {
    let id = name_of(name)?;
    let value = daemon.chains.get::<Value>(&id).await?;
    let value = value.ok_or_else(|| ChainError::NotFound(name.to_owned()))?;
    let chain = ccd_protocol::read(&value.to_string())
        .map_err(|mistake| ChainError::Wrong(format!("the file of the chain {name}: {mistake}")))?;
    Ok((under_name(chain, &id), unknown_fields(&value)?))
}

fn given(value: &Value) -> RpcResult<(Chain, Vec<String>)> {
    let chain = ccd_protocol::read(&value.to_string())
        .map_err(|mistake| CallError::Params(format!("chain: {mistake}")))?;
    Ok((chain, unknown_fields(value)?))
}

/// Returns the chain as it is saved: its name is the name of its file, and its commands have their numbers.
fn under_name(mut chain: Chain, name: &SessionId) -> Chain {
    chain.id = Some(name.to_string());
    chain.name = Some(name.to_string());
    let numbers = numbers(&chain.commands);
    for (command, number) in chain.commands.iter_mut().zip(numbers) {
        command.sequence_order = Some(number);
        command.chain_id = Some(name.to_string());
    }
    chain
}

fn name_of(name: &str) -> Result<SessionId, ChainError> {
    SessionId::parse(name).map_err(|error| ChainError::Wrong(format!("the name {name:?} {error}")))
}
