//! `chain.*`.

use super::{CallError, Failure, Module, RpcResult, document_name, invalid};
use crate::chain::{
    ChainError, Mode, Plan, Work, numbers, refuse_secrets, start_parallel, start_watch,
    unknown_fields,
};
use crate::daemon::Daemon;
use ccd_protocol::chain::{
    Chain, ChainDelete, ChainGet, ChainList, ChainListReply, ChainParallel, ChainRun,
    ChainRunParams, ChainSave, ChainSaveParams, ChainSaveReply, ChainStarted, ChainSummary,
    ChainWatch,
};
use ccd_protocol::{Done, SessionId, Timeout};
use ccd_session::peer::Peer;
use serde_json::Value;

pub(super) fn register(module: &mut Module) {
    module.add::<ChainList, _, _>(async |daemon, _, _| list(&daemon).await);
    module.add::<ChainGet, _, Failure>(async |daemon, _, params| {
        Ok(saved(&daemon, &params.name).await?.0)
    });
    module.add::<ChainSave, _, _>(async |daemon, _, params| save(&daemon, params).await);
    module.add::<ChainDelete, _, Failure>(async |daemon, _, params| {
        if daemon.chains.delete(&document_name(&params.name)?).await? {
            return Ok(Done {});
        }
        Err(ChainError::NotFound(params.name).into())
    });
    module.add::<ChainRun, _, _>(async |daemon, peer, params| run(&daemon, peer, params).await);
    module.add::<ChainParallel, _, _>(async |daemon, peer, params| {
        start_parallel(&daemon.jobs, &daemon.sessions, peer, params).await
    });
    module.add::<ChainWatch, _, _>(async |daemon, peer, params| {
        start_watch(&daemon.jobs, &daemon.sessions, peer, params).await
    });
}

async fn list(daemon: &Daemon) -> RpcResult<ChainListReply> {
    let mut chains = Vec::new();
    for name in daemon.chains.names().await? {
        let mut summary = match load(daemon, &name).await {
            Ok(Some((chain, _))) => ChainSummary {
                step_count: chain.commands.len(),
                cwd: chain.cwd,
                timeout: chain.timeout,
                shared: chain.shared,
                shell: chain.shell,
                ..ChainSummary::default()
            },
            // It was deleted since the names were listed.
            Ok(None) => continue,
            Err(error) => ChainSummary {
                problem: Some(error.0.to_string()),
                ..ChainSummary::default()
            },
        };
        summary.name = name.to_string();
        chains.push(summary);
    }
    Ok(ChainListReply { chains })
}

async fn save(daemon: &Daemon, params: ChainSaveParams) -> RpcResult<ChainSaveReply> {
    let name = document_name(&params.name)?;
    let (chain, mut warnings) = given(&params.chain)?;
    refuse_secrets(&chain)?;
    let plan = Plan::check(&daemon.sessions, &chain, None, Timeout::Default).await?;
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
    let mode = Mode::selected(params.shared, params.shell)?;
    let (chain, mut warnings) = match (&params.name, &params.chain) {
        (Some(name), None) => saved(daemon, name).await?,
        (None, Some(chain)) => given(chain)?,
        _ => return Err(invalid("give either name (of a saved chain) or chain").into()),
    };
    let plan = Plan::check(&daemon.sessions, &chain, mode, params.timeout_ms).await?;
    let plan = plan.ready()?;
    let cwd = params.cwd.or(chain.cwd).or(params.caller_cwd);
    let (env, inherited) = (params.env, params.inherited);
    let (work, of_work) = Work::new(&daemon.sessions, peer, cwd, env, inherited)?;
    warnings.extend(plan.warnings.iter().cloned().chain(of_work));
    let job = plan.start(&daemon.jobs, work).await?;
    Ok(ChainStarted { job, warnings })
}

async fn saved(daemon: &Daemon, name: &str) -> RpcResult<(Chain, Vec<String>)> {
    let found = load(daemon, &document_name(name)?).await?;
    found.ok_or_else(|| ChainError::NotFound(name.to_owned()).into())
}

async fn load(daemon: &Daemon, name: &SessionId) -> RpcResult<Option<(Chain, Vec<String>)>> {
    let Some(value) = daemon.chains.get::<Value>(name).await? else {
        return Ok(None);
    };
    let chain = ccd_protocol::read(&value.to_string())
        .map_err(|mistake| invalid(format!("the file of the chain {name}: {mistake}")))?;
    Ok(Some((under_name(chain, name), unknown_fields(&value)?)))
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
