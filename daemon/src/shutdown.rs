//! Signals, and the order in which everything ends.

use crate::daemon::Daemon;
use std::io;
use std::sync::Arc;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that the daemon understands.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    pub(crate) fn install() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Returns when the daemon shall end; SIGHUP reads the configuration again.
    pub(crate) async fn until_stop(&mut self, daemon: &Arc<Daemon>) {
        let why = loop {
            tokio::select! {
                _ = self.terminate.recv() => break "SIGTERM",
                _ = self.interrupt.recv() => break "SIGINT",
                () = daemon.sessions.stop.cancelled() => break "asked to",
                _ = self.hangup.recv() => {
                    crate::service::reloading();
                    // The log has the place of a mistake; the old configuration stays.
                    let _ = daemon.reload().await;
                    crate::service::ready();
                }
            }
        };
        tracing::info!(why, "stopping");
        daemon.request_stop();
    }
}
