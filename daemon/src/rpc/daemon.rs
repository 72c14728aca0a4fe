//! `daemon.*`.

use super::{Failure, Module, RpcResult};
use crate::daemon::{Daemon, own_pid};
use crate::upgrade::HandOverError;
use ccd_protocol::Done;
use ccd_protocol::daemon::{
    DaemonCheck, DaemonLog, DaemonPing, DaemonReload, DaemonReloadReply, DaemonRestart,
    DaemonStatus, DaemonStop, DaemonStopReply, DaemonUpgrade, DaemonUpgradeParams,
    DaemonUpgradeReply,
};
use ccd_store::blocking;
use std::path::PathBuf;

pub(super) fn register(module: &mut Module) {
    module.add::<DaemonPing, _, Failure>(async |_, _, _| Ok(Done {}));
    module.add::<DaemonStatus, _, Failure>(async |daemon, _, _| {
        Ok(crate::status::status(&daemon).await)
    });
    module.add::<DaemonStop, _, Failure>(async |daemon, peer, _| {
        tracing::info!(client = &**peer.name(), pid = peer.pid, "asked to stop");
        let sessions = daemon.sessions.counts().live;
        if !daemon.request_stop() {
            return Err(HandOverError::Begun.into());
        }
        Ok(DaemonStopReply {
            pid: ccd_terminal::holder::holder_pid(),
            sessions,
        })
    });
    module.add::<DaemonRestart, _, Failure>(async |daemon, peer, _| {
        tracing::info!(client = &**peer.name(), pid = peer.pid, "asked to restart");
        upgrade(&daemon, DaemonUpgradeParams::default()).await
    });
    module.add::<DaemonUpgrade, _, Failure>(async |daemon, peer, params| {
        tracing::info!(
            client = &**peer.name(),
            pid = peer.pid,
            binary = params.binary,
            "asked to hand over"
        );
        upgrade(&daemon, params).await
    });
    module.add::<DaemonReload, _, Failure>(async |daemon, _, _| {
        let loaded = daemon.reload().await?;
        Ok(DaemonReloadReply {
            path: loaded.path_text(),
            warnings: loaded.warning_lines(),
        })
    });
    module.add::<DaemonLog, _, _>(async |daemon, _, params| daemon.log.change(&params));
    module.add::<DaemonCheck, _, _>(async |daemon, _, _| {
        crate::maintenance::start_check(&daemon).await
    });
}

async fn upgrade(daemon: &Daemon, params: DaemonUpgradeParams) -> RpcResult<DaemonUpgradeReply> {
    // The new worker could not read an invalid configuration either.
    daemon.check_configuration().await?;
    let path = params.binary.map(PathBuf::from);
    let look = blocking(move || crate::upgrade::look(path.as_deref()));
    let (successor, new_version) = look.await?;
    let jobs = daemon.jobs.counts();
    let reply = DaemonUpgradeReply {
        pid: own_pid(),
        version: env!("CARGO_PKG_VERSION").into(),
        new_version,
        sessions: daemon.sessions.counts().live,
        jobs: jobs.queued + jobs.running,
        number: daemon.hand_over.as_ref().map_or(0, |last| last.number),
    };
    if daemon.leave_to(successor) {
        Ok(reply)
    } else if daemon.leaving.is_cancelled() {
        Err(HandOverError::Begun.into())
    } else {
        Err(HandOverError::ShuttingDown.into())
    }
}
