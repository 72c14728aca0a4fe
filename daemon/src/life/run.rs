//! Starts the daemon's parts in order, and stops them in reverse.

use super::args::Args;
use super::lock::{Lock, LockError};
use super::serving::{Connections, SHUTDOWN_LIMIT, Serving, spawn_pumps};
use super::shutdown::{End, Signals};
use super::socket::{OwnPath, Socket, SocketError, passed_in};
use crate::config::{ConfigWatch, Loaded, Paths, Snapshot, Sources};
use crate::connection::{self, Ends};
use crate::daemon::{Daemon, session_settings};
use crate::job::Jobs;
use crate::log::Log;
use crate::store::{Opening, SCHEMA, Store, StoreError};
use crate::tape_usage::TapeUsage;
use ccd_session::interaction::Recorder;
use ccd_session::session::{Folders, Past, Services, SessionError, Sessions};
use ccd_tape::root::Roots;
use ccd_tape::settings::root_of;
#[cfg(portable)]
use ccd_terminal::holder::Originals;
#[cfg(not(portable))]
use ccd_terminal::holder::Welcomed;
use ccd_terminal::holder::{Adopted, Cause, HandOver, Holder, HolderNews};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Time limit for closing the database.
const CLOSE_LIMIT: Duration = Duration::from_secs(2);

/// Why the daemon did not start, or ended with an error.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Socket(#[from] ccd_protocol::socket::SocketPathError),
    #[error(transparent)]
    Folder(#[from] ccd_store::folder::FolderError),
    #[error(transparent)]
    Config(#[from] crate::config::ConfigError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Listen(#[from] SocketError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("could not restore the sessions of an earlier daemon: {0}")]
    Recover(SessionError),
    #[error("could not set up the log: {0}")]
    Log(#[source] io::Error),
    #[error("the holder of the terminals died, and all sessions with it; their output is kept")]
    HolderDied,
    #[error("{what}: {source}")]
    System {
        what: &'static str,
        source: io::Error,
    },
    #[error("two methods have the same name: {0}")]
    Methods(#[from] crate::rpc::RegisterMethodError),
}

/// What makes this the only daemon: its paths, locks and socket.
pub(crate) struct Ground {
    pub(crate) locks: [OwnedFd; 2],
    pub(crate) socket: Socket,
}

impl Ground {
    /// Determines the paths, takes the locks, and listens: a client that connects right after the start waits instead
    /// of failing.
    ///
    /// # Errors
    ///
    /// [`StartError`] in one line.
    pub(crate) fn take(args: &Args) -> Result<Self, StartError> {
        let paths = paths_of(args)?;
        let base_lock = Lock::take(&paths.base.join("ccd.lock"), &paths.socket)?;
        let mut socket_lock = paths.socket.clone().into_os_string();
        socket_lock.push(".lock");
        let socket_lock = Lock::take(socket_lock.as_ref(), &paths.socket)?;
        Ok(Self {
            socket: Socket::open(&paths.socket, passed_in())?,
            locks: [base_lock.into(), socket_lock.into()],
        })
    }
}

/// What is prepared before the runtime starts.
pub(crate) struct Prepared {
    pub(crate) paths: Paths,
    sources: Sources,
    /// The configuration file, and the configuration in it.
    read: Snapshot,
    loaded: Arc<Loaded>,
    log: Log,
}

fn paths_of(args: &Args) -> Result<Paths, StartError> {
    let paths = Paths::from_env(args.socket.as_deref(), |name| std::env::var_os(name))?;
    paths.prepare()?;
    Ok(paths)
}

/// Reads the configuration and starts the daemon's own log.
///
/// # Errors
///
/// [`StartError`] in one line.
pub(crate) fn prepare(args: &Args, terminals: &Terminals) -> Result<Prepared, StartError> {
    let env = |name: &str| std::env::var_os(name);
    let paths = paths_of(args)?;
    let sources = Sources::from_env(args.config.clone(), env, &paths.base);
    // Before it is loaded: a change in between will be noticed.
    let read = sources.snapshot();
    let loaded = match sources.load() {
        // Sessions are waiting, and must not end because of a mistake in a file.
        Err(error) if terminals.are_handed_over() => Loaded::in_spite_of(&error),
        loaded => loaded?,
    };
    let loaded = Arc::new(loaded);
    let log = Log::start(&loaded.config.logging, loaded.config.log_level, &paths.logs)
        .map_err(StartError::Log)?;
    loaded.use_redact_rules();
    Ok(Prepared {
        paths,
        sources,
        read,
        loaded,
        log,
    })
}

/// The process that holds the terminals, and what makes this the only daemon.
pub(crate) enum Terminals {
    /// The process that has started this one.
    #[cfg(not(portable))]
    Of(Welcomed),
    /// This process.
    #[cfg(portable)]
    Own {
        ground: Ground,
        originals: Originals,
    },
}

/// The result of [`Terminals::begin`].
struct Begun {
    holder: Holder,
    news: HolderNews,
    listener: std::os::unix::net::UnixListener,
    /// Path of the socket, if this process must remove it.
    own_path: Option<PathBuf>,
    adopted: Vec<Adopted>,
    since: String,
    hand_over: Option<HandOver>,
    _locks: [OwnedFd; 2],
}

impl Terminals {
    /// True if another worker has served before this one.
    fn are_handed_over(&self) -> bool {
        match self {
            #[cfg(not(portable))]
            Self::Of(welcomed) => welcomed.hand_over.is_some(),
            #[cfg(portable)]
            Self::Own { .. } => false,
        }
    }

    #[cfg(not(portable))]
    fn begin(self, paths: &Paths) -> io::Result<Begun> {
        let Self::Of(welcomed) = self;
        let since = welcomed.since.clone();
        let hand_over = welcomed.hand_over.clone();
        let (holder, news, held, adopted) = welcomed.into_holder()?;
        Ok(Begun {
            since,
            hand_over,
            holder,
            news,
            listener: held.listener,
            own_path: held.owns_path.then(|| paths.socket.clone()),
            adopted,
            _locks: held.locks,
        })
    }

    #[cfg(portable)]
    fn begin(self, _paths: &Paths) -> io::Result<Begun> {
        let Self::Own { ground, originals } = self;
        let (holder, news) = Holder::start(originals)?;
        Ok(Begun {
            holder,
            news,
            listener: ground.socket.listener,
            own_path: ground.socket.own_path.map(OwnPath::into_path),
            adopted: Vec::new(),
            since: ccd_text::clock::now(),
            hand_over: None,
            _locks: ground.locks,
        })
    }
}

/// Serves until a signal or a call ends it.
pub(crate) async fn serve(prepared: Prepared, terminals: Terminals) -> Result<(), StartError> {
    let Prepared {
        paths,
        sources,
        read,
        loaded,
        log,
    } = prepared;
    let watch = ConfigWatch::start(sources.clone()).map_err(system("threads cannot be started"))?;
    let mut signals = Signals::install().map_err(system("signals cannot be received"))?;
    #[cfg(not(portable))]
    ccd_terminal::holder::hear_signals();
    let Begun {
        holder,
        news,
        listener,
        own_path,
        adopted,
        since,
        hand_over,
        _locks,
    } = terminals
        .begin(&paths)
        .map_err(system("the holder of the terminals cannot start"))?;
    let how = match &hand_over {
        None => Opening::First,
        Some(hand_over) if hand_over.rolled_back => Opening::RolledBack,
        Some(_) => Opening::Again,
    };
    let opened = SCHEMA.open(&paths.database, how).await?;
    if let Some(database) = &opened.set_aside {
        set_sessions_aside(&paths, database, &adopted)?;
    }
    let store = opened.database;
    let stop = CancellationToken::new();
    let tracker = TaskTracker::new();
    let (recorder, pending) = Recorder::new();
    let usage = Arc::new(TapeUsage(store.clone()));
    let roots = Roots::new(&paths.base, usage, &tracker, stop.clone());
    let services = Services::new(
        holder.clone(),
        store.clone(),
        recorder,
        roots,
        folders_of(&paths),
        session_settings(&loaded.config),
        tracker.clone(),
        stop.clone(),
    )
    .map_err(system("the logs of sessions cannot be written"))?;
    let sessions = Sessions::new(services);
    let jobs = Jobs::new(store.clone(), tracker.clone(), stop.clone());
    let recorder_stop = CancellationToken::new();
    let recorder_task = tokio::spawn(pending.run(store.clone(), recorder_stop.clone()));
    let past = Past {
        holder_since: &since,
        has_crashed: hand_over
            .as_ref()
            .is_some_and(|last| last.cause == Cause::Crash),
        database_is_new: opened.is_new,
    };
    let killed = sessions
        .recover(adopted, &past)
        .await
        .map_err(StartError::Recover)?;
    jobs.recover().await?;
    let pumps = spawn_pumps(&sessions, news).map_err(system("threads cannot be started"))?;
    let daemon = Arc::new(Daemon::new(
        Arc::clone(&sessions),
        paths,
        jobs,
        log,
        sources,
        (Arc::clone(&loaded), read),
        hand_over.map(told),
    ));
    report_start(&loaded, killed);
    let methods = crate::rpc::module(Arc::clone(&daemon))?;
    let listener = UnixListener::from_std(listener).map_err(system("the socket cannot be used"))?;
    let (disconnect, connections) = (CancellationToken::new(), TaskTracker::new());
    let accepting = tokio::spawn(connection::serve(
        listener,
        methods.into(),
        daemon.settings.subscribe(),
        Ends {
            stop: disconnect.clone(),
            leaving: daemon.leaving.clone(),
        },
        connections.clone(),
        Arc::clone(&daemon.connections),
    ));
    tracker.spawn(crate::maintenance::run(Arc::clone(&daemon)));
    tracker.spawn(Arc::clone(&sessions).finish_left_tapes());
    tracker.spawn(open_tapes(Arc::clone(&daemon)));
    let follower = Arc::clone(&daemon);
    tracker.spawn(async move { follower.follow_configuration(watch).await });
    spawn_watchdog(&daemon);
    super::service::ready();
    holder.ready();
    let own_path = own_path.map(OwnPath::of);
    let connections = Connections {
        accepting,
        disconnect,
        tracker: connections,
    };
    let serving = Serving {
        daemon,
        sessions,
        connections,
        recorder: recorder_task,
        recorder_stop,
        pumps,
    };
    match signals.until_end(&serving.daemon).await {
        End::Stop => {
            serving.stop(&holder, own_path).await;
            close(&store).await;
            tracing::info!("stopped");
        }
        End::HolderDied => {
            super::shutdown::end_for_certain_after(SHUTDOWN_LIMIT);
            serving.end_without_holder(own_path).await;
            close(&store).await;
            return Err(StartError::HolderDied);
        }
        End::HandOver(successor) => {
            serving.hand_over(&store).await;
            std::mem::forget(own_path); // the socket is kept
            if let Err(error) = holder.leave(successor.file.as_ref()) {
                tracing::error!(%error, "could not ask the holder for the handover");
            }
        }
    }
    Ok(())
}

/// Checkpoints the database, unless its disk takes too long.
async fn close(store: &Store) {
    if tokio::time::timeout(CLOSE_LIMIT, store.close())
        .await
        .is_err()
    {
        tracing::warn!("the database was not closed in time");
    }
}

/// Without their database, the sessions' directories cannot be assigned: they are set aside with it, so that their logs
/// are not taken for leftovers.
///
/// Live sessions continue, and their directories are kept.
fn set_sessions_aside(
    paths: &Paths,
    database: &Path,
    adopted: &[Adopted],
) -> Result<(), StartError> {
    let suffix = database.extension().unwrap_or_default();
    let aside = paths.sessions.with_extension(suffix);
    let what = "the directories of sessions cannot be set aside";
    std::fs::rename(&paths.sessions, &aside).map_err(system(what))?;
    paths.prepare()?;
    for id in ccd_session::session::ids_of(adopted) {
        std::fs::rename(aside.join(&id), paths.sessions.join(&id)).map_err(system(what))?;
    }
    Ok(())
}

/// Returns it as the status shows it.
fn told(hand_over: HandOver) -> ccd_protocol::daemon::HandOver {
    use ccd_protocol::daemon::HandOverCause;
    ccd_protocol::daemon::HandOver {
        number: hand_over.number,
        cause: match hand_over.cause {
            Cause::Crash => HandOverCause::Crash,
            Cause::Upgrade => HandOverCause::Upgrade,
        },
        rolled_back: hand_over.rolled_back,
        reason: hand_over.reason,
        at: ccd_text::clock::now(),
    }
}

/// Where the files of sessions are.
fn folders_of(paths: &Paths) -> Folders {
    Folders {
        base: paths.base.clone(),
        sessions: paths.sessions.clone(),
        runtime: paths.runtime.clone(),
        rings: paths.rings.clone(),
    }
}

fn system(what: &'static str) -> impl FnOnce(io::Error) -> StartError {
    move |source| StartError::System { what, source }
}

/// Indexes the tapes of the default root, before the first session needs them.
async fn open_tapes(daemon: Arc<Daemon>) {
    let loaded = daemon.loaded();
    let opened = match root_of(None, &loaded.config.replay, &daemon.paths.base) {
        Ok(root) => daemon.roots.open(&root).await.map(drop),
        // The check of the configuration has already reported a bad path.
        Err(_) => return,
    };
    if let Err(error) = opened {
        tracing::warn!(%error, "could not index the tapes");
    }
}

/// Tells the service manager that this process is alive, as long as the database answers too.
fn spawn_watchdog(daemon: &Arc<Daemon>) {
    let Some(period) = super::service::watchdog_period() else {
        return;
    };
    let daemon = Arc::clone(daemon);
    let tracker = daemon.services.tracker.clone();
    tracker.spawn(async move {
        loop {
            tokio::select! {
                () = tokio::time::sleep(period) => {}
                () = daemon.services.stop.cancelled() => return,
            }
            if daemon.services.store.flush().await.is_ok() {
                super::service::alive();
            }
        }
    });
}

fn report_start(loaded: &Loaded, killed: u64) {
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        pid = crate::daemon::own_pid(),
        "serving"
    );
    for warning in loaded.warning_lines() {
        tracing::warn!(warning, "configuration");
    }
    if killed > 0 {
        tracing::warn!(
            sessions = killed,
            "an earlier daemon was killed; its sessions have ended"
        );
    }
}
