//! Reports an input that is on no tape.

use super::options::PlayError;
use super::player::Player;
use super::search::prompts;
use crate::index::{Fits, Index, Lookup, Miss};
use crate::root::CATCH_UP;
use crate::telemetry::telemetry;
use std::sync::Arc;

impl Player {
    /// Waits until changed files are in the index; false if the index is still the one that was asked.
    pub(super) async fn has_other_index(&self, asked: &Arc<Index>) -> bool {
        let root = Arc::clone(&self.options.root);
        let _ = tokio::task::spawn_blocking(move || root.catch_up(CATCH_UP)).await;
        !Arc::ptr_eq(&self.options.root.index(), asked)
    }

    /// Explains why no tape answers the pending input, and forgets that input.
    pub(super) fn miss(&self, fits: &Fits) -> PlayError {
        let mut playing = self.state.lock();
        let prompts = prompts(fits, &playing);
        let last = playing.at.as_ref();
        let misses = prompts.iter().map(|prompt| {
            fits.explain(&Lookup {
                rules: &self.options.rules,
                session: &self.context,
                is_strict: self.options.strict,
                played: Some(&playing.played),
                prompt,
                input: &playing.pending,
                state: playing.state.fingerprint(),
                last: last.map(|(tape, exchange)| (&**tape, *exchange)),
                is_run: false,
                record_with: &self.options.record_with,
            })
        });
        // There is always at least one prompt.
        let differences = |miss: &Miss| {
            let nearest = miss.nearest.as_ref();
            nearest.map_or(usize::MAX, |near| near.differs.len())
        };
        let miss = misses.min_by_key(differences).unwrap_or_default();
        let input = std::mem::take(&mut playing.pending);
        playing.echoed.clear();
        playing.uses.misses += 1;
        playing.uses.last_miss = Some(miss.to_string());
        let input_bytes = input.len();
        telemetry!(self.options.debug, input_bytes, "no tape has it");
        PlayError::Miss {
            miss: Box::new(miss),
            input,
        }
    }
}
