//! The end of a session's input. It is permanent, as on a pipe.
//! A terminal reports the end once, to the next reader, and an end that is typed before a line editor is ready is lost.
//! So the key is typed again whenever the program waits for input, until it exits or something else is typed. A program
//! that reads keys sees only an ordinary key: it gets at most [`MAX_KEYS`] of them.

use super::write::{InputError, Stopped, TerminalInput};
use crate::live::error::SessionError;
use crate::live::session::Session;
use rustix::termios::{SpecialCodeIndex, tcgetattr};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// `^D`, used if the terminal does not define another key.
const END_KEY: u8 = 0x04;

const ENTER: u8 = b'\r';

/// How often the end is typed to a program that reads keys: a line editor may not be ready for the first.
const MAX_KEYS: u32 = 3;

/// Time before the first check of the program. It doubles each time, so a program that reads late is found within twice
/// the time that it took, and one that never reads costs one check per second.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// State of the line that was typed before the end of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastLine {
    /// The last line was ended, or nothing was typed.
    Whole,
    /// A line was begun, and is still in the terminal's buffer.
    Begun,
    /// A line was begun, and its first part was handed to the program.
    HandedOver,
}

impl LastLine {
    pub fn after(typed: &[u8]) -> Self {
        match typed.last() {
            None | Some(b'\n' | b'\r') => Self::Whole,
            Some(&END_KEY) => Self::HandedOver,
            Some(_) => Self::Begun,
        }
    }

    /// Returns how often the end is typed after it: the first one hands a begun line over.
    fn end_count(self) -> usize {
        match self {
            Self::Begun => 2,
            Self::Whole | Self::HandedOver => 1,
        }
    }
}

impl Session {
    /// Ends the session's input, after `last_line`, until [`Self::reopen_input`]; a second call changes nothing.
    /// A program that reads lines finds the end at once, after what was typed. Any other program gets it as soon as it
    /// waits for input.
    pub fn end_input(self: &Arc<Self>, last_line: LastLine) {
        let reopened = CancellationToken::new();
        {
            let mut end = self.input_end.lock();
            if end.is_some() {
                return;
            }
            *end = Some(reopened.clone());
        }
        self.keep();
        let session = Arc::clone(self);
        self.services.tracker.spawn(async move {
            tokio::select! {
                () = session.forgotten.cancelled() => {}
                () = session.services.stop.cancelled() => {}
                () = reopened.cancelled() => {}
                _ = session.keep_ended(last_line) => {}
            }
        });
    }

    /// Ends the input where a tape replays: types the end as often as it was typed during the recording.
    pub(super) async fn end_played_input(
        self: &Arc<Self>,
        last_line: LastLine,
    ) -> Result<(), SessionError> {
        let keys = &[END_KEY; 2][..last_line.end_count()];
        self.type_input(TerminalInput::new(keys, false)).await?;
        self.keep();
        let session = Arc::clone(self);
        self.services.tracker.spawn(async move {
            while session.is_alive() && session.is_played() {
                let tape = session.tape();
                let Some(tape) = tape.filter(|tape| tape.expects(&[END_KEY])) else {
                    return;
                };
                if tape.waits() == Some(true) && type_keys(&session, &[END_KEY]).await.is_err() {
                    return;
                }
                session.keep();
                tokio::time::sleep(FIRST_PAUSE).await;
            }
        });
        Ok(())
    }

    pub(super) fn reopen_input(&self) {
        let end = self.input_end.lock().take();
        if let Some(end) = end {
            end.cancel();
            self.keep();
        }
    }

    /// True from the end of the input until there is input again.
    pub(crate) fn input_has_ended(&self) -> bool {
        self.input_end.lock().is_some()
    }

    /// Returns whether the program reads lines that its terminal edits, not keys.
    pub fn reads_lines(&self) -> bool {
        self.input.line().is_some_and(|line| line.canonical)
    }

    /// Types the end repeatedly until the session has ended.
    async fn keep_ended(&self, last_line: LastLine) -> Result<(), InputError> {
        if self.reads_lines()
            && let Some(end) = end_key(self)
        {
            type_keys(self, &[end; 2][..last_line.end_count()]).await?;
        }
        let mut is_half_typed = last_line != LastLine::Whole;
        let mut pause = FIRST_PAUSE;
        let mut typed_count = 0;
        // The process that reads keys, and how many ends were typed to it.
        let mut keys_typed = (None, 0);
        while self.is_alive() {
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
            let Some(met) = self.look(false, self.idle(), false).await else {
                continue;
            };
            // A line editor accepts the end only on an empty line; a program that reads a pipe processes a last line
            // without its end.
            if is_half_typed && !self.reads_lines() {
                type_keys(self, &[ENTER]).await?;
                is_half_typed = false;
                continue;
            }
            let end = end_key(self);
            if self.reads_lines() {
                if end.is_none() {
                    continue; // the terminal has no key for the end
                }
            } else {
                let reader = self.looks.lock().reader.map(|reader| reader.pid);
                if keys_typed.0 != reader {
                    keys_typed = (reader, 0);
                }
                if keys_typed.1 == MAX_KEYS {
                    continue;
                }
                keys_typed.1 += 1;
            }
            // A program seen waiting for lines has read all of them; if waiting is only a guess, it may not have.
            is_half_typed &= met.is_guess();
            type_keys(self, &[end.unwrap_or(END_KEY)]).await?;
            typed_count += 1;
            pause = (FIRST_PAUSE * typed_count).min(LONGEST_PAUSE);
        }
        Ok(())
    }
}

/// Types without counting as activity, because no client does it.
async fn type_keys(session: &Session, keys: &[u8]) -> Result<(), InputError> {
    session.note_write(keys);
    match session.write(keys, false).await {
        // Typing is tried again when the program reads.
        Err(InputError::Busy | InputError::Partial(Stopped::Full, _)) => Ok(()),
        result => result.map(drop),
    }
}

/// Returns the key that ends input on this terminal; `None` if a program has disabled it.
fn end_key(session: &Session) -> Option<u8> {
    let master: Arc<OwnedFd> = session.input.master()?;
    let key = tcgetattr(&*master).ok()?.special_codes[SpecialCodeIndex::VEOF];
    (key != 0).then_some(key)
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
