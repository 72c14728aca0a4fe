//! Decides whether an ended session was a success by its program configuration.

use crate::live::session::Session;
use crate::output::{PIECE_BYTES, Piece};
use ccd_text::expect::{Matcher, Pattern};
use std::sync::Arc;

/// Bytes at the end of the output that are searched.
const LOOKED_AT_BYTES: u64 = 16 << 20;

impl Session {
    /// Marks an ended session as not successful because its start has failed.
    pub(crate) async fn deny_success(&self) {
        let was_success = self.state().success.replace(false) == Some(true);
        if was_success
            && self.facts.is_logged()
            && let Err(error) = self.save().await
        {
            tracing::error!(session = %self.id(), %error, "the database records it as a success");
        }
    }

    /// Returns whether the session was a success; `None` without a configuration.
    /// It was a success if its start did not fail, its exit status is 0, and one of the indicators occurs in the last
    /// [`LOOKED_AT_BYTES`] of its output, or there are no indicators.
    pub(super) async fn judge(&self) -> Option<bool> {
        let origin = self.facts.origin.as_ref()?;
        let exit = self.output.exit();
        if exit.and_then(|exit| exit.code) != Some(0) || self.start_up.has_failed() {
            return Some(false);
        }
        if origin.success.is_empty() {
            return Some(true);
        }
        let list = origin.success.iter().cloned().map(Pattern::Regex).collect();
        // Cannot fail on a bad pattern: all were compiled when the session was created.
        let patterns = self.services.compiled(list, false).await.ok()?;
        let search = |from| Matcher::new(Arc::clone(&patterns), from, self.facts.encoding);
        let mut matcher = search(self.output.end().saturating_sub(LOOKED_AT_BYTES));
        loop {
            match self.output.read(matcher.position(), PIECE_BYTES).await {
                Ok(Piece::Bytes(bytes)) => {
                    if matcher.feed(&bytes).is_some() {
                        return Some(true);
                    }
                    tokio::task::yield_now().await;
                }
                Ok(Piece::Missing { resume }) => matcher = search(resume),
                Ok(Piece::Pending | Piece::End) => return Some(matcher.pause().is_some()),
                Err(error) => {
                    tracing::warn!(session = %self.id(), %error, "could not find out whether it succeeded");
                    return None;
                }
            }
        }
    }
}
