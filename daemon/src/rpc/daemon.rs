//! `daemon.*`.

use super::register::method;
use crate::daemon::Daemon;
use ccd_protocol::Done;
use ccd_protocol::daemon::{
    DaemonCheck, DaemonLog, DaemonPing, DaemonReload, DaemonReloadReply, DaemonStatus, DaemonStop,
    DaemonStopReply,
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
