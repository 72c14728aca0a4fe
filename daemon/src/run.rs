//! Builds the daemon's parts in order, and takes them down in reverse.

use crate::args::Args;
use crate::config::{Loaded, Paths, Sources};
use crate::connection;
use crate::daemon::Daemon;
#[cfg(portable)]
use crate::holder::Originals;
#[cfg(not(portable))]
use crate::holder::Welcomed;
use crate::holder::{Adopted, Holder, HolderNews};
use crate::interaction::Recorder;
use crate::job::Jobs;
use crate::lock::{Lock, LockError};
use crate::log::Log;
use crate::session::{SessionError, Sessions};
use crate::shutdown::Signals;
use crate::socket::{OwnPath, Socket, SocketError, passed_in};
use crate::store::{Store, StoreError};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Sessions may take so long to end when the daemon does.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// Subscribers may take so long to hear how their sessions ended.
const LAST_ITEMS: Duration = Duration::from_millis(500);

/// Everything together may take so long.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(10);

/// Why the daemon did not start, or ended badly.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Socket(#[from] ccd_protocol::socket::SocketPathError),
    #[error(transparent)]
    Folder(#[from] crate::config::FolderError),
    #[error(transparent)]
    Config(#[from] crate::config::ConfigError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Listen(#[from] SocketError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("what an earlier daemon left could not be taken over: {0}")]
    Recover(SessionError),
    #[error("the log could not be set up: {0}")]
    Log(#[source] io::Error),
    #[error("{what}: {source}")]
    System {
        what: &'static str,
        source: io::Error,
    },
    #[error("two methods have the same name: {0}")]
    Methods(#[from] crate::rpc::RegisterMethodError),
}

/// What makes a daemon the only one here: where it is, its locks, its socket.
pub(crate) struct Ground {
    pub(crate) locks: [OwnedFd; 2],
    pub(crate) socket: Socket,
}

impl Ground {
    /// Finds the places, takes the locks, and listens: whoever starts us and connects at once waits instead of failing.
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

/// What is settled before the runtime starts.
pub(crate) struct Prepared {
    pub(crate) paths: Paths,
    sources: Sources,
    loaded: Arc<Loaded>,
    log: Log,
}

fn paths_of(args: &Args) -> Result<Paths, StartError> {
    let paths = Paths::from_env(args.socket.as_deref(), |name| std::env::var_os(name))?;
    paths.prepare()?;
    Ok(paths)
}

/// Reads the configuration and begins the daemon's own log.
///
/// # Errors
///
/// [`StartError`] in one line.
pub(crate) fn prepare(args: &Args) -> Result<Prepared, StartError> {
    let env = |name: &str| std::env::var_os(name);
    let paths = paths_of(args)?;
    let sources = Sources::from_env(args.config.clone(), env, &paths.base);
    let loaded = Arc::new(sources.load()?);
    let log = Log::start(&loaded.config.logging, loaded.config.log_level, &paths.logs)
        .map_err(StartError::Log)?;
    Ok(Prepared {
        paths,
        sources,
        loaded,
        log,
    })
}

/// Who holds the terminals, and what makes this the only daemon here.
pub(crate) enum Terminals {
    /// The process that has started this one.
    #[cfg(not(portable))]
    Of(Welcomed),
    /// This one.
    #[cfg(portable)]
    Own {
        ground: Ground,
        originals: Originals,
    },
}

/// What [`Terminals::begin`] finds.
struct Begun {
    holder: Holder,
    news: HolderNews,
    listener: std::os::unix::net::UnixListener,
    own_path: Option<OwnPath>,
    adopted: Vec<Adopted>,
    _locks: [OwnedFd; 2],
}

impl Terminals {
    #[cfg(not(portable))]
    fn begin(self, paths: &Paths) -> io::Result<Begun> {
        let Self::Of(welcomed) = self;
        let (holder, news, held, adopted) = welcomed.into_holder()?;
        Ok(Begun {
            holder,
            news,
            listener: held.listener,
            own_path: held.owns_path.then(|| OwnPath::of(paths.socket.clone())),
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
            own_path: ground.socket.own_path,
            adopted: Vec::new(),
            _locks: ground.locks,
        })
    }
}

/// Serves until a signal or a call ends it.
pub(crate) async fn serve(prepared: Prepared, terminals: Terminals) -> Result<(), StartError> {
    let Prepared {
        paths,
        sources,
        loaded,
        log,
    } = prepared;
    let mut signals = Signals::install().map_err(system("signals cannot be received"))?;
    #[cfg(not(portable))]
    crate::holder::hear_signals();
    let Begun {
        holder,
        news,
        listener,
        own_path,
        adopted,
        _locks,
    } = terminals
        .begin(&paths)
        .map_err(system("the holder of the terminals cannot start"))?;
    let opened = Store::open(&paths.database).await?;
    if let Some(database) = &opened.set_aside {
        set_sessions_aside(&paths, database)?;
    }
    let stop = CancellationToken::new();
    let tracker = TaskTracker::new();
    let (recorder, pending) = Recorder::new();
    let config = Arc::new(loaded.config.clone());
    let sessions = Sessions::new(
        holder.clone(),
        opened.store.clone(),
        recorder,
        paths,
        config,
        tracker.clone(),
        stop.clone(),
    )
    .map_err(system("the logs of sessions cannot be written"))?;
    let jobs = Jobs::new(opened.store.clone(), tracker.clone(), stop.clone());
    let recorder_stop = CancellationToken::new();
    let recorder_task = tokio::spawn(pending.run(opened.store.clone(), recorder_stop.clone()));
    let killed = sessions
        .recover(adopted)
        .await
        .map_err(StartError::Recover)?;
    jobs.recover().await?;
    let pumps = spawn_pumps(&sessions, news)?;
    let daemon = Arc::new(Daemon::new(
        Arc::clone(&sessions),
        jobs,
        log,
        sources,
        Arc::clone(&loaded),
    ));
    report_start(&loaded, opened.set_aside.as_deref(), killed);
    let methods = crate::rpc::module(Arc::clone(&daemon))?;
    let listener = UnixListener::from_std(listener).map_err(system("the socket cannot be used"))?;
    let disconnect = CancellationToken::new();
    let accepting = tokio::spawn(connection::serve(
        listener,
        methods.into(),
        daemon.settings.subscribe(),
        disconnect.clone(),
        tracker.clone(),
        Arc::clone(&daemon.connections),
    ));
    tracker.spawn(crate::maintenance::run(Arc::clone(&daemon)));
    spawn_watchdog(&daemon);
    crate::service::ready();
    holder.ready();
    signals.until_stop(&daemon).await;
    crate::service::stopping();
    let ended = async {
        // Clients are served meanwhile, and hear how their sessions end.
        sessions.close_all(SHUTDOWN_GRACE).await;
        daemon.subscriptions.close();
        let _ = tokio::time::timeout(LAST_ITEMS, daemon.subscriptions.wait()).await;
        drop(own_path);
        disconnect.cancel();
        let _ = accepting.await;
        tracker.close();
        tracker.wait().await;
        recorder_stop.cancel();
        let _ = recorder_task.await;
    };
    if tokio::time::timeout(SHUTDOWN_LIMIT, ended).await.is_err() {
        tracing::error!("not everything ended in time");
    }
    holder.stop();
    pumps.join().await;
    let store = opened.store;
    drop(daemon);
    drop(sessions);
    store.close().await;
    // The writer checkpoints once the last handle is gone.
    let _ = tokio::time::timeout(Duration::from_secs(2), opened.writer).await;
    tracing::info!("stopped");
    Ok(())
}

/// Without their database nobody knows what the sessions' folders are: they go aside with it, so that
/// their logs are not taken for leftovers.
fn set_sessions_aside(paths: &Paths, database: &Path) -> Result<(), StartError> {
    let suffix = database.extension().unwrap_or_default();
    std::fs::rename(&paths.sessions, paths.sessions.with_extension(suffix))
        .map_err(system("the folders of sessions cannot be set aside"))?;
    Ok(paths.prepare()?)
}

fn system(what: &'static str) -> impl FnOnce(io::Error) -> StartError {
    move |source| StartError::System { what, source }
}

/// What brings output to the sessions; it ends with the holder.
struct Pumps {
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

fn spawn_pumps(sessions: &Arc<Sessions>, news: HolderNews) -> Result<Pumps, StartError> {
    let ended = |sessions: &Sessions, result: io::Result<()>| {
        let error = match result {
            Err(error) => error.to_string(),
            Ok(()) if !sessions.stop.is_cancelled() => String::from("the holder has ended"),
            Ok(()) => return,
        };
        tracing::error!(error, "output can no longer be read: stopping");
        sessions.stop.cancel();
    };
    let (quiet, flooding) = (Arc::clone(sessions), Arc::clone(sessions));
    let runtime = tokio::runtime::Handle::current();
    let floods = std::thread::Builder::new()
        .name("pump-floods".into())
        .spawn(move || {
            let _inside = runtime.enter();
            ended(&flooding, flooding.pump_floods(&news.floods));
        })
        .map_err(system("threads cannot be started"))?;
    let quiet = tokio::spawn(async move {
        ended(&quiet, Arc::clone(&quiet).pump(news.quiet).await);
    });
    Ok(Pumps { quiet, floods })
}

/// Tells the service manager that we are alive, as long as the database answers too.
fn spawn_watchdog(daemon: &Arc<Daemon>) {
    let Some(period) = crate::service::watchdog_period() else {
        return;
    };
    let daemon = Arc::clone(daemon);
    let tracker = daemon.sessions.tracker.clone();
    tracker.spawn(async move {
        loop {
            tokio::select! {
                () = tokio::time::sleep(period) => {}
                () = daemon.sessions.stop.cancelled() => return,
            }
            let nothing = crate::store::Write::Interactions(Vec::new());
            if daemon.sessions.store.commit(nothing).await.is_ok() {
                crate::service::alive();
            }
        }
    });
}

fn report_start(loaded: &Loaded, set_aside: Option<&Path>, killed: u64) {
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        pid = crate::daemon::own_pid(),
        "serving"
    );
    for warning in loaded.warning_lines() {
        tracing::warn!(warning, "configuration");
    }
    if let Some(path) = set_aside {
        tracing::error!(path = %path.display(), "the database was damaged and set aside; a new one was begun");
    }
    if killed > 0 {
        tracing::warn!(
            sessions = killed,
            "an earlier daemon was killed; its sessions have ended"
        );
    }
}
