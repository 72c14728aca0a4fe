//! The real program that has taken over from the tapes of a session.

use crate::live::run::OneShot;
use crate::live::session::Session;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The real program, in its own session that no client uses.
pub(super) struct ProxiedProgram {
    pub(super) shot: OneShot,
    pub(super) gone: CancellationToken,
    pub(super) kept: KeptLive,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct KeptLive {
    pub(super) session: String,
    /// First offset of its output that is shown.
    pub(super) inner_start: u64,
    /// The offset of that output in the session that shows it.
    pub(super) outer_start: u64,
}

/// The state that an earlier process left, which is still to be shown.
#[derive(Clone)]
pub(super) struct LeftState {
    pub(super) live: Option<KeptLive>,
}

impl ProxiedProgram {
    pub(super) fn session(&self) -> &Arc<Session> {
        &self.shot.session
    }

    /// Ends the program, because no session shows it any more.
    pub(super) fn end(&self) {
        self.gone.cancel();
    }
}

impl Drop for ProxiedProgram {
    fn drop(&mut self) {
        // A program that was started here ends with the session that shows it.
        if !self.session().services.leaving.is_cancelled() {
            self.end();
        }
    }
}
