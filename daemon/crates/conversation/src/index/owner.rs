//! The owner of the index.

use super::feed::Fed;
use super::gate::Gate;
use super::scope::Scope;
use super::stats::unreadable;
use super::{IndexDatabase, IndexWrite, list, search, stats, totals, write};
use crate::ConversationError;
use crate::error::Result;
use crate::setup::{ConversationSettings, Setup};
use crate::source::{Dir, DirId, find_session};
use ccd_protocol::conversation::{
    ConversationImportParams, ConversationImportReply, ConversationListParams,
    ConversationListReply, ConversationScope, ConversationSearchParams, ConversationSearchReply,
    ConversationStatsParams, ConversationStatsReply, Indexing, UnreadableFiles,
};
use ccd_store::{StoreError, blocking};
use ccd_watch::Handle;
use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Mutex as AsyncMutex;

/// How long a request waits for the index, unless it says otherwise, and at most.
const WAIT: Duration = Duration::from_secs(2);
const MAX_WAIT: Duration = Duration::from_secs(3600);

/// How often a query is repeated because the index turned out to be damaged, or was deleted meanwhile.
const MAX_REPAIRS: usize = 3;

/// How long totals wait for the index before they are taken from the transcripts.
const SOON: Duration = Duration::from_millis(100);

/// What is not in the index yet, and what cannot be read.
type LeftOut = (Option<Indexing>, Option<UnreadableFiles>);

/// The owner of the index. The [`Follower`](super::Follower) brings it up to date; those who ask wait for that.
#[derive(Debug)]
pub struct Index {
    pub(super) path: PathBuf,
    pub(super) setup: Arc<Setup>,
    /// Opened when there is something to index, or somebody asks.
    pub(super) database: AsyncMutex<Option<IndexDatabase>>,
    state: Mutex<IndexState>,
    /// What is left to index, for those who do not wait for it.
    pub(super) left: Mutex<Indexing>,
    pub(super) gate: Arc<Gate>,
    handle: Handle,
    pub(super) is_stopping: AtomicBool,
    /// The words of files that are gone are to leave the database.
    pub(super) is_erasing: AtomicBool,
}

#[derive(Debug, Default)]
struct IndexState {
    /// Directories that somebody has asked for since the follower has last looked through all.
    asked: BTreeSet<Dir>,
    /// Directories that are in the index, and whose changes are reported.
    followed: HashMap<Dir, DirId>,
    /// The settings have changed, or the database is another one, since the follower has last looked through all directories.
    is_new: bool,
    /// The user has deleted the index: nothing is indexed until somebody asks.
    is_forgotten: bool,
    /// Number of the table of prices that the index was made with.
    prices: Option<u64>,
    /// Why the index is not up to date.
    failure: Option<Arc<StoreError>>,
    /// Transcripts that could not be read the last time, and why.
    unreadable: BTreeMap<String, String>,
}

impl Index {
    pub(super) fn new(path: PathBuf, setup: Arc<Setup>, handle: Handle) -> Self {
        Self {
            path,
            setup,
            database: AsyncMutex::default(),
            state: Mutex::default(),
            left: Mutex::default(),
            gate: Arc::default(),
            handle,
            is_stopping: AtomicBool::new(false),
            is_erasing: AtomicBool::new(false),
        }
    }

    pub async fn list(
        self: &Arc<Self>,
        params: &ConversationListParams,
    ) -> Result<ConversationListReply> {
        let setup = Arc::clone(&self.setup);
        blocking(move || setup.prices()).await?;
        let scope = &self.scope(&params.scope)?;
        let list = |database| async move { list::list(&database, params, scope).await };
        let (mut reply, left_out) = self.answer(scope, list).await?;
        (reply.indexing, reply.unreadable) = left_out;
        Ok(reply)
    }

    pub async fn search(
        self: &Arc<Self>,
        params: &ConversationSearchParams,
    ) -> Result<ConversationSearchReply> {
        let scope = &self.scope(&params.scope)?;
        let params = &self.with_whole_id(params).await?;
        let search = |database| async move { search::search(&database, params, scope).await };
        let (mut reply, left_out) = self.answer(scope, search).await?;
        (reply.indexing, reply.unreadable) = left_out;
        Ok(reply)
    }

    async fn with_whole_id(
        &self,
        params: &ConversationSearchParams,
    ) -> Result<ConversationSearchParams> {
        let mut params = params.clone();
        if let Some(start) = params.session.take() {
            let dirs = self.setup.dirs_of_ids(&params.scope.claude_dirs);
            let path = blocking(move || find_session(&start, &dirs)).await?;
            let id = path.file_stem().unwrap_or_default();
            params.session = Some(id.to_string_lossy().into_owned());
        }
        Ok(params)
    }

    pub async fn stats(
        self: &Arc<Self>,
        params: &ConversationStatsParams,
    ) -> Result<ConversationStatsReply> {
        let setup = Arc::clone(&self.setup);
        let priced = blocking(move || setup.prices()).await?;
        let scope = self.scope(&params.scope)?;
        let prices = &priced.prices;
        let prices_as_of = prices.as_of().to_owned();
        let scope = &scope;
        if self.is_far_behind(scope).await {
            let totals = async {
                let database = self.database().await?;
                let _closed = self.gate.close();
                let dirs = scope.dirs.clone();
                let reply = totals::totals(&database, &self.setup, dirs, params.by, prices);
                Ok::<_, ConversationError>(reply.await?)
            };
            match totals.await {
                // The user has deleted the index meanwhile.
                Err(ConversationError::Index(error)) if error.is_closed() => {}
                reply => {
                    let mut reply = reply?;
                    reply.prices_as_of = prices_as_of;
                    return Ok(reply);
                }
            }
        }
        let stats = |database| async move { stats::stats(&database, scope, params.by).await };
        let (mut reply, left_out) = self.answer(scope, stats).await?;
        (reply.indexing, reply.unreadable) = left_out;
        reply.prices_as_of = prices_as_of;
        Ok(reply)
    }

    /// Asks the database, brought up to date for a scope; also returns what the answer does not have. A database that turns out
    /// to be damaged, or that the user deletes meanwhile, is built again.
    async fn answer<T, F>(
        self: &Arc<Self>,
        scope: &Scope,
        ask: impl Fn(IndexDatabase) -> F,
    ) -> Result<(T, LeftOut)>
    where
        F: Future<Output = Result<T>>,
    {
        let mut repairs = MAX_REPAIRS;
        loop {
            let (failed, error) = match self.ready(scope).await {
                Ok((database, indexing)) => match ask(database.clone()).await {
                    Ok(reply) => return Ok((reply, (indexing, self.unreadable(&scope.dirs)))),
                    Err(error) => (Some(database), error),
                },
                Err(error) => (None, error),
            };
            if repairs == 0 || !self.is_repaired(failed.as_ref(), &error).await {
                return Err(error);
            }
            repairs -= 1;
        }
    }

    /// Returns whether the index is so far behind that totals are better taken from the transcripts themselves, and nothing
    /// limits them.
    async fn is_far_behind(self: &Arc<Self>, scope: &Scope) -> bool {
        scope.has_no_filter()
            && !self.catch_up(scope, SOON).await
            && self.left.lock().bytes_left >= totals::MIN_BYTES
    }

    /// Carries out `conversation.import`. The next answer has what was added.
    pub async fn import(
        &self,
        params: &ConversationImportParams,
    ) -> Result<ConversationImportReply> {
        let path = PathBuf::from(&params.file);
        if !path.is_absolute() {
            return Err(ConversationError::NotAbsolute(path));
        }
        let setup = Arc::clone(&self.setup);
        blocking(move || setup.imports.add(&path)).await
    }

    fn scope(&self, scope: &ConversationScope) -> Result<Scope> {
        Scope::parse(scope, self.setup.dirs(&scope.claude_dirs))
    }

    /// Returns the database, brought up to date for a scope, or else also what is left.
    async fn ready(self: &Arc<Self>, scope: &Scope) -> Result<(IndexDatabase, Option<Indexing>)> {
        let wait = scope.wait_ms.map_or(WAIT, Duration::from_millis);
        let is_done = self.catch_up(scope, wait.min(MAX_WAIT)).await;
        if let Some(failure) = self.state().failure.clone() {
            return Err(ConversationError::Feed(failure));
        }
        let database = self.database().await?;
        Ok((database, (!is_done).then(|| *self.left.lock())))
    }

    /// Waits until the index has everything that is in the directories of a scope now, at most for `most`; returns whether it
    /// has.
    async fn catch_up(self: &Arc<Self>, scope: &Scope, most: Duration) -> bool {
        self.leave_if_gone().await;
        let (index, dirs) = (Arc::clone(self), scope.dirs.clone());
        blocking(move || index.wait_for(&dirs, most)).await
    }

    /// As [`Self::catch_up`]. Blocks.
    fn wait_for(&self, dirs: &[Dir], most: Duration) -> bool {
        let ids: Vec<(&Dir, DirId)> = dirs.iter().map(|dir| (dir, dir.id())).collect();
        let prices = self.setup.prices().map_or(0, |priced| priced.number);
        let mut state = self.state();
        let is_followed = ids
            .iter()
            .all(|(dir, id)| state.followed.get(dir) == Some(id));
        let is_known = is_followed && state.prices.is_none_or(|known| known == prices);
        if !is_known {
            state.asked.extend(dirs.iter().cloned());
            state.is_forgotten = false;
        }
        drop(state);
        if !is_known {
            self.handle.look();
        }
        self.handle.catch_up(most)
    }

    /// Indexes what there is, if somebody has ever asked for it, or for an archive, and the configuration wants that before
    /// the next question.
    pub fn begin(&self) {
        if self.is_wanted() {
            self.check_prices();
            self.handle.look();
        }
    }

    fn is_wanted(&self) -> bool {
        self.path.exists() || self.setup.settings().archive
    }

    fn check_prices(&self) {
        if let Err(error) = self.setup.prices() {
            tracing::error!(%error, "costs cannot be computed");
        }
    }

    /// Returns the directories of Claude Code: the user's, and those of the configuration.
    pub fn claude_dirs(&self) -> Vec<PathBuf> {
        let mut dirs = vec![self.setup.claude_dir().to_owned()];
        dirs.extend(self.setup.settings().roots);
        dirs
    }

    pub fn set_settings(&self, settings: ConversationSettings) {
        if !self.setup.set(settings) {
            return;
        }
        self.check_prices();
        let mut state = self.state();
        state.followed.clear();
        state.is_new = true;
        drop(state);
        if self.is_wanted() {
            self.handle.look();
        }
    }

    /// Stops to bring the index up to date. The follower ends.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        self.handle.end();
    }

    /// Closes the database, after the follower has ended.
    pub async fn close(&self) {
        if let Some(database) = self.database.lock().await.take() {
            database.close().await;
        }
    }

    /// Returns how many transcripts in these directories could not be read.
    fn unreadable(&self, dirs: &[Dir]) -> Option<UnreadableFiles> {
        let state = self.state();
        let is_in = |file: &str| {
            dirs.iter()
                .any(|dir| Path::new(file).starts_with(&dir.path))
        };
        let files = state.unreadable.iter().filter(|(file, _)| is_in(file));
        unreadable(files.map(|(file, error)| (file.clone(), error)))
    }

    fn state(&self) -> MutexGuard<'_, IndexState> {
        self.state.lock()
    }
}

/// What the follower does with it.
impl Index {
    /// Returns the directories that somebody has asked for, and whether the settings are new.
    pub(super) fn take_asked(&self) -> (BTreeSet<Dir>, bool) {
        let mut state = self.state();
        let asked = std::mem::take(&mut state.asked);
        (asked, std::mem::take(&mut state.is_new))
    }

    /// Forgets what the database has, because there is another one.
    pub(super) fn is_another(&self) {
        let mut state = self.state();
        state.followed.clear();
        state.is_new = true;
        state.prices = None;
        drop(state);
        self.handle.look();
    }

    /// Forgets the same, until somebody asks.
    pub(super) fn leave_until_asked(&self) {
        self.state().is_forgotten = true;
        self.is_another();
    }

    /// Has the words of files that are gone removed, and waits for that as long as for an answer.
    pub(super) async fn erase(self: &Arc<Self>) {
        self.is_erasing.store(true, Ordering::Relaxed);
        self.handle.look();
        let index = Arc::clone(self);
        blocking(move || index.handle.catch_up(WAIT)).await;
    }

    pub(super) fn is_forgotten(&self) -> bool {
        self.state().is_forgotten && !self.setup.settings().archive
    }

    pub(super) fn has_failed(&self) -> bool {
        self.state().failure.is_some()
    }

    pub(super) fn failed(&self, failure: StoreError) {
        let mut state = self.state();
        state.failure = Some(Arc::new(failure));
        state.followed.clear();
        drop(state);
        *self.left.lock() = Indexing::default();
    }

    /// Empties the index if it was made with another table of prices than this; returns whether it did. With 0 for no table
    /// it stays.
    pub(super) async fn made_with(
        &self,
        database: &IndexDatabase,
        prices: u64,
    ) -> Result<bool, StoreError> {
        if self.state().prices == Some(prices) {
            return Ok(false);
        }
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
