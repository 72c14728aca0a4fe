//! `exec.*`.

use super::{Failure, Module, RpcResult};
use crate::daemon::Daemon;
use crate::friction::note_failed_run;
use crate::job::{JobHandle, Outcome};
use ccd_agents::Run;
use ccd_exec::{Finish, Planned, Watcher};
use ccd_protocol::Done;
use ccd_protocol::agent::AgentState;
use ccd_protocol::exec::ExecutionStatus;
use ccd_protocol::exec::{
    ExecCancel, ExecCleanup, ExecEnd, ExecGet, ExecList, ExecPhase, ExecProgress, ExecRun,
    ExecRunParams, ExecSession, ExecSessions, ExecStarted,
};
use ccd_protocol::method::Method as _;
use ccd_session::peer::Peer;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The list in a job's result.
const LINES: &str = "lines";

pub(super) fn register(module: &mut Module) {
    module.add::<ExecRun, _, _>(async |daemon, peer, params| start(&daemon, &peer, params).await);
    module
        .add::<ExecGet, _, _>(async |daemon, _, params| daemon.exec.get(&params.request_id).await);
    module.add::<ExecList, _, _>(async |daemon, _, params| daemon.exec.list(params).await);
    module.add::<ExecCancel, _, Failure>(async |daemon, _, params| {
        let job = daemon.exec.job_to_cancel(&params.request_id).await?;
        daemon.jobs.cancel(&job).await?;
        Ok(Done {})
    });
    module.add::<ExecSessions, _, _>(async |daemon, _, params| daemon.exec.sessions(params).await);
    module.add::<ExecSession, _, _>(async |daemon, _, params| {
        daemon.exec.session(&params.session_id).await
    });
    module.add::<ExecEnd, _, _>(async |daemon, _, params| {
        daemon.exec.end_session(&params.session_id).await
    });
    module.add::<ExecCleanup, _, _>(async |daemon, _, params| daemon.exec.cleanup(params).await);
}

async fn start(daemon: &Arc<Daemon>, peer: &Peer, params: ExecRunParams) -> RpcResult<ExecStarted> {
    let client = Some(peer.name().to_string());
    // Known from the start, so that the run can be cancelled as soon as it is known.
    let job = crate::job::new_id();
    let planned = daemon.exec.plan(params, client, job.clone()).await?;
    let (request_id, session_id) = (planned.request_id.clone(), planned.session_id.clone());
    let work = {
        let daemon = Arc::clone(daemon);
        move |handle: JobHandle| async move { carry_out(&daemon, planned, handle).await }
    };
    let started = (daemon.jobs).start_as(job, ExecRun::NAME, Some(LINES), work);
    match started.await {
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
    let planned_id = planned.session_id.clone();
    let cwd = planned.cwd().to_owned();
    let run = |state, error| Run {
        conversation: planned_id.clone(),
        cwd: cwd.clone(),
        state,
        error,
    };
    daemon.agents.run(&run(AgentState::Working, None));
    let watcher = Arc::new(JobWatcher(handle));
    let Some(finish) = daemon.exec.carry_out(planned, watcher).await else {
        daemon.agents.run(&run(AgentState::Failed, None));
        return Outcome::failed("internal error");
    };
    let (Finish::Ran(summary) | Finish::Refused(summary) | Finish::Cancelled(summary)) = &finish;
    let state = match summary.status {
        ExecutionStatus::Success => AgentState::Done,
        _ => AgentState::Failed,
    };
    daemon
        .agents
        .run(&run(state, summary.error_message.clone()));
    match finish {
        Finish::Ran(summary) => {
            note_failed_run(&daemon.coach, &summary, &cwd);
            Outcome::done(summary)
        }
        Finish::Refused(summary) => {
            let why = summary.error_message.clone().unwrap_or_default();
            Outcome::failed(why).with(summary)
        }
        Finish::Cancelled(summary) => Outcome::cancelled().with(summary),
    }
}

struct JobWatcher(JobHandle);

impl Watcher for JobWatcher {
    fn progress(&self, progress: &ExecProgress) {
        self.0.queued(progress.phase == ExecPhase::Queued);
        self.0.progress(progress);
    }

    fn line(&self, line: String) {
        self.0.line(line);
    }

    fn cancelled(&self) -> &CancellationToken {
        self.0.cancelled()
    }
}
