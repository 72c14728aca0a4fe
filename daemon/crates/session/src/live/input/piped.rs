//! Typing into a program over pipes: its terminal belongs to a process of ccd.

use super::write::{InputError, SessionInput, written_part};
use ccd_text::piped_line::PipedLine;
use parking_lot::{Mutex, MutexGuard};
use std::borrow::Cow;
use std::os::fd::OwnedFd;
use std::sync::Arc;

impl SessionInput {
    /// Sets whether the program runs over pipes, so that the terminal is not its own.
    pub(crate) fn over_pipes(mut self, is_piped: bool) -> Self {
        self.piped = is_piped.then(Mutex::default);
        self
    }

    /// Types without giving the terminal more of a line than it keeps; adds to `read` what the program reads.
    pub(super) async fn write_to_pipes(
        &self,
        master: &Arc<OwnedFd>,
        bytes: &[u8],
        read: &mut Vec<u8>,
    ) -> Result<(), InputError> {
        let mut written = 0;
        while written < bytes.len() {
            let rest = &bytes[written..];
            let (room, keys) = {
                let mut line = self.piped_line();
                let room = line.as_ref().map_or(rest.len(), |line| line.room_for(rest));
                match &mut line {
                    Some(line) if room == 0 => (0, line.hand_over()),
                    _ => (room, &rest[..room]),
                }
            };
            let outcome = self.write_all(master, keys).await;
            let before = written;
            if room > 0 {
                let part = &rest[..written_part(&outcome, room)];
                if let Some(mut line) = self.piped_line() {
                    read.extend(line.take(part));
                }
                written += part.len();
            }
            outcome.map_err(|error| error.behind(before))?;
        }
        Ok(())
    }

    /// Returns the keys to type so that the program reads the input `input` of a tape.
    pub fn keys_of<'a>(&self, input: &'a [u8]) -> Cow<'a, [u8]> {
        match self.piped_line() {
            Some(line) => line.keys_of(input).into(),
            None => input.into(),
        }
    }

    /// Returns what to type after `keys` so that a program with pipes reads a line that has not ended.
    pub fn hand_over_after(&self, keys: &[u8]) -> &'static [u8] {
        let line = self.piped_line();
        line.map_or(&[], |line| line.hand_over_after(keys))
    }

    pub(super) fn piped_line(&self) -> Option<MutexGuard<'_, PipedLine>> {
        let line = self.piped.as_ref()?;
        Some(line.lock())
    }
}

impl InputError {
    /// Returns the same error for a part of the input after the first `before` bytes.
    fn behind(mut self, before: usize) -> Self {
        if let Self::Partial(_, written_bytes) = &mut self {
            *written_bytes += before as u64;
        }
        self
    }
}
