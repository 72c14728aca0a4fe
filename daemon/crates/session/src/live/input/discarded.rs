//! Detects input that was discarded before the program read it, as `getpass` does with input that arrives too early.
//! Linux reports both halves: the holder counts how often a terminal's input was flushed, and inotify reports every
//! read. Input counts as discarded only if it was flushed after the write with no read in between. In every other case
//! nothing is reported.

use crate::live::session::Session;
use parking_lot::Mutex;
use rustix::termios::{SpecialCodeIndex, tcgetattr};
use std::os::fd::OwnedFd;
use std::sync::{Arc, OnceLock};

#[cfg_attr(portable, path = "discarded/no_reads.rs")]
mod reads;

pub(crate) use reads::Reads;
use reads::{ReadWatch, unread_bytes};

/// Special keys, which terminals handle themselves, whatever characters a program has assigned to them: they discard
/// input, erase typed characters or stop the output, and are not read.
const KEYS: [SpecialCodeIndex; 11] = [
    SpecialCodeIndex::VINTR,
    SpecialCodeIndex::VQUIT,
    SpecialCodeIndex::VSUSP,
    SpecialCodeIndex::VEOF,
    SpecialCodeIndex::VSTART,
    SpecialCodeIndex::VSTOP,
    SpecialCodeIndex::VERASE,
    SpecialCodeIndex::VWERASE,
    SpecialCodeIndex::VKILL,
    SpecialCodeIndex::VREPRINT,
    SpecialCodeIndex::VLNEXT,
];

const ESCAPE: u8 = 0x1b;
const DELETE: u8 = 0x7f;

/// The sends of a session that ask what happens to their input.
#[derive(Debug, Default)]
pub(crate) struct WatchedInputs {
    /// Made on first use; `None` if watching is not possible.
    watch: OnceLock<Option<ReadWatch>>,
    waiting: Mutex<Vec<Arc<WatchedInput>>>,
}

#[derive(Debug)]
struct WatchedInput {
    /// Number of reads before the write.
    reads: u64,
    found: Mutex<InputFate>,
}

#[derive(Debug, Clone, Copy)]
enum InputFate {
    /// Nothing was flushed after this number of flushes.
    Nothing {
        flushes: u32,
    },
    Discarded,
    Read,
}

/// Asks what happens to an input, as long as this value lives.
#[derive(Debug)]
pub(super) struct InputWatch<'a> {
    session: &'a Session,
    input: Arc<WatchedInput>,
}

impl Drop for InputWatch<'_> {
    fn drop(&mut self) {
        let input = &self.input;
        self.session
            .watched_inputs
            .waiting
            .lock()
            .retain(|other| !Arc::ptr_eq(other, input));
    }
}

impl InputWatch<'_> {
    /// Returns true if the input `bytes` is known to have been discarded unread.
    pub(super) fn was_discarded(&self, bytes: &[u8]) -> bool {
        self.session.note_flushes();
        let found = self.input.found.lock();
        matches!(*found, InputFate::Discarded)
            && !bytes.is_empty()
            && self
                .session
                .input
                .master()
                .is_some_and(|master| !has_special_key(&master, bytes))
    }
}

impl Session {
    /// Counts the reads before a write; `None` if this is not possible.
    pub(super) fn reads_so_far(&self) -> Option<u64> {
        let watch = self
            .watched_inputs
            .watch
            .get_or_init(|| self.services.reads.watch(&*self.input.master()?));
        Some(self.services.reads.count(watch.as_ref()?))
    }

    /// Watches the input that was just written. `reads` is the count from before the write.
    pub(super) fn watch_input(&self, reads: u64) -> InputWatch<'_> {
        let flushes = self.output.input_flushes();
        let input = Arc::new(WatchedInput {
            reads,
            found: Mutex::new(InputFate::Nothing { flushes }),
        });
        self.watched_inputs.waiting.lock().push(Arc::clone(&input));
        InputWatch {
            session: self,
            input,
        }
    }

    /// Checks what was flushed since the last check. Must be called before output that arrived after a flush is
    /// published.
    pub(crate) fn note_flushes(&self) {
        let waiting = self.watched_inputs.waiting.lock();
        if waiting.is_empty() {
            return;
        }
        let (Some(Some(watch)), Some(master)) =
            (self.watched_inputs.watch.get(), self.input.master())
        else {
            return;
        };
        let now = self.output.input_flushes();
        for input in &*waiting {
            let mut found = input.found.lock();
            if matches!(*found, InputFate::Nothing { flushes } if flushes != now) {
                *found = if self.services.reads.count(watch) != input.reads {
                    InputFate::Read
                } else if unread_bytes(&master) == Some(0) {
                    InputFate::Discarded
                } else {
                    // The flush came just before the write, and the holder reported it after.
                    InputFate::Nothing { flushes: now }
                };
            }
        }
    }
}

fn has_special_key(master: &OwnedFd, bytes: &[u8]) -> bool {
    let Ok(modes) = tcgetattr(master) else {
        return true;
    };
    let set = KEYS.map(|key| modes.special_codes[key]);
    let is_special = |byte: u8| match byte {
        b'\t' | b'\n' | b'\r' | ESCAPE => false,
        DELETE => true,
        byte if byte < b' ' => true, // usual control characters count, even if this terminal has other ones
        byte => set.contains(&byte),
    };
    bytes.iter().copied().any(is_special)
}
