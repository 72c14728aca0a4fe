//! The memory that the requests of all connections together may take: messages that are being read, and requests that are
//! handled.

use super::fault::Fault;
use super::limits::Limits;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Notify;

/// Requests up to this size always pass: a call that waits takes as much for itself.
const TINY_BYTES: usize = 4 << 10;

/// Unfinished messages up to this size are not counted, and requests up to it may use the reserve.
const SMALL_BYTES: usize = 64 << 10;

/// This part of the memory is kept for small requests.
const RESERVE: usize = 8;

#[derive(Debug, Clone, Default)]
pub(super) struct Intake(Arc<Mutex<Taken>>);

#[derive(Debug, Default)]
struct Taken {
    /// Of requests and unfinished messages.
    bytes: usize,
    /// Large unfinished messages, by connection.
    unfinished: HashMap<u64, Part>,
}

#[derive(Debug)]
struct Part {
    bytes: usize,
    since: Instant,
    dropped: Arc<Notify>,
}

/// The message that one connection is sending.
#[derive(Debug)]
pub(super) struct Unfinished {
    intake: Intake,
    connection: u64,
    limits: Limits,
    dropped: Arc<Notify>,
    /// It is among the large ones, unless the memory was needed for others.
    is_counted: bool,
}

/// The memory of a request, until this is dropped.
#[derive(Debug)]
pub(super) struct Admission {
    intake: Intake,
    bytes: usize,
}

impl Intake {
    /// Returns the message of a connection, of which nothing has arrived.
    pub(super) fn begin(&self, connection: u64, limits: Limits) -> Unfinished {
        Unfinished {
            intake: self.clone(),
            connection,
            limits,
            dropped: Arc::default(),
            is_counted: false,
        }
    }

    /// Counts a request; `None` if it is tiny.
    pub(super) fn admit(&self, bytes: usize, limits: &Limits) -> Result<Option<Admission>, Fault> {
        if bytes <= TINY_BYTES {
            return Ok(None);
        }
        let mut taken = self.0.lock();
        if !taken.has_room(bytes, limits) {
            return Err(fault(limits));
        }
        taken.bytes += bytes;
        Ok(Some(Admission {
            intake: self.clone(),
            bytes,
        }))
    }
}

fn fault(limits: &Limits) -> Fault {
    Fault::RequestMemory {
        limit_bytes: limits.requests_bytes,
    }
}

impl Unfinished {
    /// Counts the bytes that have arrived. After an error, the caller drops them.
    pub(super) fn count(&mut self, bytes: usize) -> Result<(), Fault> {
        if bytes <= SMALL_BYTES && !self.is_counted {
            return Ok(());
        }
        let mut taken = self.intake.0.lock();
        let before = taken.remove(self.connection);
        let is_dropped = std::mem::take(&mut self.is_counted) && before.is_none();
        if bytes <= SMALL_BYTES {
            return Ok(());
        }
        if is_dropped || !taken.has_room(bytes, &self.limits) {
            ccd_store::give_back_memory_soon();
            return Err(fault(&self.limits));
        }
        let part = Part {
            bytes,
            since: before.map_or_else(Instant::now, |before| before.since),
            dropped: Arc::clone(&self.dropped),
        };
        taken.bytes += bytes;
        taken.unfinished.insert(self.connection, part);
        self.is_counted = true;
        Ok(())
    }

    /// Returns once the memory is needed for others; then [`Self::count`] fails, unless the message has become complete.
    pub(super) fn dropped(&self) -> impl Future<Output = ()> + Send + use<> {
        Arc::clone(&self.dropped).notified_owned()
    }

    /// Counts the message, which is complete, as a request; `None` if it is tiny.
    pub(super) fn complete(&mut self, bytes: usize) -> Result<Option<Admission>, Fault> {
        self.count(0)?;
        self.intake.admit(bytes, &self.limits)
    }
}

impl Taken {
    fn remove(&mut self, connection: u64) -> Option<Part> {
        let part = self.unfinished.remove(&connection)?;
        self.bytes -= part.bytes;
        Some(part)
    }

    /// Returns whether there is room for a request, after dropping the messages that have been unfinished for longest.
    fn has_room(&mut self, bytes: usize, limits: &Limits) -> bool {
        let all = limits.requests_bytes;
        let is_small = bytes <= SMALL_BYTES;
        let most = if is_small { all } else { all - all / RESERVE };
        while self.bytes + bytes > most {
            let slow = self.unfinished.iter();
            let slow = slow.filter(|(_, part)| part.since.elapsed() >= limits.unfinished);
            let oldest = slow.min_by_key(|(_, part)| part.since);
            let Some(conn) = oldest.map(|(connection, _)| *connection) else {
                return false;
            };
            if let Some(part) = self.remove(conn) {
                let bytes = part.bytes;
                tracing::warn!(
                    conn,
                    bytes,
                    "dropped an unfinished message: its memory is needed"
                );
                part.dropped.notify_one();
            }
        }
        true
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if self.is_counted {
            self.intake.0.lock().remove(self.connection);
            ccd_store::give_back_memory_soon();
        }
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        self.intake.0.lock().bytes -= self.bytes;
        if self.bytes > SMALL_BYTES {
            ccd_store::give_back_memory_soon();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const KIB: usize = 1 << 10;

    fn limits(unfinished: Duration) -> Limits {
        Limits {
            requests_bytes: 1024 * KIB,
            unfinished,
            ..Limits::default()
        }
    }

    #[test]
    fn the_message_that_is_unfinished_for_longest_makes_room() {
        for (patience, is_dropped) in [(Duration::ZERO, true), (Duration::MAX, false)] {
            let intake = Intake::default();
            let [mut first, mut second, mut third] =
                [1, 2, 3].map(|connection| intake.begin(connection, limits(patience)));
            first.count(300 * KIB).unwrap();
            second.count(300 * KIB).unwrap();
            first.count(350 * KIB).unwrap();
            assert_eq!(third.count(400 * KIB).is_ok(), is_dropped);
            assert_eq!(first.count(350 * KIB).is_err(), is_dropped);
            second.count(300 * KIB).unwrap();
            let request = second.complete(300 * KIB).unwrap();
            drop((first, second, third, request));
            let taken = intake.0.lock();
            assert_eq!((taken.bytes, taken.unfinished.len()), (0, 0));
        }
    }

    #[test]
    fn small_requests_have_a_reserve_and_tiny_ones_always_pass() {
        let intake = Intake::default();
        let limits = limits(Duration::MAX);
        let admit = |kib: usize| intake.admit(kib * KIB, &limits);
        let large = [admit(448).unwrap(), admit(448).unwrap()];
        let refused = admit(65).unwrap_err().to_string();
        let expected =
            "the requests of all clients together take 1048576 bytes, which is the limit";
        assert_eq!(refused, expected);
        let small = [admit(64).unwrap(), admit(64).unwrap()];
        assert!(admit(64).is_err() && admit(4).unwrap().is_none());
        drop(large);
        assert!(admit(700).is_ok());
        drop(small);
        assert_eq!(intake.0.lock().bytes, 0);
    }
}
