//! Takes output from the ring into memory, and calls the log.

use super::Output;
use super::readable::OutputState;
use ccd_terminal::holder::Gap;
use std::sync::atomic::Ordering;

/// This many unlogged bytes are written without waiting for more.
const FLUSH_BYTES: u64 = 64 << 10;

#[derive(Debug, Clone, Copy, Default)]
pub struct Taken {
    pub bytes: usize,
    pub is_part: bool,
    pub log: LogCall,
    /// Another program has truncated or overwritten the ring. Reported once.
    pub has_lost_ring: bool,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct LogCall {
    /// The log was not called since it last took up a call.
    pub is_first: bool,
    /// The log must not wait for more output.
    pub is_urgent: bool,
}

impl Taken {
    fn with_lost_ring() -> Self {
        Self {
            has_lost_ring: true,
            ..Self::default()
        }
    }
}

impl Output {
    /// Takes the output in the ring, at most `max_bytes`, passes it to `see` with its offset, and wakes waiting tasks.
    /// The result of `see` is stored in the ring for the next process.
    pub(crate) fn take_from_ring(
        &self,
        max_bytes: usize,
        see: impl FnOnce(&[u8], u64) -> Option<Vec<u8>>,
    ) -> Taken {
        let mut inner = self.inner.lock();
        let mut taken = inner.take_from_ring(max_bytes, see);
        if taken.has_lost_ring {
            inner.ring = None;
            inner.lent = None;
        }
        if taken.bytes == 0 {
            return taken;
        }
        let unlogged = inner.history.end() - inner.logged;
        drop(inner);
        self.changed.notify_waiters();
        taken.log.is_urgent = unlogged >= FLUSH_BYTES;
        taken.log.is_first = !self.log_is_called.swap(true, Ordering::AcqRel);
        taken
    }

    /// Calls the log, even if there is no new output.
    pub(crate) fn call_log_now(&self) -> LogCall {
        LogCall {
            is_first: !self.log_is_called.swap(true, Ordering::AcqRel),
            is_urgent: true,
        }
    }

    /// Notes that the log has taken up the call: output from now on must call again.
    pub(crate) fn log_answers(&self) {
        self.log_is_called.store(false, Ordering::Release);
    }
}

impl OutputState {
    fn take_from_ring(
        &mut self,
        max_bytes: usize,
        see: impl FnOnce(&[u8], u64) -> Option<Vec<u8>>,
    ) -> Taken {
        let Some(ring) = &self.ring else {
            return Taken::default();
        };
        if ring.is_lost() {
            return Taken::with_lost_ring();
        }
        let from = self.history.end();
        let all = ring.bytes(from);
        let bytes = &all[..all.len().min(max_bytes)];
        if bytes.is_empty() {
            return Taken::default();
        }
        let taken = Taken {
            bytes: bytes.len(),
            is_part: bytes.len() < all.len(),
            ..Taken::default()
        };
        self.history.append(bytes, self.logged);
        if ring.is_lost() {
            // It was truncated meanwhile, and the bytes may be zeros.
            let end = self.history.end();
            self.history.restart(end);
            self.give_up(Gap {
                offset: self.logged,
                len: end - self.logged,
            });
            return Taken::with_lost_ring();
        }
        if let Some(note) = see(bytes, from) {
            ring.set_note(&note);
        }
        self.lines = self.history.total_newlines;
        taken
    }
}
