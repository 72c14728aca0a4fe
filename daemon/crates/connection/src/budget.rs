//! The memory that all connections together have: for large replies, in the making or waiting to be read; and for requests.

use super::intake::Intake;
use ccd_terminal::readiness::unread_bytes;
use parking_lot::Mutex;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Most bytes of large replies, made and in the making.
const BUDGET_BYTES: usize = 256 << 20;

/// Replies up to this size are not counted: a connection has few of them, because it is not served while it does not read.
const SMALL_BYTES: usize = 64 << 10;

/// How much a reply counts for while it is made, and for how long. 16 MiB of output need about four times their size. A reply
/// that takes longer waits for a disk or computes, and must not hold up the others.
const MAKING_BYTES: usize = 64 << 20;
const MAKING_TIME: Duration = Duration::from_secs(1);

/// A client that has read nothing for this long is disconnected if others need the memory.
const UNREAD: Duration = Duration::from_secs(1);

/// How often a call that needs memory looks whether there is some.
const LOOK_PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug, Default)]
pub(super) struct Budget {
    used: Mutex<Used>,
    freed: Notify,
    pub(super) requests: Intake,
}

#[derive(Debug, Default)]
struct Used {
    /// The clients for which large replies wait, by connection.
    waiting: HashMap<u64, Waiting>,
    /// When each reply in the making was begun, by a number.
    making: HashMap<u64, Instant>,
    next: u64,
}

#[derive(Debug)]
struct Waiting {
    bytes: usize,
    client: Arc<Client>,
}

#[derive(Debug, Default)]
pub(super) struct Client {
    connection: u64,
    stall: Mutex<Option<Stall>>,
    /// Its memory is needed: the connection ends.
    pub(super) cut: CancellationToken,
}

/// What is known of a client that does not read all that waits for it.
#[derive(Debug)]
struct Stall {
    /// When the client was last seen to have read something.
    since: Instant,
    /// What the kernel held for it then. There may be room for more only when it has read half.
    unread: usize,
    socket: Arc<OwnedFd>,
}

/// The memory of a reply in the making, until this is dropped.
#[derive(Debug)]
pub(super) struct Making<'a> {
    budget: &'a Budget,
    number: u64,
}

/// The memory of a reply that waits, until this is dropped.
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

    /// Notes that everything was written, or when `socket` was found to have no more room.
    pub(super) fn note_stall(&self, stall: Option<(Instant, &Arc<OwnedFd>)>) {
        let mut known = self.stall.lock();
        match stall {
            None => *known = None,
            Some((since, _)) if known.as_ref().is_some_and(|known| known.since >= since) => {}
            Some((since, socket)) => {
                let (unread, socket) = (unread_bytes(socket), Arc::clone(socket));
                *known = Some(Stall {
                    since,
                    unread,
                    socket,
                });
            }
        }
    }

    /// Returns how long the client has read nothing; `None` if nothing waits for it.
    fn silence(&self) -> Option<Duration> {
        let mut stall = self.stall.lock();
        let stall = stall.as_mut()?;
        let unread = unread_bytes(&*stall.socket);
        if unread != stall.unread {
            (stall.unread, stall.since) = (unread, Instant::now());
        }
        Some(stall.since.elapsed())
    }
}

impl Budget {
    /// Waits until there is memory for a large reply; meanwhile disconnects clients that do not read.
    pub(super) async fn make(&self) -> Making<'_> {
        loop {
            let freed = self.freed.notified();
            if let Some(number) = self.used.lock().begin() {
                return Making {
                    budget: self,
                    number,
                };
            }
            let _ = tokio::time::timeout(LOOK_PAUSE, freed).await;
        }
    }

    /// Counts a reply of `bytes` for a client that is going to read it; `None` if it is small.
    pub(super) fn charge(self: &Arc<Self>, client: &Arc<Client>, bytes: usize) -> Option<Charge> {
        if bytes <= SMALL_BYTES {
            return None;
        }
        let connection = client.connection;
        let mut used = self.used.lock();
        let waiting = used.waiting.entry(connection).or_insert_with(|| Waiting {
            bytes: 0,
            client: Arc::clone(client),
        });
        waiting.bytes += bytes;
        used.has_room();
        Some(Charge {
            budget: Arc::clone(self),
            connection,
            bytes,
        })
    }
}

impl Used {
    /// Notes a reply in the making, and returns its number; `None` if there is no memory for it.
    fn begin(&mut self) -> Option<u64> {
        if !self.has_room() {
            return None;
        }
        self.next += 1;
        self.making.insert(self.next, Instant::now());
        Some(self.next)
    }

    /// Returns whether there is memory left. If not, cuts off the clients that have not read for longest, which frees theirs
    /// soon; never one that reads.
    fn has_room(&self) -> bool {
        let begun = self.making.values();
        let making = begun.filter(|begun| begun.elapsed() < MAKING_TIME).count();
        let all = self.waiting.values().map(|one| one.bytes);
        let used = making * MAKING_BYTES + all.sum::<usize>();
        if used < BUDGET_BYTES {
            return true;
        }
        let (leaving, staying): (Vec<_>, Vec<_>) =
            (self.waiting.values()).partition(|one| one.client.cut.is_cancelled());
        let mut kept = used - leaving.iter().map(|one| one.bytes).sum::<usize>();
        let silent = staying.into_iter().filter_map(|one| {
            let silence = one.client.silence()?;
            (silence >= UNREAD).then_some((silence, one))
        });
        let mut silent: Vec<_> = silent.collect();
        silent.sort_by_key(|(silence, _)| Reverse(*silence));
        for (_, Waiting { bytes, client }) in silent {
            if kept < BUDGET_BYTES {
                break;
            }
            let conn = client.connection;
            tracing::warn!(
                conn,
                bytes,
                "disconnected a client that does not read: its memory is needed"
            );
            client.cut.cancel();
            kept -= bytes;
        }
        false
    }
}

impl Drop for Making<'_> {
    fn drop(&mut self) {
        self.budget.used.lock().making.remove(&self.number);
        self.budget.freed.notify_waiters();
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        let mut used = self.budget.used.lock();
        if let Some(one) = used.waiting.get_mut(&self.connection) {
            one.bytes -= self.bytes;
            if one.bytes == 0 {
                used.waiting.remove(&self.connection);
            }
        }
        drop(used);
        self.budget.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixStream;

    /// A client that has not read 3 bytes for some seconds, and its end of the connection.
    fn silent(connection: u64, seconds: u64) -> (Arc<Client>, UnixStream) {
        let (mut near, far) = UnixStream::pair().unwrap();
        near.write_all(b"abc").unwrap();
        let client = Client::new(connection);
        let since = Instant::now().checked_sub(Duration::from_secs(seconds));
        client.note_stall(Some((since.unwrap(), &Arc::new(near.into()))));
        (client, far)
    }

    async fn makes_soon(budget: &Budget) -> bool {
        let made = tokio::time::timeout(LOOK_PAUSE * 3, budget.make());
        made.await.is_ok()
    }

    #[tokio::test]
    async fn who_has_not_read_for_longest_makes_room_and_who_reads_never_does() {
        let budget = Arc::new(Budget::default());
        let [(oldest, _far), (older, _other), (reader, mut reads)] =
            [silent(1, 8), silent(2, 7), silent(3, 9)];
        reads.read_exact(&mut [0; 3]).unwrap();
        let half = BUDGET_BYTES / 2;
        let charges = [&oldest, &older].map(|client| budget.charge(client, half).unwrap());
        assert!(oldest.cut.is_cancelled() && !older.cut.is_cancelled());
        let [first, second] = charges;
        drop(first);
        assert!(makes_soon(&budget).await);
        let large = budget.charge(&reader, BUDGET_BYTES).unwrap();
        assert!(older.cut.is_cancelled() && !reader.cut.is_cancelled());
        drop(second);
        assert!(!makes_soon(&budget).await, "nobody can be disconnected");
        drop(large);
        assert!(makes_soon(&budget).await);
        assert!(budget.used.lock().waiting.is_empty());
    }

    #[test]
    fn what_takes_long_to_make_does_not_hold_up_the_others() {
        let mut used = Used::default();
        while used.begin().is_some() {}
        assert_eq!(used.making.len(), BUDGET_BYTES / MAKING_BYTES);
        let long_ago = Instant::now().checked_sub(MAKING_TIME).unwrap();
        used.making.values_mut().for_each(|begun| *begun = long_ago);
        assert!(used.begin().is_some());
    }

    #[test]
    fn small_replies_are_not_counted() {
        let budget = Arc::new(Budget::default());
        assert!(budget.charge(&Client::new(1), SMALL_BYTES).is_none());
    }
}
