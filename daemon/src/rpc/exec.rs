//! `exec.*`.

use super::register::method;
use super::{Module, RpcError};
use crate::daemon::Daemon;
use crate::friction::note_failed_run;
use crate::job::{JobHandle, Outcome};
use ccd_exec::{Finish, Planned, Watcher};
use ccd_protocol::Done;
use ccd_protocol::exec::{
    ExecCancel, ExecCleanup, ExecEnd, ExecGet, ExecList, ExecPhase, ExecProgress, ExecRun,
    ExecRunParams, ExecSession, ExecSessions, ExecStarted, ExecutionSummary,
};
use ccd_protocol::method::Method as _;
use ccd_session::peer::Peer;
use jsonrpsee::core::RegisterMethodError;
use serde_json::{Value, to_value};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The list in a job's result.
const LINES: &str = "lines";

pub(super) fn register(module: &mut Module) -> Result<(), RegisterMethodError> {
    method::<ExecRun, _, _>(module, |daemon, peer, params| async move {
        start(&daemon, &peer, params).await
    })?;
    method::<ExecGet, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.exec.get(&params.request_id).await?)
    })?;
    method::<ExecList, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.exec.list(params).await?)
    })?;
    method::<ExecCancel, _, _>(module, |daemon, _, params| async move {
        let job = daemon.exec.job_to_cancel(&params.request_id).await?;
        daemon.jobs.cancel(&job).await?;
        Ok(Done {})
    })?;
    method::<ExecSessions, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.exec.sessions(params).await?)
    })?;
    method::<ExecSession, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.exec.session(&params.session_id).await?)
    })?;
    method::<ExecEnd, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.exec.end_session(&params.session_id).await?)
    })?;
    method::<ExecCleanup, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.exec.cleanup(params).await?)
    })
}

async fn start(
    daemon: &Arc<Daemon>,
    peer: &Peer,
    params: ExecRunParams,
) -> Result<ExecStarted, RpcError> {
    let planned = daemon
        .exec
        .plan(params, Some(peer.name().to_string()))
        .await?;
    let (request_id, session_id) = (planned.request_id.clone(), planned.session_id.clone());
    let work = {
        let daemon = Arc::clone(daemon);
        move |handle: JobHandle| async move { carry_out(&daemon, planned, handle).await }
    };
    let started = daemon.jobs.start(ExecRun::NAME, Some(LINES), work).await;
    match started {
        Ok(job) => Ok(ExecStarted {
            job,
            request_id,
            session_id,
        }),
        Err(error) => {
            daemon.exec.refuse(&request_id, &error).await;
            Err(error.into())
        }
    }
}

async fn carry_out(daemon: &Arc<Daemon>, planned: Planned, handle: JobHandle) -> Outcome {
    let cwd = planned.cwd().to_owned();
    let watcher = Arc::new(JobWatcher(handle));
    let Some(finish) = daemon.exec.carry_out(planned, watcher).await else {
        return Outcome::failed("internal error");
    };
    match finish {
        Finish::Ran(summary) => {
            note_failed_run(&daemon.coach, &summary, &cwd);
            Outcome::done(value_of(&summary))
        }
        Finish::Refused(summary) => {
            let why = summary.error_message.clone().unwrap_or_default();
            Outcome::failed(why).with(value_of(&summary))
        }
        Finish::Cancelled(summary) => Outcome::cancelled().with(value_of(&summary)),
    }
}

fn value_of(summary: &ExecutionSummary) -> Value {
    to_value(summary).unwrap_or_default()
}

struct JobWatcher(JobHandle);

impl Watcher for JobWatcher {
    fn job(&self) -> &str {
        self.0.id()
    }

    fn progress(&self, progress: &ExecProgress) {
        self.0.queued(progress.phase == ExecPhase::Queued);
        self.0.progress(to_value(progress).unwrap_or_default());
    }

    fn line(&self, line: String) {
        self.0.line(line);
    }

    fn cancelled(&self) -> &CancellationToken {
        self.0.cancelled()
    }
}
