//! Starts the daemon's parts in order, and stops them in reverse.

use super::args::Args;
use super::lock::{Lock, LockError};
use super::serving::{Serving, spawn_pumps};
use super::shutdown::Signals;
use super::socket::{OwnPath, Socket, SocketError, passed_in};
use super::terminals::{Begun, Terminals};
use super::wiring::{self, Parts};
use crate::config::{ConfigWatch, DirectoryProblem, Loaded, Paths, Snapshot, Sources};
use crate::daemon::Owners;
use crate::log::Log;
use crate::store::{Opening, SCHEMA, Store, StoreError};
use ccd_protocol::parents::{UnsafeParent, User, check_parents};
use ccd_session::session::{Past, SessionError};
use ccd_terminal::holder::{Adopted, Cause, HandOver};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why the daemon did not start, or ended with an error.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Socket(#[from] ccd_protocol::socket::SocketPathError),
    #[error(transparent)]
    Folder(#[from] ccd_store::folder::FolderError),
    #[error("the directory of the socket {} is not safe: {source}; {}", .socket.display(), .source.remedy("choose another socket"))]
    Parent {
        socket: PathBuf,
        source: UnsafeParent,
    },
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
    #[error(transparent)]
    Hooks(#[from] ccd_coach::JournalError),
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
pub(crate) struct LocksAndSocket {
    pub(crate) locks: [OwnedFd; 2],
    pub(crate) socket: Socket,
}

impl LocksAndSocket {
    /// Determines the paths, takes the locks, and listens: a client that connects right after the start waits instead
    /// of failing.
    pub(crate) fn take(args: &Args) -> Result<Self, StartError> {
        let paths = find_paths(args)?;
        // Not again when a worker follows: sessions must not end because of a change elsewhere.
        check_parents_of(&paths)?;
        paths.prepare()?;
        let base_lock = Lock::of_base(&paths.base, &paths.socket)?;
        let socket_lock = Lock::of_socket(&paths.socket)?;
        Ok(Self {
            socket: Socket::open(&paths.socket, passed_in())?,
            locks: [base_lock.into(), socket_lock.into()],
        })
    }
}

/// What is prepared before the runtime starts.
pub(crate) struct Prepared {
    pub(crate) paths: Paths,
    pub(super) sources: Sources,
    pub(super) read: Snapshot,
    pub(super) loaded: Arc<Loaded>,
    pub(super) log: Log,
}

fn find_paths(args: &Args) -> Result<Paths, StartError> {
    let env = |name: &str| std::env::var_os(name);
    Ok(Paths::from_env(args.socket.as_deref(), env)?)
}

fn check_parents_of(paths: &Paths) -> Result<(), StartError> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let user = User {
        uid: rustix::process::geteuid().as_raw(),
        gid: rustix::process::getegid().as_raw(),
        home: home.as_deref(),
    };
    check_parents(&paths.runtime, user).map_err(|source| StartError::Parent {
        socket: paths.socket.clone(),
        source,
    })
}

/// Reads the configuration that a daemon with these arguments would use.
/// [`StartError::Config`] has a line for each mistake.
pub(crate) fn load_config(args: &Args) -> Result<Loaded, StartError> {
    Ok(sources(args, &find_paths(args)?.base).load()?)
}

fn sources(args: &Args, base: &Path) -> Sources {
    let env = |name: &str| std::env::var_os(name);
    Sources::from_env(args.config.clone(), env, base)
}

pub(crate) fn prepare(args: &Args, terminals: &Terminals) -> Result<Prepared, StartError> {
    let paths = find_paths(args)?;
    let found = if terminals.are_handed_over() {
        paths.prepare_again()?
    } else {
        paths.prepare().map(|()| Vec::new())?
    };
    let sources = sources(args, &paths.base);
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
    for found in found {
        match found {
            DirectoryProblem::SetAside(path) => {
                tracing::error!(path = %path.display(), "a directory was replaced; what was in its place is set aside");
            }
            DirectoryProblem::Unsafe(error) => {
                tracing::error!(%error, "the sessions continue; the next start will refuse this directory");
            }
        }
    }
    loaded.use_redact_rules();
    Ok(Prepared {
        paths,
        sources,
        read,
        loaded,
        log,
    })
}

pub(crate) async fn serve(prepared: Prepared, terminals: Terminals) -> Result<(), StartError> {
    let watch = ConfigWatch::start(prepared.sources.clone())
        .map_err(system("threads cannot be started"))?;
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
        .begin(&prepared.paths)
        .map_err(system("the holder of the terminals cannot start"))?;
    let (store, database_is_new) =
        open_database(&prepared.paths, hand_over.as_ref(), &adopted).await?;
    let Parts {
        sessions,
        jobs,
        history,
        coach,
        hooks,
        exec,
        conversations,
        conversation_index,
        transcripts,
    } = Parts::new(&prepared, &holder, &store)?;
    let past = Past {
        holder_since: &since,
        has_crashed: hand_over
            .as_ref()
            .is_some_and(|last| last.cause == Cause::Crash),
        database_is_new,
    };
    let killed = sessions
        .recover(adopted, &past)
        .await
        .map_err(StartError::Recover)?;
    match jobs.recover().await {
        // What is there can be read, and deleted to make room.
        Err(error) if error.is_full() => {
            tracing::error!(%error, "unfinished jobs could not be recorded as failed");
        }
        recovered => recovered?,
    }
    if let Err(error) = exec.recover().await {
        // Runs are only one part of the daemon.
        tracing::error!(%error, "unfinished runs of Claude Code could not be found");
    }
    let pumps = spawn_pumps(&sessions, news).map_err(system("threads cannot be started"))?;
    let owners = Owners {
        sessions: Arc::clone(&sessions),
        coach,
        exec,
        conversations,
        conversation_index,
        jobs,
    };
    let daemon = wiring::daemon(prepared, owners, hand_over);
    report_start(&daemon.loaded(), killed);
    let connections = wiring::accept(&daemon, listener, own_path.is_some())?;
    if daemon.hand_over.is_some() {
        let holder = &daemon.services.holder;
        connections.listen_again(&daemon.paths, holder).await;
    }
    wiring::start_background(&daemon, watch);
    super::service::ready();
    holder.ready();
    let serving = Serving {
        daemon,
        sessions,
        connections,
        history,
        hooks,
        transcripts,
        pumps,
    };
    let end = signals.until_end(&serving).await;
    serving
        .end(end, &holder, &store, own_path.map(OwnPath::of))
        .await
}

/// Opens the database; true if it is a new one.
async fn open_database(
    paths: &Paths,
    hand_over: Option<&HandOver>,
    adopted: &[Adopted],
) -> Result<(Store, bool), StartError> {
    let how = match hand_over {
        None => Opening::First,
        Some(hand_over) if hand_over.rolled_back => Opening::RolledBack,
        Some(_) => Opening::Again,
    };
    let replaced = match hand_over {
        Some(_) => ccd_store::set_aside_replaced(&paths.database)?,
        None => None,
    };
    let opened = SCHEMA.open(&paths.database, how).await?;
    if let Some(database) = &replaced.or(opened.set_aside) {
        set_sessions_aside(paths, database, adopted)?;
    }
    Ok((opened.database, opened.is_new))
}

/// Without their database, the sessions' directories cannot be assigned: they are set aside with it, so that their logs
/// are not taken for leftovers.
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
        match std::fs::rename(aside.join(&id), paths.sessions.join(&id)) {
            // It was removed too; the log begins again.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            moved => moved.map_err(system(what))?,
        }
    }
    Ok(())
}

pub(super) fn system(what: &'static str) -> impl FnOnce(io::Error) -> StartError {
    move |source| StartError::System { what, source }
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
