//! What works on an instruction: Claude Code, or a tape in its place.

use super::playing::PlayingTape;
use ccd_terminal::supervised::{EndPace, Report, Supervised, commands_below};

#[derive(Debug)]
pub(super) enum RunProcess {
    Claude(Supervised),
    Tape(PlayingTape),
}

impl RunProcess {
    /// Waits for the next report; `None` after the last one.
    pub(super) async fn report(&mut self) -> Option<Report> {
        match self {
            Self::Claude(supervised) => supervised.report().await,
            Self::Tape(playing) => playing.report().await,
        }
    }

    /// Asks for its end. A later call can only make it quicker.
    pub(super) fn end(&self, pace: EndPace) {
        match self {
            Self::Claude(supervised) => supervised.end(pace),
            Self::Tape(playing) => playing.end(),
        }
    }

    /// Waits for its end, after its last report. Blocks.
    pub(super) fn reap(self) {
        match self {
            Self::Claude(supervised) => supervised.reap(),
            Self::Tape(_) => {}
        }
    }

    /// Returns a function for the command lines that it is running, which blocks.
    pub(super) fn commands(&self) -> impl FnOnce() -> Vec<String> + Send + 'static {
        let supervisor = match self {
            Self::Claude(supervised) => Some(supervised.supervisor()),
            Self::Tape(_) => None,
        };
        move || supervisor.map(commands_below).unwrap_or_default()
    }
}
