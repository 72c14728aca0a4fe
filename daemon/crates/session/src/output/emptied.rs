//! The ring of a session was emptied by another program: what only it had is lost, the session continues.

use super::readable::Inner;
use ccd_terminal::holder::{self, Gap, Ring};

/// What the ring has for the next process and nothing else here knows.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) log_base: u64,
    pub(super) answered: u64,
    pub(super) note: Vec<u8>,
}

impl Kept {
    pub(super) fn of(ring: &Ring) -> Self {
        Self {
            log_base: ring.log_base(),
            answered: ring.answered(),
            note: ring.note(),
        }
    }
}

/// Whether the ring was emptied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Emptied {
    #[default]
    No,
    /// The holder has yet to notice: it must read the terminal.
    Unnoticed,
    /// The ring is in use again; what only it had is a gap.
    Restored,
}

impl Inner {
    /// Continues with a ring that was emptied.
    pub(super) fn heed_emptied(&mut self) -> Emptied {
        let Some(ring) = self.ring.as_mut().filter(|ring| !ring.is_whole()) else {
            return Emptied::No;
        };
        if let Some(loan) = &mut self.loan {
            loan.mend();
        }
        let Some(begin) = ring.begins_again_at() else {
            return Emptied::Unnoticed;
        };
        if begin > self.history.end() {
            self.skip_to(begin);
        }
        let lines = self.lines - self.history.newlines_from(self.logged);
        if let Some(ring) = &mut self.ring {
            ring.restore(&holder::Kept {
                log_base: self.kept.log_base,
                output_lines: lines,
                cursor: self.cursor,
                answered: self.kept.answered,
                note: &self.kept.note,
                gaps: &self.gaps,
            });
        }
        Emptied::Restored
    }

    /// Gives up the output before `offset`. Memory has no gaps, so this includes what it has and no log has yet.
    pub(super) fn skip_to(&mut self, offset: u64) {
        self.history.restart(offset);
        self.give_up(Gap {
            offset: self.logged,
            len: offset - self.logged,
        });
    }
}
