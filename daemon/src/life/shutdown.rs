//! Signals that end the daemon, or reload its configuration.

use super::serving::{End, Serving};
use std::io;
use tokio::signal::unix::{self, SignalKind, signal};

/// The signals that the daemon handles.
pub(crate) struct Signals {
    terminate: unix::Signal,
    interrupt: unix::Signal,
    hangup: unix::Signal,
}

impl Signals {
    pub(crate) fn install() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Returns when this process must end; SIGHUP reloads the configuration, and brings back a socket that was removed.
    pub(super) async fn until_end(&mut self, serving: &Serving) -> End {
        let daemon = &serving.daemon;
        let why = loop {
            tokio::select! {
                _ = self.terminate.recv() => break "SIGTERM",
                _ = self.interrupt.recv() => break "SIGINT",
                () = daemon.services.stop.cancelled() => break "asked to",
                () = daemon.services.holder.gone() => {
                    tracing::error!("the holder of the terminals died: stopping");
                    return End::HolderDied;
                }
                () = daemon.leaving.cancelled() => {
                    if let Some(successor) = daemon.successor() {
                        return End::HandOver(successor);
                    }
                    break "there is no worker to take over";
                }
                _ = self.hangup.recv() => {
                    super::service::reloading();
                    // A mistake is logged with its position; the old configuration is kept.
                    let _ = daemon.reload().await;
                    let holder = &daemon.services.holder;
                    serving.connections.listen_again(&daemon.paths, holder).await;
                    super::service::ready();
                }
            }
        };
        if daemon.services.holder.is_gone() {
            return End::HolderDied;
        }
        tracing::info!(why, "stopping");
        if daemon.request_stop() {
            return End::Stop;
        }
        // The holder passes the signal on to the next process too.
        daemon.successor().map_or(End::Stop, End::HandOver)
    }
}
