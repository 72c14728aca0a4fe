//! What no tape has.

use super::cue::PlayError;
use super::player::Player;
use super::search::prompts;
use crate::index::{Asked, Fits, Index, Miss};
use std::sync::Arc;
use std::time::Duration;

/// How long a miss waits for files that have just changed.
const CATCH_UP: Duration = Duration::from_secs(2);

/// Input of a miss that is compared with what tapes have.
const MAX_EXPLAINED_BYTES: usize = 64 << 10;

impl Player {
    /// Waits for files that have changed and are not in the index yet; false where it is still the one that was asked.
    pub(super) async fn has_other_index(&self, asked: &Arc<Index>) -> bool {
        let root = Arc::clone(&self.cue.root);
        let _ = tokio::task::spawn_blocking(move || root.catch_up(CATCH_UP)).await;
        !Arc::ptr_eq(&self.cue.root.index(), asked)
    }

    /// Says why nothing answers what is pending, and forgets it.
    pub(super) fn miss(&self, fits: &Fits) -> PlayError {
        let mut playing = self.lock();
        let prompts = prompts(fits, &playing);
        let misses = prompts.iter().map(|prompt| {
            fits.explain(&Asked {
                rules: &self.cue.rules,
                session: &self.context,
                is_strict: self.cue.strict,
                played: Some(&playing.played),
                prompt,
                input: &playing.pending[..playing.pending.len().min(MAX_EXPLAINED_BYTES)],
                state: playing.state.fingerprint(),
                last: playing
                    .at
                    .as_ref()
                    .map(|(tape, exchange)| (tape.as_str(), *exchange)),
                record_with: &self.cue.record_with,
            })
        });
        // There is always one prompt at least.
        let differences = |miss: &Miss| {
            miss.nearest
                .as_ref()
                .map_or(usize::MAX, |near| near.differs.len())
        };
        let miss = misses.min_by_key(differences).unwrap_or_default();
        let input = std::mem::take(&mut playing.pending);
        playing.echoed.clear();
        playing.uses.misses += 1;
        playing.uses.last_miss = Some(miss.to_string());
        let input_bytes = input.len();
        match self.cue.debug {
            true => tracing::info!(target: "tape", input_bytes, "no tape has it"),
            false => tracing::debug!(target: "tape", input_bytes, "no tape has it"),
        }
        PlayError::Miss {
            miss: Box::new(miss),
            input,
        }
    }
}
