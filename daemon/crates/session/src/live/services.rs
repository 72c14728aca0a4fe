//! State that all sessions of a daemon share.

use super::input::Reads;
use super::output::Logger;
use super::screen::Screens;
use crate::interaction::InteractionRecorder;
use crate::library::PatternLibrary;
use ccd_protocol::SessionId;
use ccd_store::Store;
use ccd_tape::root::Roots;
use ccd_tape::settings::ReplayDefaults;
use ccd_terminal::holder::{Holder, ProcessTables};
use ccd_text::expect::PatternCache;
use parking_lot::RwLock;
use std::fmt::{self, Debug, Formatter};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub struct Services {
    pub holder: Holder,
    pub logger: Logger,
    pub processes: ProcessTables,
    pub reads: Reads,
    pub(super) screens: Arc<Screens>,
    pub store: Store,
    pub recorder: InteractionRecorder,
    pub patterns: PatternCache,
    pub library: Arc<PatternLibrary>,
    pub roots: Arc<Roots>,
    pub folders: SessionFolders,
    settings: RwLock<Arc<SessionSettings>>,
    pub tracker: TaskTracker,
    /// Cancelled when the daemon takes no new work.
    pub stop: CancellationToken,
    /// Cancelled when another process is about to take over the sessions.
    pub leaving: CancellationToken,
    /// Notified when a recording was kept because no tape could be made of it.
    pub tape_kept: Notify,
}

impl Services {
    /// Makes the parts that belong to sessions alone. Must be called inside the runtime.
    #[expect(
        clippy::too_many_arguments,
        reason = "each is a part that it is made of"
    )]
    pub fn new(
        holder: Holder,
        store: Store,
        recorder: InteractionRecorder,
        roots: Arc<Roots>,
        folders: SessionFolders,
        settings: SessionSettings,
        tracker: TaskTracker,
        stop: CancellationToken,
    ) -> Arc<Self> {
        Arc::new(Self {
            logger: Logger::new(holder.clone()),
            holder,
            processes: ProcessTables::default(),
            reads: Reads::new(),
            screens: Screens::new(tracker.clone(), stop.clone()),
            store,
            recorder,
            patterns: PatternCache::default(),
            library: Arc::new(PatternLibrary::new(folders.base.join("patterns.json"))),
            roots,
            folders,
            settings: RwLock::new(Arc::new(settings)),
            tracker,
            stop,
            leaving: CancellationToken::new(),
            tape_kept: Notify::new(),
        })
    }

    pub fn settings(&self) -> Arc<SessionSettings> {
        Arc::clone(&self.settings.read())
    }

    pub(super) fn set_settings(&self, settings: SessionSettings) {
        *self.settings.write() = Arc::new(settings);
    }
}

impl Debug for Services {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("Services")
    }
}

/// The folders of session files; all paths are absolute.
#[derive(Debug, Clone)]
pub struct SessionFolders {
    pub base: PathBuf,
    /// One folder for each session.
    pub sessions: PathBuf,
    /// Scripts and filter files, which exist only during a call.
    pub runtime: PathBuf,
    pub rings: PathBuf,
}

impl SessionFolders {
    pub fn session(&self, id: &SessionId) -> PathBuf {
        self.sessions.join(id.as_str())
    }

    pub fn ring(&self, id: &str) -> PathBuf {
        self.rings.join(format!("{id}.ring"))
    }
}

/// Limits of sessions and defaults for requests, named like the configuration keys; `None` means no limit.
#[derive(Debug, Clone)]
pub struct SessionSettings {
    /// Live sessions.
    pub max_sessions: Option<usize>,
    /// Ended sessions.
    pub ended_session_limit: Option<usize>,
    pub max_rows: u16,
    pub max_cols: u16,
    pub session_timeout: Option<Duration>,
    pub max_session_runtime: Option<Duration>,
    /// Bytes of one session's log.
    pub max_output_size: Option<u64>,
    /// Lines of one session in memory.
    pub output_limit: usize,
    pub default_timeout: Duration,
    /// The configuration file sets `default_timeout`, which then overrides the timeout of a program configuration.
    pub has_default_timeout: bool,
    /// Bytes of one log file.
    pub log_rotation_size: u64,
    /// Directory for named pipes, if it is safe.
    pub pipe_dir: PathBuf,
    pub replay: ReplayDefaults,
}
