//! `daemon.*`.

use super::RpcError;
use super::register::method;
use crate::daemon::Daemon;
#[cfg(not(portable))]
use crate::daemon::{Successor, own_pid};
use crate::session::SessionError;
use ccd_protocol::Done;
use ccd_protocol::daemon::{
    DaemonCheck, DaemonLog, DaemonPing, DaemonReload, DaemonReloadReply, DaemonStatus, DaemonStop,
    DaemonStopReply, DaemonUpgrade, DaemonUpgradeParams, DaemonUpgradeReply,
};
use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use std::sync::Arc;

pub(super) fn register(module: &mut RpcModule<Arc<Daemon>>) -> Result<(), RegisterMethodError> {
    method::<DaemonPing, _, _>(module, |_, _, _| async move { Ok(Done {}) })?;
    method::<DaemonStatus, _, _>(module, |daemon, _, _| async move {
        Ok(crate::status::status(&daemon).await)
    })?;
    method::<DaemonStop, _, _>(module, |daemon, peer, _| async move {
        tracing::info!(client = &**peer.name(), pid = peer.pid, "asked to stop");
        let sessions = daemon.sessions.counts().live;
        daemon.request_stop();
        Ok(DaemonStopReply {
            pid: crate::holder::holder_pid(),
            sessions,
        })
    })?;
    method::<DaemonUpgrade, _, _>(module, |daemon, peer, params| async move {
        tracing::info!(
            client = &**peer.name(),
            pid = peer.pid,
            binary = params.binary,
            "asked to hand over"
        );
        upgrade(&daemon, params).await
    })?;
    method::<DaemonReload, _, _>(module, |daemon, _, _| async move {
        let loaded = daemon.reload().await?;
        Ok(DaemonReloadReply {
            path: loaded
                .path
                .as_deref()
                .map(|path| path.to_string_lossy().into_owned()),
            warnings: loaded.warning_lines(),
        })
    })?;
    method::<DaemonLog, _, _>(module, |daemon, _, params| async move {
        daemon.log.change(&params)
    })?;
    method::<DaemonCheck, _, _>(module, |daemon, _, _| async move {
        Ok(crate::maintenance::start_check(&daemon).await?)
    })
}

#[cfg(not(portable))]
async fn upgrade(
    daemon: &Daemon,
    params: DaemonUpgradeParams,
) -> Result<DaemonUpgradeReply, RpcError> {
    let own_version = env!("CARGO_PKG_VERSION");
    let (file, new_version) = match params.binary {
        None => (None, own_version.to_owned()),
        Some(path) => {
            let look = tokio::task::spawn_blocking(move || crate::upgrade::look(path.as_ref()));
            let build = look
                .await
                .map_err(|error| RpcError::InvalidArgument(error.to_string()))??;
            (Some(build.file), build.version)
        }
    };
    if !daemon.leave_to(Successor { file }) {
        return Err(SessionError::ShuttingDown.into());
    }
    Ok(DaemonUpgradeReply {
        pid: own_pid(),
        version: own_version.into(),
        new_version,
        sessions: daemon.sessions.counts().live,
        number: daemon.hand_over.as_ref().map_or(0, |last| last.number),
    })
}

#[cfg(portable)]
async fn upgrade(
    _daemon: &Daemon,
    _params: DaemonUpgradeParams,
) -> Result<DaemonUpgradeReply, RpcError> {
    Err(SessionError::Unavailable(
        "holder and worker are one process on this system: stop the daemon and start it again"
            .into(),
    )
    .into())
}
