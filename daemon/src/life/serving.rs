//! Everything that serves clients, and the order in which it is stopped.

use super::error::{StartError, system};
use super::socket::{self, OwnPath};
use super::thread::Thread;
use crate::config::Paths;
use crate::daemon::{Daemon, Successor};
use crate::store::Store;
use ccd_session::Sessions;
use ccd_terminal::holder::{Holder, HolderNews};
use rustix::process::{Signal, getpid, kill_process};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixListener;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long sessions may take to end when the daemon does.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// How long subscribers may take to receive the ends of their sessions.
const LAST_ITEMS: Duration = Duration::from_millis(500);

/// How long clients may take to receive their last replies, after a handover or after all sessions have ended.
const LAST_ANSWERS: Duration = Duration::from_secs(3);

/// Time limit for closing the database.
const CLOSE_LIMIT: Duration = Duration::from_secs(2);

/// Time limit for all of it together.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(10);

/// Why a process of the daemon ends.
#[derive(Debug)]
pub(crate) enum End {
    /// The daemon ends, with all sessions.
    Stop,
    /// Another process takes over.
    HandOver(Successor),
    /// No process reads the terminals any more.
    HolderDied,
}

/// The connections of the daemon.
pub(crate) struct Connections {
    pub(crate) accepting: tokio::task::JoinHandle<()>,
    /// Replaces the listening socket.
    pub(crate) listen_on: mpsc::Sender<UnixListener>,
    /// False if the service manager listens, and removes the socket.
    pub(crate) owns_path: bool,
    pub(crate) disconnect: CancellationToken,
    pub(crate) tracker: TaskTracker,
}

impl Connections {
    /// Creates the directories, the socket and the note of the lock again if somebody has removed them: a system may remove
    /// the user's runtime directory when the user logs out.
    pub(super) async fn listen_again(&self, paths: &Paths, holder: &Holder) {
        let pid = ccd_terminal::holder::holder_pid();
        if let Err(error) = super::lock::renew_note(&paths.base, pid, &paths.socket) {
            tracing::warn!(%error, "the file that says which daemon uses the base directory cannot be written");
        }
        match self.try_to_listen_again(paths, holder).await {
            Ok(false) => {}
            Ok(true) => tracing::warn!("the socket was removed, and is created again"),
            Err(error) => tracing::error!(%error, "the socket cannot be created again"),
        }
    }

    async fn try_to_listen_again(
        &self,
        paths: &Paths,
        holder: &Holder,
    ) -> Result<bool, StartError> {
        if !self.owns_path || !socket::is_dead(&paths.socket).await {
            return Ok(false);
        }
        paths.prepare()?;
        let listener = socket::listen(&paths.socket)?;
        let what = "the socket cannot be used";
        holder.listen(&listener).map_err(system(what))?;
        let listener = UnixListener::from_std(listener).map_err(system(what))?;
        Ok(self.listen_on.send(listener).await.is_ok())
    }

    /// Accepts no more connections, and waits until all have received their replies.
    async fn end(self) {
        self.disconnect.cancel();
        let _ = self.accepting.await;
        self.tracker.close();
        self.tracker.wait().await;
    }
}

pub(crate) struct Serving {
    pub(crate) daemon: Arc<Daemon>,
    pub(crate) connections: Connections,
    pub(super) threads: Threads,
    pub(crate) pumps: Pumps,
}

/// The threads that write what others record.
pub(super) struct Threads {
    pub(super) history: Thread,
    pub(super) hooks: Thread,
    pub(super) transcripts: Thread,
}

impl Serving {
    pub(super) async fn end(
        self,
        end: End,
        holder: &Holder,
        store: &Store,
        own_path: Option<OwnPath>,
    ) -> Result<(), StartError> {
        let log = self.daemon.log.clone();
        match end {
            End::Stop => {
                self.stop(holder, own_path).await;
                close(store).await;
                log.finish();
                tracing::info!("stopped");
            }
            End::HolderDied => {
                end_for_certain_after(SHUTDOWN_LIMIT);
                self.end_without_holder(own_path).await;
                close(store).await;
                return Err(StartError::HolderDied);
            }
            End::HandOver(successor) => {
                self.hand_over(store).await;
                log.finish();
                std::mem::forget(own_path); // the socket is kept
                if let Err(error) = holder.leave(successor.file.as_ref()) {
                    tracing::error!(%error, "could not ask the holder for the handover");
                }
            }
        }
        Ok(())
    }

    async fn stop(self, holder: &Holder, own_path: Option<OwnPath>) {
        super::service::stopping();
        let daemon = self.daemon;
        let sessions = &daemon.sessions;
        let ended = async {
            // Clients are still served, and receive the ends of their sessions.
            sessions.close_all(SHUTDOWN_GRACE).await;
            daemon.subscriptions.close();
            let _ = tokio::time::timeout(LAST_ITEMS, daemon.subscriptions.wait()).await;
            drop(own_path);
            daemon.conversation_index.stop();
            self.connections.end().await;
            sessions.services.tracker.close();
            sessions.services.tracker.wait().await;
            self.threads.history.end().await;
            self.threads.hooks.end().await;
            daemon.coach.close().await;
            daemon.exec.close().await;
            self.threads.transcripts.end().await;
            daemon.conversation_index.close().await;
            if daemon.loaded().config.replay.summary {
                daemon.roots.summarise();
            }
            daemon.roots.close().await;
        };
        if tokio::time::timeout(SHUTDOWN_LIMIT, ended).await.is_err() {
            tracing::error!("not everything stopped in time");
        }
        holder.stop();
        // The holder may have died meanwhile, and then its end is not reported.
        let _ = tokio::time::timeout(LAST_ANSWERS, self.pumps.join()).await;
    }

    /// Saves everything; another daemon may start meanwhile, and only waits for the locks.
    async fn end_without_holder(self, own_path: Option<OwnPath>) {
        drop(own_path);
        self.daemon.services.stop.cancel();
        self.daemon.sessions.end_without_holder().await;
        self.daemon.subscriptions.close();
        let _ = tokio::time::timeout(LAST_ITEMS, self.daemon.subscriptions.wait()).await;
        self.daemon.conversation_index.stop();
        let ended = async {
            self.threads.history.end().await;
            self.threads.hooks.end().await;
            self.daemon.coach.close().await;
            self.daemon.exec.close().await;
            self.threads.transcripts.end().await;
            self.daemon.conversation_index.close().await;
            self.daemon.roots.close().await;
            self.connections.end().await;
        };
        // Another daemon waits for the locks.
        let _ = tokio::time::timeout(LAST_ITEMS, ended).await;
    }

    /// Answers the calls, saves waiting changes, and leaves the sessions to another process.
    async fn hand_over(self, store: &Store) {
        tracing::info!("handing over");
        self.daemon.conversation_index.stop();
        let ended = async {
            self.connections.end().await;
            self.daemon.agents.save().await;
            self.threads.history.end().await;
            // The next worker processes what is left in the journal.
            self.threads.hooks.end().await;
            self.threads.transcripts.end().await;
            self.daemon.coach.close().await;
            self.daemon.roots.close().await;
            // If a change is refused, its caller has been notified.
            let _ = store.flush().await;
        };
        if tokio::time::timeout(LAST_ANSWERS, ended).await.is_err() {
            tracing::warn!("not all calls were answered before the handover");
        }
    }
}

/// Checkpoints the database, unless its disk takes too long.
async fn close(store: &Store) {
    let closed = tokio::time::timeout(CLOSE_LIMIT, store.close()).await;
    if closed.is_err() {
        tracing::warn!("the database was not closed in time");
    }
}

/// Ends this process after `limit` in any case: it must not block the next one.
fn end_for_certain_after(limit: Duration) {
    let watch = std::thread::Builder::new().name("end".into());
    let _ = watch.spawn(move || {
        std::thread::sleep(limit);
        tracing::error!("not everything stopped in time");
        let _ = kill_process(getpid(), Signal::KILL);
    });
}

/// The tasks that bring output to the sessions; they end with the holder.
pub(crate) struct Pumps {
    quiet: tokio::task::JoinHandle<()>,
    floods: std::thread::JoinHandle<()>,
}

impl Pumps {
    async fn join(self) {
        // Both log why they end; the message of a panic was printed by its hook.
        let _ = self.quiet.await;
        let _ = tokio::task::spawn_blocking(|| self.floods.join()).await;
    }
}

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
