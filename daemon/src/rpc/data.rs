//! `data.*`: each part is listed and deleted by its owner.

use super::investigate::forget_reports;
use super::tape::forget_tapes;
use super::{CallError, Failure, Module, RpcResult, invalid, require_absolute};
use crate::daemon::Daemon;
use crate::data;
use ccd_protocol::data::{
    DataForget, DataForgetParams, DataForgetReply, DataList, DataListReply, DataPart, DataSelected,
};
use jsonrpsee::types::ErrorObjectOwned;
use std::path::PathBuf;

pub(super) fn register(module: &mut Module) {
    module.add::<DataList, _, Failure>(async |daemon, _, _| {
        let all = DataForgetParams {
            dry_run: true,
            ..DataForgetParams::default()
        };
        let memories = data::memories(&daemon, None).await;
        let mut parts = Vec::new();
        for part in DataPart::ALL {
            let has = selected(&daemon, part, &all, &memories).await;
            parts.push(data::kept(&daemon, has, &memories).await);
        }
        Ok(DataListReply { parts })
    });
    module.add::<DataForget, _, Failure>(async |daemon, _, params| {
        let params = checked(params)?;
        // The other parts say which projects there are.
        let memories = if params.parts.contains(&DataPart::Memory) {
            data::memories(&daemon, params.project.as_deref()).await
        } else {
            Vec::new()
        };
        let mut parts = Vec::new();
        for part in DataPart::ALL {
            if params.parts.contains(&part) {
                parts.push(selected(&daemon, part, &params, &memories).await);
            }
        }
        Ok(DataForgetReply {
            dry_run: params.dry_run,
            parts,
        })
    });
}

fn checked(params: DataForgetParams) -> Result<DataForgetParams, CallError> {
    if params.parts.is_empty() {
        return Err(invalid("parts: give at least one"));
    }
    if let Some(project) = &params.project {
        require_absolute("project", project)?;
    }
    let Some(before) = &params.before else {
        return Ok(params);
    };
    match ccd_base::clock::normal(before) {
        Some(before) => Ok(DataForgetParams {
            before: Some(before),
            ..params
        }),
        None => Err(invalid(format!(
            "before: {before:?} is not a time (RFC 3339)"
        ))),
    }
}

/// As [`select`]: a part that fails keeps no other from its turn.
async fn selected(
    daemon: &Daemon,
    part: DataPart,
    which: &DataForgetParams,
    memories: &[PathBuf],
) -> DataSelected {
    match select(daemon, part, which, memories).await {
        Ok(selected) => selected,
        Err(error) => DataSelected {
            failed: vec![ErrorObjectOwned::from(error).message().to_owned()],
            ..DataSelected::none(part)
        },
    }
}

/// Deletes what is selected of a part, or only counts it.
async fn select(
    daemon: &Daemon,
    part: DataPart,
    which: &DataForgetParams,
    memories: &[PathBuf],
) -> RpcResult<DataSelected> {
    let has_project = |selected: DataSelected, why: &str| match &which.project {
        Some(_) if selected.items > 0 => {
            let left = vec![format!("{}: {why}", selected.what)];
            DataSelected {
                left,
                ..DataSelected::none(part)
            }
        }
        _ => selected,
    };
    // What belongs to no project is only counted if a project is given.
    let of_all = DataForgetParams {
        dry_run: which.dry_run || which.project.is_some(),
        ..which.clone()
    };
    Ok(match part {
        DataPart::Sessions => daemon.sessions.forget_data(which).await?,
        DataPart::Tapes => forget_tapes(daemon, which).await?,
        DataPart::Coach => daemon.coach.forget_data(which).await?,
        DataPart::Hooks => {
            let hooks = daemon.coach.forget_hooks(which).await?;
            hooks.and(daemon.agents.forget(which))
        }
        DataPart::Conversations => {
            let conversations = daemon.conversation_index.forget(which).await?;
            conversations.and(data::forget_pages(which).await)
        }
        DataPart::Memory => data::forget_memories(memories.to_vec(), which).await,
        DataPart::Runs => daemon.exec.forget(which).await?,
        DataPart::Reports => has_project(
            forget_reports(daemon, &of_all).await?,
            "reports belong to a program, not to a project",
        ),
        DataPart::Jobs => has_project(
            daemon.jobs.forget(&of_all).await?,
            "jobs belong to no project",
        ),
        DataPart::Logs => data::forget_logs(daemon, which).await,
    })
}
