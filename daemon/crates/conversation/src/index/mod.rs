//! The index of all transcripts: `conversations.sqlite`.
//!
//! - `extract`: a line into rows and the text that is searched
//! - `scan`: which files there are, and which of them have something new
//! - `feed`: new bytes into batches, on two threads
//! - `write`: a batch into the database, in one transaction with how far its file was read
//! - `scope`, `query`: what a question is about
//! - `search`, `list`, `stats` with `sums`: answers
//! - `totals`: `stats` before the index is there

mod extract;
mod feed;
mod list;
mod query;
mod scan;
mod schema;
mod scope;
mod search;
mod stats;
mod sums;
mod totals;
mod write;

use crate::ConversationError;
use crate::import::Imports;
use crate::price::Prices;
use ccd_protocol::conversation::{
    ConversationImportParams, ConversationImportReply, ConversationListParams,
    ConversationListReply, ConversationScope, ConversationSearchParams, ConversationSearchReply,
    ConversationStatsParams, ConversationStatsReply,
};
use ccd_store::{Database, Opening};
pub(crate) use feed::Fed;
use scan::Known;
pub(crate) use schema::INDEX;
use scope::Scope;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{Mutex, OnceCell};
pub(crate) use write::IndexWrite;

/// The owner of the index. It is opened when somebody asks for the first time.
#[derive(Debug)]
pub struct Index {
    path: PathBuf,
    /// Directories of Claude Code that are looked in unless a request names others.
    claude_dirs: Vec<PathBuf>,
    /// Copies of other files, which are always looked in.
    imports: Arc<Imports>,
    database: OnceCell<Database<IndexWrite>>,
    prices: Arc<Prices>,
    /// What the database says of its files, unless it is out of date. Held while files are read.
    feeding: Mutex<Option<Arc<Known>>>,
}

impl Index {
    /// `path` is that of the database, `imports` the directory of the copies.
    #[must_use]
    pub fn new(path: PathBuf, claude_dirs: Vec<PathBuf>, imports: PathBuf) -> Self {
        Self {
            path,
            claude_dirs,
            imports: Arc::new(Imports::new(imports)),
            database: OnceCell::new(),
            prices: Arc::new(Prices::built_in()),
            feeding: Mutex::default(),
        }
    }

    /// Carries out `conversation.list`.
    ///
    /// # Errors
    ///
    /// `Query`, `Index`.
    pub async fn list(
        &self,
        params: &ConversationListParams,
    ) -> Result<ConversationListReply, ConversationError> {
        let (database, scope) = self.ready(&params.scope).await?;
        Ok(list::list(database, params, &scope).await?)
    }

    /// Carries out `conversation.search`.
    ///
    /// # Errors
    ///
    /// `Query`, `Index`.
    pub async fn search(
        &self,
        params: &ConversationSearchParams,
    ) -> Result<ConversationSearchReply, ConversationError> {
        let (database, scope) = self.ready(&params.scope).await?;
        search::search(database, params, &scope).await
    }

    /// Carries out `conversation.stats`.
    ///
    /// # Errors
    ///
    /// `Query`, `Index`.
    pub async fn stats(
        &self,
        params: &ConversationStatsParams,
    ) -> Result<ConversationStatsReply, ConversationError> {
        let scope = Scope::of(&params.scope, &self.claude_dirs, self.imports.dir())?;
        let database = self.database().await?;
        let mut known = self.feeding.lock().await;
        let plan = feed::pending(database, scope.claude_dirs.clone(), &mut known).await?;
        let mut reply = if plan.new_bytes() >= totals::MIN_BYTES && scope.has_no_filter() {
            drop(known);
            totals::totals(database, &scope, params.by, &self.prices).await?
        } else {
            feed::carry_out(database, plan, &self.prices, &mut known).await?;
            drop(known);
            stats::stats(database, &scope, params.by).await?
        };
        reply.prices_as_of = self.prices.as_of().to_owned();
        Ok(reply)
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
        let imports = Arc::clone(&self.imports);
        ccd_store::blocking(move || imports.add(&path)).await
    }

    /// Returns the database, brought up to date for a scope.
    async fn ready(
        &self,
        scope: &ConversationScope,
    ) -> Result<(&Database<IndexWrite>, Scope), ConversationError> {
        let scope = Scope::of(scope, &self.claude_dirs, self.imports.dir())?;
        let database = self.database().await?;
        self.feed(database, &scope).await?;
        Ok((database, scope))
    }

    async fn database(&self) -> Result<&Database<IndexWrite>, ConversationError> {
        let open = async {
            let opened = INDEX.open(&self.path, Opening::First).await?;
            Ok(opened.database)
        };
        self.database.get_or_try_init(|| open).await
    }

    async fn feed(
        &self,
        database: &Database<IndexWrite>,
        scope: &Scope,
    ) -> Result<Fed, ConversationError> {
        let mut known = self.feeding.lock().await;
        let fed = feed::bring_up_to_date(
            database,
            scope.claude_dirs.clone(),
            &self.prices,
            &mut known,
        )
        .await?;
        if fed.files > 0 {
            tracing::debug!(
                files = fed.files,
                bytes = fed.bytes,
                failed = fed.failed,
                "transcripts were indexed"
            );
        }
        Ok(fed)
    }

    /// Closes the database.
    pub async fn close(&self) {
        if let Some(database) = self.database.get() {
            database.clone().close().await;
        }
    }
}
