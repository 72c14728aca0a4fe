//! Which runs may work now: one per work tree and per conversation, first come first served, and a few in all.

use parking_lot::Mutex;
use std::sync::Arc;
use tokio::sync::watch;

#[derive(Debug)]
pub(crate) struct RunQueue {
    line: Mutex<QueueState>,
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct QueueState {
    /// In the order of their arrival.
    entries: Vec<QueueEntry>,
    next: u64,
}

#[derive(Debug)]
struct QueueEntry {
    number: u64,
    /// What nobody else may work on meanwhile.
    keys: Vec<String>,
    works: bool,
}

/// A place in the queue, which is given up when this is dropped.
#[derive(Debug)]
pub(crate) struct QueuePlace {
    queue: Arc<RunQueue>,
    number: u64,
}

impl RunQueue {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            line: Mutex::default(),
            changed: watch::Sender::new(()),
        })
    }

    pub(crate) fn enter(self: &Arc<Self>, keys: Vec<String>) -> QueuePlace {
        let mut line = self.line.lock();
        let number = line.next;
        line.next += 1;
        line.entries.push(QueueEntry {
            number,
            keys,
            works: false,
        });
        QueuePlace {
            queue: Arc::clone(self),
            number,
        }
    }
}

impl QueuePlace {
    /// Waits for the turn. `limit` runs may work at once; `waits` is called with the number of runs in front, each time
    /// that it changes.
    pub(crate) async fn turn(&self, limit: usize, mut waits: impl FnMut(u64)) {
        let mut changed = self.queue.changed.subscribe();
        let mut told = None;
        loop {
            changed.mark_unchanged();
            let Some(position) = self.queue.line.lock().take_turn(self.number, limit) else {
                return;
            };
            if told.replace(position) != Some(position) {
                waits(position);
            }
            // The sender is a part of the queue, so it lives.
            let _ = changed.changed().await;
        }
    }
}

impl Drop for QueuePlace {
    fn drop(&mut self) {
        self.queue
            .line
            .lock()
            .entries
            .retain(|entry| entry.number != self.number);
        self.queue.changed.send_replace(());
    }
}

impl QueueState {
    /// Returns nothing if it is the entry's turn, which then works; else the number of runs in front of it.
    fn take_turn(&mut self, number: u64, limit: usize) -> Option<u64> {
        let position = self
            .entries
            .iter()
            .position(|entry| entry.number == number)?;
        let mut free = limit.saturating_sub(self.entries.iter().filter(|one| one.works).count());
        let is_blocked = |at: usize| {
            let keys = &self.entries[at].keys;
            let before = self.entries[..at].iter().chain(
                self.entries[at + 1..].iter().filter(|other| other.works), // a larger limit lets a later one start first
            );
            before
                .filter(|other| other.keys.iter().any(|key| keys.contains(key)))
                .count()
        };
        let waiting = (0..position).filter(|at| !self.entries[*at].works && is_blocked(*at) == 0);
        let ready = waiting.count();
        free = free.saturating_sub(ready);
        let blocked = is_blocked(position);
        if blocked == 0 && free > 0 {
            self.entries[position].works = true;
            return None;
        }
        Some(blocked.max(if free == 0 { ready + 1 } else { 0 }) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::poll;
    use std::pin::pin;

    fn keys(keys: &[&str]) -> Vec<String> {
        keys.iter().map(|key| (*key).to_owned()).collect()
    }

    #[tokio::test]
    async fn runs_of_one_work_tree_take_turns_in_order_and_others_work_at_the_same_time() {
        let queue = RunQueue::new();
        let (one, two, other) = (
            queue.enter(keys(&["a"])),
            queue.enter(keys(&["a"])),
            queue.enter(keys(&["b"])),
        );
        one.turn(4, |_| panic!("nobody is in front")).await;
        other.turn(4, |_| panic!("nobody is in front")).await;
        let mut positions = Vec::new();
        {
            let mut turn = pin!(two.turn(4, |position| positions.push(position)));
            assert!(poll!(&mut turn).is_pending());
            drop(other);
            assert!(poll!(&mut turn).is_pending());
            drop(one);
            assert!(poll!(&mut turn).is_ready());
        }
        assert_eq!(positions, [1]);
    }

    #[tokio::test]
    async fn a_run_that_shares_a_conversation_waits_too() {
        let queue = RunQueue::new();
        let (one, two) = (
            queue.enter(keys(&["a", "s"])),
            queue.enter(keys(&["b", "s"])),
        );
        one.turn(4, |_| ()).await;
        let mut turn = pin!(two.turn(4, |_| ()));
        assert!(poll!(&mut turn).is_pending());
        drop(one);
        assert!(poll!(&mut turn).is_ready());
    }

    #[tokio::test]
    async fn only_a_few_work_at_once_and_those_who_came_first_are_first() {
        let queue = RunQueue::new();
        let places: Vec<QueuePlace> = ["a", "b", "c", "d"]
            .iter()
            .map(|key| queue.enter(keys(&[key])))
            .collect();
        let mut turns: Vec<_> = places
            .iter()
            .map(|place| Box::pin(place.turn(2, |_| ())))
            .collect();
        assert!(poll!(&mut turns[3]).is_pending(), "three are in front");
        assert!(poll!(&mut turns[0]).is_ready());
        assert!(poll!(&mut turns[1]).is_ready());
        assert!(poll!(&mut turns[2]).is_pending());
    }
}
