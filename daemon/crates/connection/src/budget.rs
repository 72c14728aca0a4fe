//! The memory that all connections together have for large replies: those in the making, and those that wait to be read.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

/// Most bytes of large replies that wait to be read.
const WAITING_BYTES: usize = 256 << 20;

/// Replies up to this size are not counted: a connection has few of them, because it is not served while it does not read.
const SMALL_BYTES: usize = 64 << 10;

/// Replies in the making, by their weight.
const MAKING: usize = 8;

/// A client that has read nothing for this long is disconnected if others need the memory.
const UNREAD: Duration = Duration::from_secs(1);

/// How often a call that needs memory looks for such a client.
const LOOK_PAUSE: Duration = Duration::from_millis(100);

/// Shared by all connections.
#[derive(Debug)]
pub(super) struct Budget {
    making: Semaphore,
    /// The clients that have charges, by connection.
    waiting: Mutex<HashMap<u64, Waiting>>,
    freed: Notify,
}

#[derive(Debug)]
struct Waiting {
    bytes: usize,
    client: Arc<Client>,
}

/// What the budget knows of a connection.
#[derive(Debug, Default)]
pub(super) struct Client {
    connection: u64,
    /// When the client last read something, while data is waiting for it.
    blocked_since: Mutex<Option<Instant>>,
    /// Its memory is needed: the connection ends.
    pub(super) cut: CancellationToken,
}

/// The memory of one reply, which is free again when this is dropped.
#[derive(Debug)]
pub(super) struct Charge {
    budget: Arc<Budget>,
    connection: u64,
    bytes: usize,
}

impl Client {
    pub(super) fn new(connection: u64) -> Arc<Self> {
        Arc::new(Self {
            connection,
            ..Self::default()
        })
    }

    /// Notes since when the client has not read what waits for it.
    pub(super) fn set_blocked_since(&self, since: Option<Instant>) {
        *self
            .blocked_since
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = since;
    }

    fn blocked_since(&self) -> Option<Instant> {
        *self
            .blocked_since
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Budget {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            making: Semaphore::new(MAKING),
            waiting: Mutex::default(),
            freed: Notify::new(),
        })
    }

    /// Waits until a large reply may be made. Disconnects clients that do not read, if that takes too long.
    pub(super) async fn make(&self, weight: u32) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed.
        let making = self.making.acquire_many(weight).await.ok();
        while !self.has_room() {
            let _ = tokio::time::timeout(LOOK_PAUSE, self.freed.notified()).await;
        }
        making
    }

    /// Counts a reply of `bytes` for a client that is going to read it; `None` if it is small.
    pub(super) fn charge(self: &Arc<Self>, client: &Arc<Client>, bytes: usize) -> Option<Charge> {
        if bytes <= SMALL_BYTES {
            return None;
        }
        let connection = client.connection;
        self.waiting()
            .entry(connection)
            .or_insert_with(|| Waiting {
                bytes: 0,
                client: Arc::clone(client),
            })
            .bytes += bytes;
        self.has_room();
        Some(Charge {
            budget: Arc::clone(self),
            connection,
            bytes,
        })
    }

    /// Returns whether there is memory left. If not, cuts off the clients that have not read for longest, which frees theirs
    /// soon; never one that reads.
    fn has_room(&self) -> bool {
        let waiting = self.waiting();
        let used: usize = waiting.values().map(|one| one.bytes).sum();
        let mut blocked: Vec<(Instant, &Waiting)> = waiting
            .values()
            .filter(|one| !one.client.cut.is_cancelled())
            .filter_map(|one| Some((one.client.blocked_since()?, one)))
            .filter(|(since, _)| since.elapsed() >= UNREAD)
            .collect();
        blocked.sort_by_key(|(since, _)| *since);
        let leaving = waiting.values().filter(|one| one.client.cut.is_cancelled());
        let mut kept = used - leaving.map(|one| one.bytes).sum::<usize>();
        for (_, one) in blocked {
            if kept < WAITING_BYTES {
                break;
            }
            tracing::warn!(
                conn = one.client.connection,
                bytes = one.bytes,
                "disconnected a client that does not read, because its memory is needed"
            );
            one.client.cut.cancel();
            kept -= one.bytes;
        }
        used < WAITING_BYTES
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        let mut waiting = self.budget.waiting();
        if let Some(one) = waiting.get_mut(&self.connection) {
            one.bytes -= self.bytes;
            if one.bytes == 0 {
                waiting.remove(&self.connection);
            }
        }
        drop(waiting);
        self.budget.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocked(connection: u64, seconds: u64) -> Arc<Client> {
        let client = Client::new(connection);
        let since = Instant::now().checked_sub(Duration::from_secs(seconds));
        client.set_blocked_since(since);
        client
    }

    #[tokio::test]
    async fn who_has_not_read_for_longest_makes_room_and_who_reads_never_does() {
        let budget = Budget::new();
        let [oldest, older, reader] = [blocked(1, 9), blocked(2, 8), blocked(3, 0)];
        let half = WAITING_BYTES / 2;
        let charges = [&oldest, &older].map(|client| budget.charge(client, half).unwrap());
        assert!(oldest.cut.is_cancelled() && !older.cut.is_cancelled());
        let [first, second] = charges;
        drop(first);
        assert!(budget.make(1).await.is_some());
        let large = budget.charge(&reader, WAITING_BYTES).unwrap();
        assert!(older.cut.is_cancelled() && !reader.cut.is_cancelled());
        drop(second);
        let made = tokio::time::timeout(LOOK_PAUSE * 3, budget.make(1)).await;
        assert!(
            made.is_err(),
            "there is no memory, and nobody to disconnect"
        );
        let (made, ()) = tokio::join!(budget.make(1), async { drop(large) });
        assert!(made.is_some() && budget.waiting().is_empty());
    }

    #[test]
    fn small_replies_are_not_counted() {
        let budget = Budget::new();
        assert!(budget.charge(&blocked(1, 9), SMALL_BYTES).is_none());
    }
}
