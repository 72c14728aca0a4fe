//! Runs and conversations: `list`, `get`, `cancel`, `sessions`, `session`, `end`, `cleanup`.

use super::run::failure_of;
use crate::args::{ExecGetArgs, ExecListArgs};
use crate::{Context, Exit, Failure, caller, pager, render};
use ccd_protocol::exec::{
    ExecCancel, ExecCleanup, ExecCleanupParams, ExecEnd, ExecGet, ExecList, ExecListParams,
    ExecSession, ExecSessionParams, ExecSessionStatus, ExecSessions, ExecSessionsParams,
    ExecutionParams,
};

pub(super) fn list(args: &ExecListArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = ExecListParams {
        repo_path: caller::given_path(args.repo_path.as_deref())?,
        session_id: args.session.clone(),
        status: args.status,
        limit: args.limit,
    };
    context.show::<ExecList>(&params)
}

/// Shows a run as a page, or its diff or output.
pub(super) fn get(args: &ExecGetArgs, context: &mut Context) -> Result<Exit, Failure> {
    let answer = context.call::<ExecGet>(&params_of(&args.execution))?;
    let result = &answer.value;
    if context.global.json {
        context.write_line(answer.json.get())?;
    } else if args.diff {
        pager::page(context, |out| {
            render::patch(&result.diff, out).map_err(Failure::Output)
        })?;
    } else if args.stdout {
        context.write_bytes(result.stdout.as_bytes())?;
    } else {
        let failure = failure_of(result).filter(|_| result.status.has_ended());
        context.render(|out| render::execution(result, failure.as_deref(), out))?;
    }
    Ok(Exit::Done)
}

pub(super) fn cancel(execution: &str, context: &mut Context) -> Result<Exit, Failure> {
    context.show::<ExecCancel>(&params_of(execution))
}

pub(super) fn sessions(
    repo_path: Option<&str>,
    status: Option<ExecSessionStatus>,
    context: &mut Context,
) -> Result<Exit, Failure> {
    let params = ExecSessionsParams {
        repo_path: caller::given_path(repo_path)?,
        status,
    };
    context.show::<ExecSessions>(&params)
}

pub(super) fn session(conversation: &str, context: &mut Context) -> Result<Exit, Failure> {
    context.show::<ExecSession>(&conversation_of(conversation))
}

pub(super) fn end(conversation: &str, context: &mut Context) -> Result<Exit, Failure> {
    context.show::<ExecEnd>(&conversation_of(conversation))
}

pub(super) fn cleanup(older_than: Option<u32>, context: &mut Context) -> Result<Exit, Failure> {
    let params = ExecCleanupParams {
        older_than_days: older_than,
    };
    context.show::<ExecCleanup>(&params)
}

fn params_of(execution: &str) -> ExecutionParams {
    ExecutionParams {
        request_id: execution.to_owned(),
    }
}

fn conversation_of(id: &str) -> ExecSessionParams {
    ExecSessionParams {
        session_id: id.to_owned(),
    }
}
