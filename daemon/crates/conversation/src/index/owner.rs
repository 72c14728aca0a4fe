//! The owner of the index.

use super::feed::Fed;
use super::follow::{DirId, Follower, id_of, is_wanted};
use super::gate::Gate;
use super::left::Left;
use super::scope::Scope;
use super::{INDEX, IndexWrite, list, search, stats, totals, write};
use crate::ConversationError;
use crate::setup::{ConversationSettings, Setup};
use crate::source::Dir;
use ccd_protocol::conversation::{
    ConversationImportParams, ConversationImportReply, ConversationListParams,
    ConversationListReply, ConversationScope, ConversationSearchParams, ConversationSearchReply,
    ConversationStatsParams, ConversationStatsReply, Indexing, UnreadableFiles,
};
use ccd_store::{Database, Opening, StoreError, blocking};
use ccd_watch::{Handle, Watcher};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;

/// How long a request waits for the index, unless it says otherwise, and at most.
const WAIT: Duration = Duration::from_secs(2);
const MAX_WAIT: Duration = Duration::from_secs(3600);

/// How long totals wait for the index before they are taken from the transcripts.
const SOON: Duration = Duration::from_millis(100);

/// The owner of the index. The [`Follower`] brings it up to date; those who ask wait for that.
#[derive(Debug)]
pub struct Index {
    path: PathBuf,
    pub(super) setup: Arc<Setup>,
    /// Opened when there is something to index, or somebody asks.
    database: OnceCell<Database<IndexWrite>>,
    state: Mutex<State>,
    pub(super) left: Left,
    pub(super) gate: Arc<Gate>,
    handle: Handle,
    pub(super) is_stopping: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    /// Directories that somebody has asked for since the follower has last looked through all.
    asked: BTreeSet<Dir>,
    /// Directories that are in the index, and whose changes are reported.
    followed: HashMap<Dir, DirId>,
    /// The settings have changed since the follower has last looked through all directories.
    is_new: bool,
    /// Number of the table of prices that the index was made with.
    prices: Option<u64>,
    /// Why the index is not up to date.
    failure: Option<Arc<StoreError>>,
    /// Transcripts that could not be read the last time, and why.
    unreadable: BTreeMap<String, String>,
}

impl Index {
    /// `path` is that of the database. Nothing is indexed before the follower runs.
    #[must_use]
    pub fn new(path: PathBuf, setup: Arc<Setup>) -> (Arc<Self>, Follower) {
        let (watcher, handle) = Watcher::new(is_wanted);
        let index = Arc::new(Self {
            path,
            setup,
            database: OnceCell::new(),
            state: Mutex::default(),
            left: Left::default(),
            gate: Arc::default(),
            handle,
            is_stopping: AtomicBool::new(false),
        });
        (
            Arc::clone(&index),
            Follower::new(index, watcher.naming_folders()),
        )
    }

    /// Carries out `conversation.list`.
    ///
    /// # Errors
    ///
    /// `Query`, `Index`, `Prices`.
    pub async fn list(
        self: &Arc<Self>,
        params: &ConversationListParams,
    ) -> Result<ConversationListReply, ConversationError> {
        let (database, scope, indexing) = self.ready(&params.scope).await?;
        let setup = Arc::clone(&self.setup);
        blocking(move || setup.prices()).await?;
        let mut reply = list::list(database, params, &scope).await?;
        reply.indexing = indexing;
        reply.unreadable = self.unreadable(&scope.dirs);
        Ok(reply)
    }

    /// Carries out `conversation.search`.
    ///
    /// # Errors
    ///
    /// `Query`, `Index`.
    pub async fn search(
        self: &Arc<Self>,
        params: &ConversationSearchParams,
    ) -> Result<ConversationSearchReply, ConversationError> {
        let (database, scope, indexing) = self.ready(&params.scope).await?;
        let mut reply = search::search(database, params, &scope).await?;
        reply.indexing = indexing;
        reply.unreadable = self.unreadable(&scope.dirs);
        Ok(reply)
    }

    /// Carries out `conversation.stats`.
    ///
    /// # Errors
    ///
    /// `Query`, `Index`, `Prices`.
    pub async fn stats(
        self: &Arc<Self>,
        params: &ConversationStatsParams,
    ) -> Result<ConversationStatsReply, ConversationError> {
        let setup = Arc::clone(&self.setup);
        let priced = blocking(move || setup.prices()).await?;
        let mut reply = match self.far_behind(&params.scope).await? {
            Some(scope) => {
                let database = self.database().await?;
                let _closed = self.gate.close();
                totals::totals(database, &self.setup, scope.dirs, params.by, &priced.prices).await?
            }
            None => {
                let (database, scope, indexing) = self.ready(&params.scope).await?;
                let reply = stats::stats(database, &scope, params.by).await?;
                ConversationStatsReply {
                    indexing,
                    unreadable: self.unreadable(&scope.dirs),
                    ..reply
                }
            }
        };
        reply.prices_as_of = priced.prices.as_of().to_owned();
        Ok(reply)
    }

    /// Returns the scope if the index is so far behind that totals are better taken from the transcripts themselves, and if
    /// nothing limits them.
    async fn far_behind(
        self: &Arc<Self>,
        scope: &ConversationScope,
    ) -> Result<Option<Scope>, ConversationError> {
        let dirs = self.setup.dirs(&scope.claude_dirs);
        let scope = Scope::of(scope, dirs.clone())?;
        if !scope.has_no_filter() {
            return Ok(None);
        }
        let index = Arc::clone(self);
        let is_done = blocking(move || index.catch_up(&dirs, SOON)).await;
        let is_far = !is_done && self.left.now().bytes_left >= totals::MIN_BYTES;
        Ok(is_far.then_some(scope))
    }

    /// Carries out `conversation.import`. The next answer has what was added.
    ///
    /// # Errors
    ///
    /// `NotAbsolute`, `NoFile`, `Read`, `NotATranscript`.
    pub async fn import(
        &self,
        params: &ConversationImportParams,
    ) -> Result<ConversationImportReply, ConversationError> {
        let path = PathBuf::from(&params.file);
        if !path.is_absolute() {
            return Err(ConversationError::NotAbsolute(path));
        }
        let setup = Arc::clone(&self.setup);
        blocking(move || setup.imports.add(&path)).await
    }

    /// Returns the database, brought up to date for a scope, or else what is left.
    async fn ready(
        self: &Arc<Self>,
        scope: &ConversationScope,
    ) -> Result<(&Database<IndexWrite>, Scope, Option<Indexing>), ConversationError> {
        let wait = scope.wait_ms.map_or(WAIT, Duration::from_millis);
        let dirs = self.setup.dirs(&scope.claude_dirs);
        let scope = Scope::of(scope, dirs.clone())?;
        let index = Arc::clone(self);
        let is_done = blocking(move || index.catch_up(&dirs, wait.min(MAX_WAIT))).await;
        if let Some(failure) = self.state().failure.clone() {
            return Err(ConversationError::Feed(failure));
        }
        let database = self.database().await?;
        Ok((database, scope, (!is_done).then(|| self.left.now())))
    }

    /// Waits until the index has everything that is in these directories now, at most for `most`; returns whether it has.
    /// Blocks.
    fn catch_up(&self, dirs: &[Dir], most: Duration) -> bool {
        let ids: Vec<(&Dir, DirId)> = dirs.iter().map(|dir| (dir, id_of(dir))).collect();
        let prices = self.setup.prices().map_or(0, |priced| priced.number);
        let mut state = self.state();
        let is_followed = ids
            .iter()
            .all(|(dir, id)| state.followed.get(dir) == Some(id));
        let is_known = is_followed && state.prices.is_none_or(|known| known == prices);
        if !is_known {
            state.asked.extend(dirs.iter().cloned());
        }
        drop(state);
        if !is_known {
            self.handle.look();
        }
        self.handle.catch_up(most)
    }

    /// Indexes what there is, if the configuration wants that before somebody asks.
    pub fn begin(&self) {
        self.check_prices();
        self.handle.look();
    }

    fn check_prices(&self) {
        if let Err(error) = self.setup.prices() {
            tracing::error!(%error, "costs cannot be computed");
        }
    }

    /// Puts other settings in force.
    pub fn set_settings(&self, settings: ConversationSettings) {
        if !self.setup.set(settings) {
            return;
        }
        self.check_prices();
        let mut state = self.state();
        state.followed.clear();
        state.is_new = true;
        drop(state);
        self.handle.look();
    }

    /// Stops to bring the index up to date. The follower ends.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        self.handle.end();
    }

    /// Closes the database, after the follower has ended.
    pub async fn close(&self) {
        if let Some(database) = self.database.get() {
            database.clone().close().await;
        }
    }

    /// Returns how many transcripts in these directories could not be read.
    fn unreadable(&self, dirs: &[Dir]) -> Option<UnreadableFiles> {
        let state = self.state();
        let is_in = |file: &str| {
            dirs.iter()
                .any(|dir| Path::new(file).starts_with(&dir.path))
        };
        let mut files = state.unreadable.iter().filter(|(file, _)| is_in(file));
        let (file, error) = files.next()?;
        Some(UnreadableFiles {
            file: file.clone(),
            error: error.clone(),
            count: 1 + files.count() as u64,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the follower does with it.
impl Index {
    pub(super) async fn database(&self) -> Result<&Database<IndexWrite>, StoreError> {
        let open = async {
            let opened = INDEX.open(&self.path, Opening::First).await?;
            Ok::<_, StoreError>(opened.database)
        };
        self.database.get_or_try_init(|| open).await
    }

    /// Returns whether there is a file of the index.
    pub(super) fn exists(&self) -> bool {
        self.database.initialized() || Path::new(&self.path).exists()
    }

    /// Returns the directories that somebody has asked for, and whether the settings are new.
    pub(super) fn take_asked(&self) -> (BTreeSet<Dir>, bool) {
        let mut state = self.state();
        let asked = std::mem::take(&mut state.asked);
        (asked, std::mem::take(&mut state.is_new))
    }

    pub(super) fn has_failed(&self) -> bool {
        self.state().failure.is_some()
    }

    pub(super) fn failed(&self, failure: StoreError) {
        let mut state = self.state();
        state.failure = Some(Arc::new(failure));
        state.followed.clear();
        drop(state);
        self.left.begin(0, 0);
    }

    /// Empties the index if it was made with another table of prices than this; returns whether it did. With 0 for no table
    /// it stays.
    pub(super) async fn made_with(&self, prices: u64) -> Result<bool, StoreError> {
        if self.state().prices == Some(prices) {
            return Ok(false);
        }
        let database = self.database().await?;
        let known = write::prices_of(database).await?;
        let is_other = known != Some(prices);
        match prices {
            _ if !is_other => {}
            0 => database.commit(IndexWrite::Prices(0)).await?,
            prices => database.commit(IndexWrite::Anew(prices)).await?,
        }
        self.state().prices = Some(prices);
        Ok(is_other && prices != 0)
    }

    /// Notes that the index has everything of all directories that were asked for, and of these, whose changes are reported.
    pub(super) fn is_up_to_date(&self, followed: HashMap<Dir, DirId>, fed: Fed) {
        let mut state = self.state();
        state.failure = None;
        // Settings may have become others meanwhile.
        if !state.is_new {
            state.followed = followed;
        }
        drop(state);
        self.has_read(fed);
    }

    /// Notes that a transcript could be read or is gone, or why it could not be read.
    pub(super) fn note_file(&self, path: &str, failure: Option<String>) {
        let unreadable = &mut self.state().unreadable;
        match failure {
            Some(failure) => drop(unreadable.insert(path.to_owned(), failure)),
            None => drop(unreadable.remove(path)),
        }
    }

    /// Notes what was read.
    pub(super) fn has_read(&self, fed: Fed) {
        if fed.failed > 0 {
            // They are tried again whenever somebody asks.
            self.state().followed.clear();
        }
        if fed.files > 0 {
            tracing::debug!(
                files = fed.files,
                bytes = fed.bytes,
                failed = fed.failed,
                "transcripts were indexed"
            );
        }
    }
}
