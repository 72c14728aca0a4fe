//! How the daemon's parts are wired to each other: the one file that knows them all.
//! A new area is made in [`parts`], its methods are registered in [`rpc`], and its background work starts
//! in [`start_background`].

use super::error::{StartError, system};
use super::prepare::Prepared;
use super::serving::{Connections, Threads};
use super::thread::Thread;
use crate::config::{ConfigWatch, Paths};
use crate::daemon::{Daemon, Owners, coach_settings, exec_settings, session_settings};
use crate::friction;
use crate::job::Jobs;
use crate::store::Store;
use crate::tape_usage::TapeUsage;
use crate::{maintenance, rpc};
use ccd_coach::{Coach, CoachPaths, Work};
use ccd_connection::{Ends, Listeners, Served};
use ccd_conversation::{Conversations, Follower, Setup};
use ccd_exec::{ExecPaths, Executor};
use ccd_session::interaction::InteractionRecorder;
use ccd_session::{Services, SessionFolders, Sessions};
use ccd_tape::root::Roots;
use ccd_tape::settings::root_of;
use ccd_terminal::holder::{HandOver, HandoverCause, Holder};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixListener;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long after the start transcripts are indexed, unless somebody asks before.
const INDEX_DELAY: Duration = Duration::from_secs(5);

/// How often all directories are looked through, in case Claude Code was not used before.
const INDEX_PERIOD: Duration = Duration::from_secs(60 * 60);

/// Makes the parts that own something; none of them knows the daemon.
pub(super) fn parts(
    prepared: &Prepared,
    holder: &Holder,
    store: &Store,
) -> Result<(Owners, Threads), StartError> {
    let (tracker, stop) = (TaskTracker::new(), CancellationToken::new());
    let (recorder, events) = InteractionRecorder::new();
    let usage = Arc::new(TapeUsage(store.clone()));
    let services = Services::new(
        holder.clone(),
        store.clone(),
        recorder,
        Roots::new(&prepared.paths.base, usage, &tracker, stop.clone()),
        folders_of(&prepared.paths),
        session_settings(&prepared.loaded),
        tracker.clone(),
        stop.clone(),
    );
    let sessions = Sessions::new(services);
    let (coach, work) = coach(prepared, store)?;
    let settings = prepared.loaded.config.conversations.clone();
    let base = &prepared.paths.base;
    let setup = Setup::new(&prepared.paths.claude, base, settings);
    let database = base.join("conversations.sqlite");
    let (conversation_index, follower) = Follower::new(database, Arc::clone(&setup));
    let (history_store, watcher) = (store.clone(), friction::watch(&coach, &sessions));
    let history = Thread::start("history", move |stop| {
        events.run(history_store, stop, watcher)
    });
    let threads = Threads {
        history: history.map_err(system("the history cannot be written"))?,
        hooks: Thread::start("hooks", move |stop| work.run(stop))
            .map_err(system("hooks cannot be processed"))?,
        transcripts: Thread::start("transcripts", move |_| follower.run())
            .map_err(system("transcripts cannot be indexed"))?,
    };
    let owners = Owners {
        exec: executor(prepared, &sessions, &tracker, &stop),
        sessions,
        jobs: Jobs::new(store.clone(), tracker, stop),
        coach,
        conversations: Arc::new(Conversations::new(setup)),
        conversation_index,
    };
    Ok((owners, threads))
}

fn executor(
    prepared: &Prepared,
    sessions: &Sessions,
    tracker: &TaskTracker,
    stop: &CancellationToken,
) -> Arc<Executor> {
    let paths = ExecPaths {
        database: prepared.paths.exec_database.clone(),
        runtime: prepared.paths.exec_runtime.clone(),
        worktrees: prepared.paths.worktrees.clone(),
        base: prepared.paths.base.clone(),
    };
    let settings = exec_settings(&prepared.loaded.config);
    let tapes = Arc::clone(&sessions.services.roots);
    Executor::new(paths, settings, tapes, tracker.clone(), stop.clone())
}

fn coach(prepared: &Prepared, store: &Store) -> Result<(Arc<Coach>, Work), StartError> {
    let paths = &prepared.paths;
    let paths = CoachPaths {
        base: paths.base.clone(),
        home: paths.coach.clone(),
        journal: paths.hook_journal.clone(),
        spool: paths.spool.clone(),
        claude: paths.claude.clone(),
    };
    let settings = coach_settings(&prepared.loaded.config);
    Ok(Coach::new(paths, store.clone(), settings)?)
}

pub(super) fn daemon(
    prepared: Prepared,
    owners: Owners,
    hand_over: Option<HandOver>,
) -> Arc<Daemon> {
    Arc::new(Daemon::new(
        owners,
        prepared.paths,
        prepared.log,
        prepared.sources,
        (prepared.loaded, prepared.read),
        hand_over.map(told),
    ))
}

pub(super) fn accept(
    daemon: &Arc<Daemon>,
    listener: std::os::unix::net::UnixListener,
    owns_path: bool,
) -> Result<Connections, StartError> {
    let methods = rpc::module(Arc::clone(daemon))?;
    let (listen_on, next) = mpsc::channel(1);
    let listeners = Listeners {
        first: UnixListener::from_std(listener).map_err(system("the socket cannot be used"))?,
        next,
    };
    let (disconnect, tracker) = (CancellationToken::new(), TaskTracker::new());
    let accepting = tokio::spawn(ccd_connection::serve(
        listeners,
        Served {
            methods: methods.into(),
            settings: daemon.settings.subscribe(),
            agents: daemon.client_agents(),
        },
        Ends {
            stop: disconnect.clone(),
            leaving: daemon.leaving.clone(),
        },
        tracker.clone(),
        Arc::clone(&daemon.connections),
    ));
    Ok(Connections {
        accepting,
        listen_on,
        owns_path,
        disconnect,
        tracker,
    })
}

/// Starts the work that no client asks for.
pub(super) fn start_background(daemon: &Arc<Daemon>, watch: ConfigWatch) {
    let tracker = &daemon.services.tracker;
    tracker.spawn(maintenance::run(Arc::clone(daemon)));
    tracker.spawn(Arc::clone(&daemon.sessions).retry_tapes());
    tracker.spawn(open_tapes(Arc::clone(daemon)));
    tracker.spawn(index_transcripts(Arc::clone(daemon)));
    let stop = daemon.services.stop.clone();
    tracker.spawn(Arc::clone(&daemon.memories).save_on_request(stop));
    let stop = daemon.services.stop.clone();
    tracker.spawn(crate::agents::notify(Arc::clone(&daemon.agents), stop));
    let agents = Arc::clone(&daemon.agents);
    agents.spawn(Arc::clone(&agents).save_changes());
    agents.spawn(Arc::clone(&agents).take_hooks());
    let follower = Arc::clone(daemon);
    tracker.spawn(async move { follower.follow_configuration(watch).await });
    let (log, stop) = (daemon.log.clone(), daemon.services.stop.clone());
    tracker.spawn(async move { stop.run_until_cancelled(log.report_repeats()).await });
    spawn_watchdog(daemon);
}

fn folders_of(paths: &Paths) -> SessionFolders {
    SessionFolders {
        base: paths.base.clone(),
        sessions: paths.sessions.clone(),
        runtime: paths.runtime.clone(),
        rings: paths.rings.clone(),
    }
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

/// Indexes what Claude Code has written before the first question about it, but not while whoever has started the daemon
/// waits for something else.
async fn index_transcripts(daemon: Arc<Daemon>) {
    let mut pause = INDEX_DELAY;
    loop {
        tokio::select! {
            () = tokio::time::sleep(pause) => daemon.conversation_index.begin(),
            () = daemon.services.stop.cancelled() => return,
        }
        pause = INDEX_PERIOD;
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

/// Returns it as the status shows it.
fn told(hand_over: HandOver) -> ccd_protocol::daemon::HandOver {
    use ccd_protocol::daemon::HandOverCause;
    ccd_protocol::daemon::HandOver {
        number: hand_over.number,
        cause: match hand_over.cause {
            HandoverCause::Crash => HandOverCause::Crash,
            HandoverCause::Upgrade => HandOverCause::Upgrade,
        },
        rolled_back: hand_over.rolled_back,
        reason: hand_over.reason,
        at: ccd_base::clock::now(),
    }
}
