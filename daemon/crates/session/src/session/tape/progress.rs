//! How far the tapes of a session are, for those who wait for them.

use super::session_tape::SessionTape;
use ccd_tape::play::{Injection, Player};

impl SessionTape {
    /// True when nothing is printed any more until something is typed; `None` where a program knows better.
    pub fn waits(&self) -> Option<bool> {
        let player = self.answering()?;
        Some(self.ready.is_cancelled() && player.is_waiting())
    }

    /// True when the next input on the tape is this one.
    pub fn expects(&self, input: &[u8]) -> bool {
        self.player
            .as_ref()
            .is_some_and(|player| player.expects(input))
    }

    /// The rest of an input that came as one when it was recorded, and of which some lines were typed.
    pub fn awaited(&self) -> Option<Vec<u8>> {
        self.answering()?.awaited()
    }

    /// True when the program ended because the options asked for an error.
    pub(super) fn has_injected_end(&self) -> bool {
        matches!(self.injection(), Some(Injection::Exit(_)))
    }

    /// True when the options asked for an error in the last answer, which therefore lacks something.
    pub fn has_cut_answer(&self) -> bool {
        matches!(self.injection(), Some(Injection::Truncate(_)))
    }

    fn injection(&self) -> Option<Injection> {
        self.answering()?.injection()
    }

    /// The tapes, until a program has taken over.
    fn answering(&self) -> Option<&Player> {
        let player = self.player.as_ref();
        player.filter(|_| self.live.get().is_none())
    }
}
