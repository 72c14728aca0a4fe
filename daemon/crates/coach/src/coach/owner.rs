//! The coach as handlers see it.

use super::CoachError;
use super::consent::Consent;
use super::guard::Guards;
use super::projects::Projects;
use super::timing::Timings;
use crate::config::{CoachConfig, ConfigFile, create_config};
use crate::deliver::{Delivery, Journal, JournalError, Reader, Spool};
use crate::ledger::{Change, LEDGER, LedgerWrite};
use crate::record::{EVENTS, EventWrite};
use ccd_protocol::coach::SignalType;
use ccd_protocol::data::DataForgetParams;
use ccd_protocol::hook::HookStatus;
use ccd_store::folder::prepare_private;
use ccd_store::{Database, Opening, Store, StoreError};
use parking_lot::{Mutex, RwLock};
use serde_json::{Map, Value};
use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{Notify, OnceCell, watch};

#[derive(Debug, Clone)]
pub struct CoachPaths {
    /// Of the daemon: it says whether the coach records.
    pub base: PathBuf,
    /// `$CCD_COACH_HOME`, otherwise `~/.claude-coach`. It does not exist before something is recorded.
    pub home: PathBuf,
    /// In the runtime directory: payloads that are not processed yet. It does not exist before the first one.
    pub journal: PathBuf,
    /// Payloads that clients have kept while no daemon took them.
    pub spool: PathBuf,
    /// `~/.claude`.
    pub claude: PathBuf,
}

impl CoachPaths {
    pub(super) fn config(&self) -> PathBuf {
        self.home.join("config.json")
    }

    /// The mirror of the ledger.
    pub(super) fn mirror(&self) -> PathBuf {
        self.home.join("candidates.json")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoachSettings {
    /// `hooks.enabled`.
    pub enabled: bool,
    /// `hooks.keep_days`.
    pub keep_payloads: Duration,
    /// `coach.keep_event_days`.
    pub keep_events: Duration,
    /// `coach.guards`.
    pub guards: bool,
    /// `coach.record`: true or false if the user has decided, else it records from the first hook on, until they are uninstalled.
    pub record: Option<bool>,
    /// `coach.session_events`.
    pub session_events: bool,
}

/// Friction that the daemon has seen itself.
#[derive(Debug, Clone)]
pub struct Friction {
    pub signal_type: SignalType,
    pub session_id: String,
    /// The directory that says which project it belongs to.
    pub cwd: String,
    pub content: String,
    /// `command`, `exit_code`, `action` and so on.
    pub context: Map<String, Value>,
}

/// How long a call waits for the payloads that were taken before it.
const SETTLE_PATIENCE: Duration = Duration::from_secs(20);

/// The same for a look.
const LOOK_PATIENCE: Duration = Duration::from_secs(1);

/// Friction that waits to be recorded; more is dropped.
const MAX_FRICTION: usize = 1000;

#[derive(Debug)]
pub struct Coach {
    pub(super) paths: CoachPaths,
    pub(super) store: Store,
    journal: OnceLock<Journal>,
    /// The end of the journal that the work reads, until it takes it; locked while the journal is opened.
    pub(super) reader: Mutex<Option<Reader>>,
    pub(super) consent: Consent,
    pub(super) spool: Mutex<Spool>,
    pub(super) settings: RwLock<CoachSettings>,
    pub(super) config: Arc<Mutex<ConfigFile>>,
    /// Opened when they are needed for the first time, or at the start if there are any: their guards answer hooks.
    pub(super) databases: OnceCell<Databases>,
    /// Notified after each batch of payloads.
    pub(super) progress: watch::Sender<()>,
    pub(super) guards: RwLock<Arc<Guards>>,
    pub(super) projects: Projects,
    pub(super) friction: Mutex<Vec<(String, Friction)>>,
    pub(super) timings: Timings,
    pub(super) invalid: AtomicU64,
    pub(super) news: Notify,
    /// Held by whoever changes the ledger.
    pub(super) deciding: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
pub(super) struct Databases {
    pub(super) events: Database<EventWrite>,
    pub(super) ledger: Database<LedgerWrite>,
    /// What happened to them when they were opened.
    pub(super) incidents: Vec<String>,
}

impl Databases {
    /// Changes the ledger: all at once, or nothing.
    pub(super) async fn change(&self, changes: Vec<Change>) -> Result<(), StoreError> {
        self.ledger.commit(LedgerWrite(changes)).await
    }

    pub(super) fn tidy(&self) {
        self.events.tidy();
        self.ledger.tidy();
    }
}

impl Coach {
    pub(super) fn stopped(paths: CoachPaths, store: Store, settings: CoachSettings) -> Self {
        let coach = Self {
            consent: Consent::in_base(&paths.base),
            spool: Spool::new(paths.spool.clone()).into(),
            config: Arc::new(ConfigFile::new(paths.config()).into()),
            paths,
            store,
            journal: OnceLock::new(),
            reader: Mutex::default(),
            settings: settings.clone().into(),
            databases: OnceCell::new(),
            progress: watch::Sender::new(()),
            guards: RwLock::default(),
            projects: Projects::default(),
            friction: Mutex::default(),
            timings: Timings::default(),
            invalid: AtomicU64::new(0),
            news: Notify::new(),
            deciding: tokio::sync::Mutex::default(),
        };
        coach.set_settings(settings);
        coach
    }

    /// Returns the journal, which is made when it is needed for the first time.
    pub(super) fn journal(&self) -> Result<&Journal, JournalError> {
        if let Some(journal) = self.journal.get() {
            return Ok(journal);
        }
        let mut unread = self.reader.lock();
        if let Some(journal) = self.journal.get() {
            return Ok(journal);
        }
        let (journal, reader) = Journal::open(&self.paths.journal)?;
        *unread = Some(reader);
        Ok(self.journal.get_or_init(|| journal))
    }

    /// Takes a payload. Once this returns, it survives a kill of the daemon. Returns what the hook is to print.
    pub fn post(&self, mut delivery: Delivery) -> Result<Option<String>, CoachError> {
        let settings = self.settings();
        if !settings.enabled {
            return Ok(None); // it is not kept, so nothing is to be kept by the client either
        }
        if self.may_record(&settings) {
            delivery.took_ms =
                ccd_base::clock::age_s(&delivery.at).map(|age| age.max(0.0) * 1000.0);
            self.journal()?.append(&delivery)?;
            self.news.notify_one();
        }
        let guards = Arc::clone(&self.guards.read());
        if !settings.guards || guards.is_empty() {
            return Ok(None);
        }
        Ok(guards.answer(&delivery.payload, &self.projects))
    }

    /// Records friction that the daemon has seen itself, as long as few wait.
    pub fn note(&self, friction: Friction) {
        let settings = self.settings();
        if !settings.enabled || settings.record == Some(false) || !settings.session_events {
            return;
        }
        let mut waiting = self.friction.lock();
        if waiting.len() < MAX_FRICTION {
            waiting.push((ccd_base::clock::now(), friction));
            self.news.notify_one();
        }
    }

    pub(super) fn has_friction(&self) -> bool {
        let waiting = self.friction.lock();
        !waiting.is_empty()
    }

    pub fn set_settings(&self, settings: CoachSettings) {
        match settings.record {
            Some(true) => self.consent.give_anew(),
            // An uninstallation counts again once the setting is gone.
            Some(false) if !self.consent.is_refused() => self.consent.withdraw(),
            _ => {}
        }
        *self.settings.write() = settings;
    }

    /// Returns whether what arrives is kept. Without a setting, the first hook starts that, unless the user has uninstalled them.
    pub(super) fn may_record(&self, settings: &CoachSettings) -> bool {
        settings
            .record
            .unwrap_or_else(|| !self.consent.is_refused())
    }

    pub(super) fn settings(&self) -> CoachSettings {
        self.settings.read().clone()
    }

    /// Returns the coach's own configuration, read again if its file has changed. Its patterns are compiled when they are
    /// needed for the first time, outside the thread that serves the clients.
    pub(super) async fn config(&self) -> Arc<CoachConfig> {
        let file = Arc::clone(&self.config);
        let fresh = move || file.lock().fresh();
        ccd_store::blocking(fresh).await
    }

    /// Returns the databases; opens them if they are not open.
    pub(super) async fn databases(&self) -> Result<&Databases, CoachError> {
        let opened = self.databases.get_or_try_init(|| self.open()).await;
        opened.map_err(|error| CoachError::Unavailable(error.to_string()))
    }

    /// Returns the databases if there are any: a query must not create them. A hook that got no answer in time cannot report
    /// what it left in the spool, so a query also starts reading the spool.
    pub(super) async fn existing(&self) -> Result<Option<&Databases>, CoachError> {
        let spool = self.spool.try_lock();
        if spool.is_some_and(|spool| !spool.is_empty()) {
            self.news.notify_one();
        }
        match self.databases.get() {
            None if !self.paths.home.exists() => Ok(None),
            _ => self.databases().await.map(Some),
        }
    }

    pub(super) async fn with_candidate(&self, id: &str) -> Result<&Databases, CoachError> {
        let existing = self.existing().await?;
        existing.ok_or_else(|| CoachError::NotFound(id.to_owned()))
    }

    async fn open(&self) -> Result<Databases, Box<dyn Error + Send + Sync>> {
        let home = &self.paths.home;
        prepare_private(home)?;
        create_config(&self.paths.config());
        let (events, ledger) = (home.join("events.sqlite"), home.join("ledger.sqlite"));
        let events = EVENTS.open(&events, Opening::First).await?;
        let ledger = LEDGER.open(&ledger, Opening::First).await?;
        let asides = events.set_aside.iter().chain(&ledger.set_aside);
        let incidents = asides.map(|aside| {
            let aside = aside.display();
            format!("a damaged database was set aside as {aside}; a new one was created")
        });
        let databases = Databases {
            incidents: incidents.collect(),
            events: events.database,
            ledger: ledger.database,
        };
        self.finish_decisions(&databases).await?;
        self.use_guards(&databases).await?;
        Ok(databases)
    }

    /// Returns once the payloads that have been taken so far, and those that wait in the spool, are processed; an error if
    /// they still wait after [`SETTLE_PATIENCE`].
    pub async fn settle(&self) -> Result<(), CoachError> {
        let mut progress = self.progress.subscribe();
        let settled = async {
            if self.settings().enabled {
                self.news.notify_one();
                let is_taken_in = |(): &()| self.spool.lock().is_empty();
                progress.wait_for(is_taken_in).await.ok()?;
            }
            if let Some(journal) = self.journal.get() {
                let (end, _) = journal.positions();
                let is_done = |(): &()| journal.positions().1 >= end;
                progress.wait_for(is_done).await.ok()?;
            }
            Some(())
        };
        match tokio::time::timeout(SETTLE_PATIENCE, settled).await {
            Ok(Some(())) => Ok(()),
            _ => Err(CoachError::Unavailable(format!(
                "hook payloads are still not processed after {} s; try again",
                SETTLE_PATIENCE.as_secs()
            ))),
        }
    }

    /// Does the same for a deletion; a look at what would be deleted waits shortly at most, and shows what is there.
    pub(super) async fn settle_for(&self, which: &DataForgetParams) -> Result<(), CoachError> {
        if which.dry_run {
            let _ = tokio::time::timeout(LOOK_PATIENCE, self.settle()).await;
            return Ok(());
        }
        self.settle().await
    }

    /// Returns the hooks since the start, and what waits in the spool.
    pub fn hook_status(&self) -> HookStatus {
        HookStatus {
            events: self.timings.status(),
            spool: self.spool.lock().status(),
        }
    }

    /// Returns the bytes of payloads that wait to be processed, and the number of those that could not be read.
    #[must_use]
    pub fn queues(&self) -> (u64, u64) {
        (
            self.journal.get().map_or(0, Journal::waiting_bytes),
            self.invalid.load(Ordering::Relaxed),
        )
    }

    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.databases.get().map_or(0, |databases| {
            databases.events.size_bytes() + databases.ledger.size_bytes()
        })
    }

    /// Commits what is waiting, and closes the databases. The work must have ended.
    pub async fn close(&self) {
        if let Some(databases) = self.databases.get() {
            databases.events.close().await;
            databases.ledger.close().await;
        }
    }
}
