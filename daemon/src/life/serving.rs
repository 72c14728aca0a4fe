//! What serves, and the orders in which it is taken down.

use super::socket::OwnPath;
use crate::daemon::Daemon;
use crate::store::Store;
use ccd_session::session::Sessions;
use ccd_terminal::holder::{Holder, HolderNews};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Sessions may take so long to end when the daemon does.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// Subscribers may take so long to hear how their sessions ended.
const LAST_ITEMS: Duration = Duration::from_millis(500);

/// Clients may take so long to get their last answers when this process ends and the sessions do not, or did.
const LAST_ANSWERS: Duration = Duration::from_secs(3);

/// Everything together may take so long.
pub(crate) const SHUTDOWN_LIMIT: Duration = Duration::from_secs(10);

/// The clients' side of the daemon.
pub(crate) struct Connections {
    pub(crate) accepting: tokio::task::JoinHandle<()>,
    pub(crate) disconnect: CancellationToken,
    pub(crate) tracker: TaskTracker,
}

impl Connections {
    /// Accepts no more, and waits until all have their answers.
    async fn end(self) {
        self.disconnect.cancel();
        let _ = self.accepting.await;
        self.tracker.close();
        self.tracker.wait().await;
    }
}

/// Everything that serves, and has to be ended in order.
pub(crate) struct Serving {
    pub(crate) daemon: Arc<Daemon>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) connections: Connections,
    pub(crate) recorder: tokio::task::JoinHandle<()>,
    pub(crate) recorder_stop: CancellationToken,
    pub(crate) pumps: Pumps,
}

impl Serving {
    /// Ends all sessions and the holder.
    pub(crate) async fn stop(self, holder: &Holder, own_path: Option<OwnPath>) {
        super::service::stopping();
        let (daemon, sessions) = (self.daemon, self.sessions);
        let ended = async {
            // Clients are served meanwhile, and hear how their sessions end.
            sessions.close_all(SHUTDOWN_GRACE).await;
            daemon.subscriptions.close();
            let _ = tokio::time::timeout(LAST_ITEMS, daemon.subscriptions.wait()).await;
            drop(own_path);
            self.connections.end().await;
            sessions.services.tracker.close();
            sessions.services.tracker.wait().await;
            self.recorder_stop.cancel();
            let _ = self.recorder.await;
            if daemon.loaded().config.replay.summary {
                daemon.roots.summarise();
            }
            daemon.roots.close().await;
        };
        if tokio::time::timeout(SHUTDOWN_LIMIT, ended).await.is_err() {
            tracing::error!("not everything stopped in time");
        }
        holder.stop();
        // The holder may have died meanwhile, and then nobody tells them that it has ended.
        let _ = tokio::time::timeout(LAST_ANSWERS, self.pumps.join()).await;
    }

    /// Writes everything down; another daemon may start meanwhile, and waits for our locks alone.
    pub(crate) async fn end_without_holder(self, own_path: Option<OwnPath>) {
        drop(own_path);
        self.sessions.services.stop.cancel();
        self.sessions.end_without_holder().await;
        self.daemon.subscriptions.close();
        let _ = tokio::time::timeout(LAST_ITEMS, self.daemon.subscriptions.wait()).await;
        let ended = async {
            self.recorder_stop.cancel();
            let _ = self.recorder.await;
            self.daemon.roots.close().await;
            self.connections.end().await;
        };
        // Another daemon waits for the locks.
        let _ = tokio::time::timeout(LAST_ITEMS, ended).await;
    }

    /// Answers the calls, writes down what waits, and leaves the sessions to another process.
    pub(crate) async fn hand_over(self, store: &Store) {
        tracing::info!("handing over");
        let ended = async {
            self.connections.end().await;
            self.recorder_stop.cancel();
            let _ = self.recorder.await;
            self.daemon.roots.close().await;
            // Whoever made a change that is refused has heard of it.
            let _ = store.flush().await;
        };
        if tokio::time::timeout(LAST_ANSWERS, ended).await.is_err() {
            tracing::warn!("not all calls were answered before the handover");
        }
    }
}

/// What brings output to the sessions; it ends with the holder.
pub(crate) struct Pumps {
    quiet: tokio::task::JoinHandle<()>,
    floods: std::thread::JoinHandle<()>,
}

impl Pumps {
    async fn join(self) {
        // Both say themselves why they end; what is left of a panic is the message of its hook.
        let _ = self.quiet.await;
        let _ = tokio::task::spawn_blocking(|| self.floods.join()).await;
    }
}

/// Starts to take output.
///
/// # Errors
///
/// There can be no more threads.
pub(crate) fn spawn_pumps(sessions: &Arc<Sessions>, news: HolderNews) -> io::Result<Pumps> {
    let ended = |sessions: &Sessions, result: io::Result<()>| {
        let error = match result {
            Err(error) => error.to_string(),
            Ok(()) if !sessions.services.stop.is_cancelled() => {
                String::from("the holder has exited")
            }
            Ok(()) => return,
        };
        tracing::error!(error, "cannot read output any more: stopping");
        sessions.services.stop.cancel();
    };
    let (quiet, flooding) = (Arc::clone(sessions), Arc::clone(sessions));
    let runtime = tokio::runtime::Handle::current();
    let floods = std::thread::Builder::new()
        .name("pump-floods".into())
        .spawn(move || {
            let _inside = runtime.enter();
            ended(&flooding, flooding.pump_floods(&news.floods));
        })?;
    let quiet = tokio::spawn(async move {
        ended(&quiet, Arc::clone(&quiet).pump(news.quiet).await);
    });
    Ok(Pumps { quiet, floods })
}
