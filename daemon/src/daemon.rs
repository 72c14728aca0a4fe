//! All parts of the daemon, for the handlers.

use crate::agents::{AgentSettings, Agents as CodingAgents, NotifySettings};
use crate::config::{
    Config, ConfigError, ConfigRefusal, ConfigWatch, Loaded, Paths, Snapshot, Sources,
};
use crate::job::Jobs;
use crate::log::Log;
use crate::memory::Memories;
use ccd_agents::Programs;
use ccd_base::whole_file::remove_strays;
use ccd_coach::{Coach, CoachSettings};
use ccd_connection::{Agents, Limits, Settings};
use ccd_conversation::{Conversations, Index};
use ccd_discover::reports::Reports;
use ccd_exec::{ExecSettings, Executor};
use ccd_mcp::Policy;
use ccd_protocol::black_box::TestReport;
use ccd_protocol::daemon::HandOver;
use ccd_protocol::investigate::InvestigationReport;
use ccd_protocol::session::SessionState;
use ccd_session::{Services, Session, SessionError, SessionSettings, Sessions};
use ccd_store::blocking;
use ccd_store::documents::Documents;
use ccd_tape::root::Roots;
use parking_lot::{Mutex, RwLock};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Everything that a handler may need.
pub(crate) struct Daemon {
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) services: Arc<Services>,
    pub(crate) coach: Arc<Coach>,
    pub(crate) exec: Arc<Executor>,
    pub(crate) conversations: Arc<Conversations>,
    /// All of them, for lists, search and sums.
    pub(crate) conversation_index: Arc<Index>,
    pub(crate) agents: Arc<CodingAgents>,
    pub(crate) paths: Paths,
    pub(crate) jobs: Jobs,
    pub(crate) memories: Arc<Memories>,
    pub(crate) investigations: Arc<Reports<InvestigationReport>>,
    pub(crate) test_reports: Arc<Reports<TestReport>>,
    pub(crate) roots: Arc<Roots>,
    pub(crate) chains: Documents,
    pub(crate) log: Log,
    pub(crate) started: Instant,
    pub(crate) settings: watch::Sender<Settings>,
    agent_policy: watch::Sender<Arc<Policy>>,
    sources: Sources,
    loaded: RwLock<Arc<Loaded>>,
    /// The last configuration that was read, valid or not; locked while it is read.
    reading: tokio::sync::Mutex<Snapshot>,
    config_error: Mutex<Option<String>>,
    stop: CancellationToken,
    /// How the sessions were handed to this process, and since when it has been serving.
    pub(crate) hand_over: Option<HandOver>,
    /// Cancelled once another process is about to take over.
    pub(crate) leaving: CancellationToken,
    successor: Mutex<Option<Successor>>,
    /// Each subscription holds a token.
    pub(crate) subscriptions: TaskTracker,
    /// Each connection holds a clone.
    pub(crate) connections: Arc<()>,
}

/// The parts that own something, and that the methods work on.
pub(crate) struct Owners {
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) coach: Arc<Coach>,
    pub(crate) exec: Arc<Executor>,
    pub(crate) conversations: Arc<Conversations>,
    pub(crate) conversation_index: Arc<Index>,
    pub(crate) jobs: Jobs,
}

#[derive(Debug)]
pub(crate) struct Successor {
    /// `None` for this build.
    pub(crate) file: Option<OwnedFd>,
}

pub(crate) fn own_pid() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}

impl Daemon {
    pub(crate) fn new(
        owners: Owners,
        paths: Paths,
        log: Log,
        sources: Sources,
        loaded: (Arc<Loaded>, Snapshot),
        hand_over: Option<HandOver>,
    ) -> Self {
        let (loaded, snapshot) = loaded;
        let services = Arc::clone(&owners.sessions.services);
        let (settings, _) = watch::channel(settings_of(&loaded.config));
        let agent_policy = watch::Sender::new(Arc::new(loaded.config.mcp.clone()));
        let memories = Arc::new(Memories {
            coach: Arc::clone(&owners.coach),
            store: services.store.clone(),
            conversations: Arc::clone(&owners.conversations),
            index: Arc::clone(&owners.conversation_index),
            exec: Arc::clone(&owners.exec),
            saves: Default::default(),
        });
        let agents = CodingAgents::new(
            Arc::clone(&owners.sessions),
            Arc::clone(&owners.conversation_index),
            agent_settings(&loaded.config),
            paths.agents.clone(),
        );
        remove_strays(&paths.base, Duration::ZERO);
        ccd_discover::drive::remove_strays(&paths.base);
        Self {
            chains: Documents::new(paths.base.join("chains")),
            investigations: Arc::new(Reports::new(&paths.base)),
            test_reports: Arc::new(Reports::new(&paths.base)),
            roots: Arc::clone(&services.roots),
            sessions: owners.sessions,
            coach: owners.coach,
            exec: owners.exec,
            conversations: owners.conversations,
            conversation_index: owners.conversation_index,
            jobs: owners.jobs,
            memories,
            agents,
            log,
            started: Instant::now(),
            settings,
            agent_policy,
            sources,
            reading: tokio::sync::Mutex::new(snapshot),
            config_error: Mutex::new(loaded.refused().map(str::to_owned)),
            loaded: RwLock::new(loaded),
            stop: services.stop.clone(),
            hand_over,
            leaving: services.leaving.clone(),
            services,
            paths,
            successor: Mutex::default(),
            subscriptions: TaskTracker::new(),
            connections: Arc::new(()),
        }
    }

    pub(crate) fn open_connections(&self) -> u64 {
        // Excludes the clones held by this struct and by the accept loop.
        (Arc::strong_count(&self.connections) as u64).saturating_sub(2)
    }

    /// Returns the rules for agents that are clients, by `ccctl mcp`.
    pub(crate) fn client_agents(&self) -> Agents {
        Agents {
            policy: self.agent_policy.subscribe(),
            sessions: self.sessions.changes.subscribe(),
        }
    }

    pub(crate) fn loaded(&self) -> Arc<Loaded> {
        Arc::clone(&self.loaded.read())
    }

    /// Returns the configuration file that a reload would read, if there is one.
    pub(crate) fn config_path(&self) -> Option<std::path::PathBuf> {
        self.sources.current()
    }

    /// Returns where the configuration file is looked for, the first place first.
    pub(crate) fn config_places(&self) -> Vec<String> {
        let places = self.sources.paths();
        places.map(|path| path.display().to_string()).collect()
    }

    pub(crate) fn config_error(&self) -> Option<String> {
        self.config_error.lock().clone()
    }

    /// Reads the configuration again, without using it.
    pub(crate) async fn check_configuration(&self) -> Result<(), ConfigRefusal> {
        let (_, loaded) = self.read_configuration().await;
        Ok(loaded.map(drop)?)
    }

    async fn read_configuration(&self) -> (Snapshot, Result<Loaded, ConfigError>) {
        let sources = self.sources.clone();
        blocking(move || {
            let snapshot = sources.read();
            let loaded = snapshot.load();
            (snapshot, loaded)
        })
        .await
    }

    /// Reads the configuration again, and uses it. On an error, the old configuration is kept.
    pub(crate) async fn reload(&self) -> Result<Arc<Loaded>, ConfigRefusal> {
        let mut reading = self.reading.lock().await;
        let (snapshot, loaded) = self.read_configuration().await;
        *reading = snapshot;
        self.put_in_force(loaded).await
    }

    pub(crate) async fn follow_configuration(&self, watch: ConfigWatch) {
        loop {
            tokio::select! {
                () = watch.changed() => {}
                () = self.stop.cancelled() => return,
            }
            let mut reading = self.reading.lock().await;
            let (snapshot, loaded) = self.read_configuration().await;
            if *reading != snapshot {
                *reading = snapshot;
                // A mistake is logged with its position, and shown by the status; the old configuration is kept.
                let _ = self.put_in_force(loaded).await;
            }
        }
    }

    async fn put_in_force(
        &self,
        loaded: Result<Loaded, ConfigError>,
    ) -> Result<Arc<Loaded>, ConfigRefusal> {
        let loaded = Arc::new(loaded.map_err(|error| {
            tracing::error!(%error, "the configuration was not reloaded");
            *self.config_error.lock() = Some(error.in_one_line());
            error
        })?);
        *self.config_error.lock() = None;
        for warning in loaded.warning_lines() {
            tracing::warn!(warning, "configuration");
        }
        loaded.use_redact_rules();
        self.roots.follow_rules().await;
        self.sessions.set_settings(session_settings(&loaded));
        self.coach.set_settings(coach_settings(&loaded.config));
        self.exec.set_settings(exec_settings(&loaded.config));
        self.agents.set_settings(agent_settings(&loaded.config));
        let conversations = loaded.config.conversations.clone();
        let index = Arc::clone(&self.conversation_index);
        blocking(move || index.set_settings(conversations)).await;
        self.settings.send_replace(settings_of(&loaded.config));
        let policy = Arc::new(loaded.config.mcp.clone());
        self.agent_policy.send_replace(policy);
        self.log.set_level(loaded.config.log_level);
        *self.loaded.write() = Arc::clone(&loaded);
        tracing::info!("configuration read");
        Ok(loaded)
    }

    /// Starts the shutdown; false if a handover has started, and the next process must be asked.
    pub(crate) fn request_stop(&self) -> bool {
        // Not while a handover starts.
        let _place = self.successor.lock();
        if self.leaving.is_cancelled() {
            return false;
        }
        self.services.holder.stopping();
        self.stop.cancel();
        true
    }

    /// Starts the handover to another process; false if that or the shutdown has started already.
    pub(crate) fn leave_to(&self, successor: Successor) -> bool {
        let mut place = self.successor.lock();
        if self.stop.is_cancelled() || self.leaving.is_cancelled() {
            return false;
        }
        *place = Some(successor);
        self.leaving.cancel();
        true
    }

    /// Returns the build that takes over, once the handover has started.
    pub(crate) fn successor(&self) -> Option<Successor> {
        self.successor.lock().take()
    }

    /// Returns the sessions to list: live ones, and with `all` those that ended recently.
    pub(crate) async fn listed(&self, all: bool) -> Result<Vec<Arc<Session>>, SessionError> {
        if all {
            self.sessions.load_ended().await?;
        }
        let ttl = self.loaded().config.ended_session_ttl.as_secs_f64();
        let recent = |session: &Session| {
            let ended_at = session.state().ended_at.clone();
            let age_s = ended_at.as_deref().and_then(ccd_base::clock::age_s);
            age_s.is_none_or(|age_s| age_s < ttl)
        };
        let mut sessions = self.sessions.list();
        sessions.retain(|session| {
            let alive = session.state().phase == SessionState::Alive;
            alive || (all && recent(session))
        });
        Ok(sessions)
    }
}

fn settings_of(config: &Config) -> Settings {
    let (limits, defaults) = (&config.limits, Limits::default());
    let requests_bytes = defaults.requests_bytes;
    Settings {
        limits: Limits {
            connections: limits.connections,
            in_flight: limits.in_flight,
            batch: limits.batch,
            frame_bytes: limits.frame_bytes,
            reply_bytes: limits.reply_bytes,
            requests_bytes: requests_bytes.max(4 * limits.frame_bytes),
            ..defaults
        },
        allow_root_peer: config.allow_root_peer,
    }
}

pub(crate) fn coach_settings(config: &Config) -> CoachSettings {
    const DAY: Duration = Duration::from_secs(86_400);
    CoachSettings {
        enabled: config.hooks.enabled,
        keep_payloads: DAY * config.hooks.keep_days,
        keep_events: DAY * config.coach.keep_event_days,
        guards: config.coach.guards,
        record: config.coach.record,
        session_events: config.coach.session_events,
    }
}

fn agent_settings(config: &Config) -> AgentSettings {
    AgentSettings {
        // The check of the configuration has refused a mark that is not a regular expression.
        programs: Arc::new(Programs::with(&config.agents.programs).unwrap_or_default()),
        stuck_after: Duration::from_secs(u64::from(config.agents.stuck_after_s)),
        keep: config.hooks.enabled && config.coach.record != Some(false),
        notify: NotifySettings {
            command: config.agents.notify.clone(),
            desktop: config.agents.notify_desktop,
            terminals: config.agents.notify_terminals,
        },
    }
}

pub(crate) fn exec_settings(config: &Config) -> ExecSettings {
    let seconds = |seconds: u32| Duration::from_secs(u64::from(seconds));
    let exec = &config.exec;
    ExecSettings {
        claude: exec.claude.clone(),
        timeout: seconds(exec.timeout),
        lock_timeout: seconds(exec.lock_timeout),
        parallel: exec.parallel,
        stall: seconds(exec.stall_s),
        grace: seconds(exec.grace_s),
        session_days: exec.session_days,
        keep_days: exec.keep_days,
        worktree_setup: exec.worktree_setup,
        replay: config.replay.clone(),
    }
}

pub(crate) fn session_settings(loaded: &Loaded) -> SessionSettings {
    let config = &loaded.config;
    SessionSettings {
        max_sessions: config.max_sessions,
        ended_session_limit: config.ended_session_limit.filter(|_| config.auto_cleanup),
        max_rows: config.limits.rows,
        max_cols: config.limits.cols,
        session_timeout: config.session_timeout,
        max_session_runtime: config.max_session_runtime,
        max_output_size: config.max_output_size,
        output_limit: config.output_limit,
        default_timeout: config.default_timeout,
        has_default_timeout: loaded.set.contains("default_timeout"),
        log_rotation_size: config.log_rotation_size,
        pipe_dir: config.pipe_dir.clone(),
        replay: config.replay.clone(),
    }
}
