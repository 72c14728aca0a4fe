//! Which tapes were played, and how often.

use crate::store::TapeUseRow;
use crate::tape::index::TapeId;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How often a tape was played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Used {
    /// Exchanges, since it was recorded.
    pub(crate) exchanges: u64,
    /// When the last one was.
    pub(crate) at: String,
}

/// The counts of a root.
#[derive(Debug, Default)]
pub(super) struct Usage {
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    used: HashMap<TapeId, Used>,
    /// What the database does not have yet.
    unsaved: HashSet<TapeId>,
    /// Something was played since this process began.
    has_played: bool,
}

impl Usage {
    /// Adds what an earlier daemon has counted.
    pub(super) fn load(&self, rows: Vec<TapeUseRow>) {
        let mut counts = self.counts();
        for row in rows {
            let before = u64::try_from(row.used).unwrap_or(0);
            let used = counts.used.entry(row.tape_id.into()).or_insert(Used {
                exchanges: 0,
                at: row.used_at,
            });
            used.exchanges += before;
        }
    }

    pub(super) fn played(&self, tape: &TapeId, exchanges: u64) {
        let at = crate::clock::now();
        let mut counts = self.counts();
        let used = counts.used.entry(TapeId::clone(tape)).or_insert(Used {
            exchanges: 0,
            at: String::new(),
        });
        used.exchanges += exchanges;
        used.at = at;
        counts.has_played = true;
        counts.unsaved.insert(TapeId::clone(tape));
    }

    /// True when something was played since this process began.
    pub(super) fn any(&self) -> bool {
        self.counts().has_played
    }

    pub(super) fn of(&self, tape: &str) -> Option<Used> {
        self.counts().used.get(tape).cloned()
    }

    pub(super) fn forget(&self, tapes: &[TapeId]) {
        let mut counts = self.counts();
        for tape in tapes {
            counts.used.remove(tape);
            counts.unsaved.remove(tape);
        }
    }

    /// Takes the rows that the database does not have yet.
    pub(super) fn take_unsaved(&self, root: &str) -> Vec<TapeUseRow> {
        let mut counts = self.counts();
        let unsaved = std::mem::take(&mut counts.unsaved);
        let rows = unsaved.into_iter().filter_map(|tape| {
            let used = counts.used.get(&tape)?;
            Some(TapeUseRow {
                root: root.to_owned(),
                tape_id: tape.to_string(),
                used: i64::try_from(used.exchanges).unwrap_or(i64::MAX),
                used_at: used.at.clone(),
            })
        });
        rows.collect()
    }

    /// Puts back what could not be saved.
    pub(super) fn not_saved(&self, rows: Vec<TapeUseRow>) {
        let mut counts = self.counts();
        for row in rows {
            let tape = TapeId::from(row.tape_id);
            if counts.used.contains_key(&tape) {
                counts.unsaved.insert(tape);
            }
        }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_go_on_where_an_earlier_daemon_stopped() {
        let usage = Usage::default();
        let tape = TapeId::from("p/a");
        usage.load(vec![TapeUseRow {
            root: "/r".to_owned(),
            tape_id: "p/a".to_owned(),
            used: 3,
            used_at: "2026-01-01T00:00:00.000Z".to_owned(),
        }]);
        assert_eq!(usage.of("p/a").unwrap().exchanges, 3);
        assert_eq!(usage.take_unsaved("/r"), []);
        usage.played(&tape, 2);
        let rows = usage.take_unsaved("/r");
        assert_eq!((rows[0].used, rows.len()), (5, 1));
        assert_eq!(usage.take_unsaved("/r"), []);
        usage.not_saved(rows);
        assert_eq!(usage.take_unsaved("/r").len(), 1);
        usage.forget(&[tape]);
        assert_eq!(usage.of("p/a"), None);
    }
}
