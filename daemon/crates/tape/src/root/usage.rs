//! Which tapes were played, and how often.

use crate::index::TapeId;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Used {
    /// Exchanges played since it was recorded.
    pub exchanges: u64,
    /// The time of the last one.
    pub at: String,
}

pub type UsageError = Box<dyn std::error::Error + Send + Sync>;

type UsageReply<'a, T> = BoxFuture<'a, Result<T, UsageError>>;

/// Stores the counts across restarts of the daemon.
pub trait UsageStore: std::fmt::Debug + Send + Sync {
    fn load<'a>(&'a self, root: &'a Path) -> UsageReply<'a, Vec<(TapeId, Used)>>;

    /// Replaces the counts of some tapes of a root.
    fn save<'a>(&'a self, root: &'a Path, counts: &'a [(TapeId, Used)]) -> UsageReply<'a, ()>;

    /// Returns the tapes of all roots that were last played before a time.
    fn played_before<'a>(&'a self, time: &'a str) -> UsageReply<'a, Vec<(PathBuf, TapeId)>>;

    fn forget<'a>(&'a self, root: &'a Path, tapes: &'a [TapeId]) -> UsageReply<'a, ()>;
}

#[derive(Debug, Default)]
pub(super) struct Usage(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    used: HashMap<TapeId, Used>,
    unsaved: HashSet<TapeId>,
    /// Tapes that were played since the root was opened.
    played: HashSet<TapeId>,
}

impl Usage {
    pub(super) fn load(&self, before: Vec<(TapeId, Used)>) {
        let mut counts = self.0.lock();
        for (tape, before) in before {
            let used = counts.used.entry(tape).or_insert(Used {
                exchanges: 0,
                at: before.at,
            });
            used.exchanges += before.exchanges;
        }
    }

    pub(super) fn played(&self, tape: &TapeId, exchanges: u64) {
        let at = ccd_base::clock::now();
        let mut counts = self.0.lock();
        let used = counts.used.entry(TapeId::clone(tape)).or_default();
        used.exchanges += exchanges;
        used.at = at;
        counts.played.insert(TapeId::clone(tape));
        counts.unsaved.insert(TapeId::clone(tape));
    }

    /// Returns the tapes that were played since the root was opened.
    pub(super) fn played_now(&self) -> HashSet<TapeId> {
        self.0.lock().played.clone()
    }

    pub(super) fn get(&self, tape: &str) -> Option<Used> {
        self.0.lock().used.get(tape).cloned()
    }

    pub(super) fn forget(&self, tapes: &[TapeId]) {
        let mut counts = self.0.lock();
        for tape in tapes {
            counts.used.remove(tape);
            counts.unsaved.remove(tape);
        }
    }

    pub(super) fn take_unsaved(&self) -> Vec<(TapeId, Used)> {
        let mut counts = self.0.lock();
        let unsaved = std::mem::take(&mut counts.unsaved);
        let taken = unsaved.into_iter().filter_map(|tape| {
            let used = counts.used.get(&tape)?.clone();
            Some((tape, used))
        });
        taken.collect()
    }

    /// Puts back counts that could not be saved.
    pub(super) fn not_saved(&self, taken: Vec<(TapeId, Used)>) {
        let mut counts = self.0.lock();
        for (tape, _) in taken {
            if counts.used.contains_key(&tape) {
                counts.unsaved.insert(tape);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_go_on_where_an_earlier_daemon_stopped() {
        let usage = Usage::default();
        let tape = TapeId::from("p/a");
        let before = Used {
            exchanges: 3,
            at: "2026-01-01T00:00:00.000Z".to_owned(),
        };
        usage.load(vec![(tape.clone(), before)]);
        assert_eq!(usage.get("p/a").unwrap().exchanges, 3);
        assert_eq!(usage.take_unsaved(), []);
        usage.played(&tape, 2);
        let rows = usage.take_unsaved();
        assert_eq!((rows[0].1.exchanges, rows.len()), (5, 1));
        assert_eq!(usage.take_unsaved(), []);
        usage.not_saved(rows);
        assert_eq!(usage.take_unsaved().len(), 1);
        usage.forget(&[tape]);
        assert_eq!(usage.get("p/a"), None);
    }
}
