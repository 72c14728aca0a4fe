//! The end of a session's input, which lasts as it does on a pipe.
//!
//! A terminal tells of the end once, to whoever reads next, and one that is typed before a line editor is ready is
//! lost. So its key is typed again whenever the program is found waiting for input, until it has ended.

use super::input::InputError;
use super::live::Session;
use super::registry::Sessions;
use crate::probe::Line;
use rustix::termios::{SpecialCodeIndex, tcgetattr};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// `^D`, where the terminal does not name another key.
const END_KEY: u8 = 0x04;

const ENTER: u8 = b'\r';

/// Time before the first look at the program. It doubles from look to look, so a program that reads late is found
/// within twice the time that it took, and one that never reads costs a look a second.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// What is typed before the end of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastLine {
    /// A line ended last, or nothing was typed at all.
    Whole,
    /// A line was begun. The terminal has it still.
    Begun,
    /// A line was begun, and what there is of it was handed to the program.
    HandedOver,
}

impl LastLine {
    /// Tells it from the last key that was typed.
    pub(super) fn after(typed: &[u8]) -> Self {
        match typed.last() {
            None | Some(b'\n' | b'\r') => Self::Whole,
            Some(&END_KEY) => Self::HandedOver,
            Some(_) => Self::Begun,
        }
    }
}

impl Sessions {
    /// Ends the session's input for good, after `last_line`; a second time changes nothing.
    ///
    /// A program that reads lines finds the end at once, behind what was typed. Any other is told as soon as it waits.
    pub(super) fn end_input(self: &Arc<Self>, session: &Arc<Session>, last_line: LastLine) {
        if session.input_ended.swap(true, Ordering::AcqRel) {
            return;
        }
        let (sessions, session) = (Arc::clone(self), Arc::clone(session));
        self.tracker.spawn(async move {
            tokio::select! {
                () = session.forgotten.cancelled() => {}
                () = sessions.stop.cancelled() => {}
                _ = sessions.keep_ended(&session, last_line) => {}
            }
        });
    }

    /// Types the end until the session has ended.
    async fn keep_ended(&self, session: &Session, last_line: LastLine) -> Result<(), InputError> {
        if reads_lines(session) {
            let end = end_key(session);
            let keys: &[u8] = match last_line {
                LastLine::Begun => &[end, end],
                LastLine::Whole | LastLine::HandedOver => &[end],
            };
            type_keys(session, keys).await?;
        }
        let mut is_half_typed = last_line != LastLine::Whole;
        let mut pause = FIRST_PAUSE;
        let mut typed_count = 0;
        while session.is_alive() {
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
            let Some(met) = self.look(session, false, session.idle(), false).await else {
                continue;
            };
            // A line editor takes the end on an empty line only; what reads a pipe acts on a last line without its end.
            if is_half_typed && !reads_lines(session) {
                type_keys(session, &[ENTER]).await?;
                is_half_typed = false;
                continue;
            }
            // Who was seen waiting for lines has read all there were; who was only guessed may not be there yet.
            is_half_typed &= met.is_guess();
            type_keys(session, &[end_key(session)]).await?;
            typed_count += 1;
            pause = (FIRST_PAUSE * typed_count).min(LONGEST_PAUSE);
        }
        Ok(())
    }
}

/// Types without counting as activity: nobody uses the session.
async fn type_keys(session: &Session, keys: &[u8]) -> Result<(), InputError> {
    session.note_write();
    match session.input.write(keys, || 0).await {
        // It is tried again when the program reads.
        Err(InputError::Full { .. } | InputError::Busy) => Ok(()),
        result => result.map(drop),
    }
}

fn reads_lines(session: &Session) -> bool {
    session
        .input
        .master()
        .is_some_and(|master| Line::of(master.as_fd()).canonical)
}

/// The key that ends input on this terminal.
fn end_key(session: &Session) -> u8 {
    let modes = session
        .input
        .master()
        .and_then(|master: Arc<OwnedFd>| tcgetattr(&*master).ok());
    let key = modes.map_or(0, |modes| modes.special_codes[SpecialCodeIndex::VEOF]);
    if key == 0 { END_KEY } else { key }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_key_tells_whether_a_line_is_unfinished() {
        for (typed, last_line) in [
            (&b""[..], LastLine::Whole),
            (b"a\n", LastLine::Whole),
            (b"a\r", LastLine::Whole),
            (b"a", LastLine::Begun),
            (b"a\x04", LastLine::HandedOver),
        ] {
            assert_eq!(LastLine::after(typed), last_line, "{typed:?}");
        }
    }
}
