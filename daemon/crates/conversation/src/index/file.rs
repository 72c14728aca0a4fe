//! The file of the index. It may be deleted at any time, and may turn out to be damaged: then there is a new one.

use super::{INDEX, Index, IndexDatabase};
use crate::ConversationError;
use ccd_store::{Opening, StoreError, blocking};
use std::sync::atomic::Ordering;

impl Index {
    /// Returns the database, which is opened or created if it is not open.
    pub(super) async fn database(&self) -> Result<IndexDatabase, StoreError> {
        let mut open = self.database.lock().await;
        if let Some(database) = &*open {
            return Ok(database.clone());
        }
        if self.is_forgotten() {
            // What was under way when the user deleted the index does not make another one.
            let path = self.path.clone();
            return Err(StoreError::Closed { path });
        }
        let mut opened = INDEX.open(&self.path, Opening::First).await;
        if let Err(error) = &opened
            && error.is_of_another_build()
        {
            tracing::info!(%error, "the index of conversations is built again");
            let path = self.path.clone();
            if let Err(error) = blocking(move || ccd_store::delete(&path)).await {
                tracing::error!(%error, path = %self.path.display(), "the index cannot be deleted");
            }
            opened = INDEX.open(&self.path, Opening::First).await;
        }
        let opened = opened?;
        Ok(open.insert(opened.database).clone())
    }

    /// Returns whether there is an index: only if somebody has asked for conversations.
    pub async fn exists(&self) -> bool {
        self.database.lock().await.is_some() || self.path.exists()
    }

    /// Closes the database if somebody has deleted or replaced its file.
    pub(super) async fn leave_if_gone(&self) {
        let mut open = self.database.lock().await;
        let Some(database) = open.clone() else {
            return;
        };
        if blocking(move || database.is_in_place()).await {
            return;
        }
        if let Some(gone) = open.take() {
            tracing::info!(path = %self.path.display(), "the index of conversations was deleted; it is built again");
            self.is_another();
            gone.close().await;
        }
    }

    /// As [`Self::replace`], for a question.
    pub(super) async fn is_repaired(
        &self,
        failed: Option<&IndexDatabase>,
        error: &ConversationError,
    ) -> bool {
        match error {
            ConversationError::Index(error) => self.replace(failed, error).await,
            ConversationError::Feed(error) => {
                error.is_closed() && self.replace(failed, error).await
            }
            _ => false,
        }
    }

    /// Deletes `failed` if an error says that its file is damaged. Returns whether the operation can be repeated with another
    /// database.
    pub(super) async fn replace(&self, failed: Option<&IndexDatabase>, error: &StoreError) -> bool {
        if self.is_stopping.load(Ordering::Relaxed) || !(error.is_corrupt() || error.is_closed()) {
            return false;
        }
        let mut open = self.database.lock().await;
        let is_open = |failed| open.as_ref().is_some_and(|open| open.is(failed));
        // Others may have noticed it too.
        if failed.is_some_and(is_open)
            && let Some(damaged) = open.take()
        {
            tracing::error!(%error, path = %self.path.display(), "the index of conversations is damaged; it is built again");
            self.is_another();
            if let Err(error) = damaged.delete().await {
                tracing::error!(%error, path = %self.path.display(), "the damaged index cannot be deleted");
            }
        }
        true
    }
}
