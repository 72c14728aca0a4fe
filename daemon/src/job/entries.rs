//! A job's list: entries are only appended, and each has a number.

use super::record::entry_row;
use super::table::JobEntries;
use ccd_protocol::job::JobEntry;
use serde_json::Value;
use std::collections::VecDeque;

/// Maximum number of entries that are kept; beyond it, the oldest is dropped.
const MAX_ENTRIES: usize = 10_000;

/// Maximum bytes of the kept entries, as JSON.
const MAX_BYTES: usize = 8 << 20;

pub(super) const BATCH_LEN: usize = 256;
const BATCH_BYTES: usize = 1 << 20;

#[derive(Debug, Default)]
pub(super) struct Entries {
    /// Number of the oldest entry that is kept, which is how many are not.
    pub(super) first: u64,
    /// Number of the first entry that is not in the database.
    unsaved: u64,
    kept: VecDeque<KeptEntry>,
    pub(super) bytes: usize,
}

#[derive(Debug)]
struct KeptEntry {
    entry: JobEntry,
    place: u64,
    bytes: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) entries: Vec<JobEntry>,
    /// Number of earlier entries that are no longer kept.
    pub(crate) omitted: u64,
    pub(crate) has_more: bool,
}

impl Entries {
    pub(super) fn count(&self) -> u64 {
        self.first + self.kept.len() as u64
    }

    /// Appends an entry; in the result it is at position `place`, by default after the earlier entries.
    pub(super) fn push(&mut self, value: Value, place: Option<u64>) {
        let seq = self.count();
        let bytes = value.to_string().len();
        self.bytes += bytes;
        self.kept.push_back(KeptEntry {
            place: place.unwrap_or(seq),
            entry: JobEntry {
                seq,
                at: ccd_base::clock::now(),
                value,
            },
            bytes,
        });
        while self.kept.len() > MAX_ENTRIES || (self.bytes > MAX_BYTES && self.kept.len() > 1) {
            let oldest = self.kept.pop_front();
            self.bytes -= oldest.map_or(0, |oldest| oldest.bytes);
            self.first += 1;
        }
    }

    pub(super) fn batch(&self, since: u64) -> Batch {
        let from = since.max(self.first);
        let skip = usize::try_from(from - self.first).unwrap_or(usize::MAX);
        batch_of(self.kept.iter().skip(skip).map(|kept| &kept.entry), since)
    }

    pub(super) fn in_order(&self) -> Vec<Value> {
        let mut kept: Vec<&KeptEntry> = self.kept.iter().collect();
        kept.sort_by_key(|kept| kept.place);
        kept.into_iter()
            .map(|kept| kept.entry.value.clone())
            .collect()
    }

    /// Entries that are not in the database yet; `None` if there are none.
    pub(super) fn unsaved(&self, job: &str) -> Option<JobEntries> {
        if self.unsaved == self.count() {
            return None;
        }
        let skip = usize::try_from(self.unsaved.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let row = |kept: &KeptEntry| entry_row(job, &kept.entry, kept.place);
        Some(JobEntries {
            job: job.to_owned(),
            first: i64::try_from(self.first).unwrap_or(i64::MAX),
            rows: self.kept.iter().skip(skip).map(row).collect(),
        })
    }

    /// Marks the entries up to `count` as written to the database.
    pub(super) fn saved(&mut self, count: u64) {
        self.unsaved = self.unsaved.max(count);
    }
}

/// Returns as many of `entries`, which start at `since` or later, as fit into one message.
pub(super) fn batch_of<'a>(entries: impl Iterator<Item = &'a JobEntry>, since: u64) -> Batch {
    let mut batch = Batch::default();
    let mut bytes = 0;
    for entry in entries {
        if batch.entries.len() >= BATCH_LEN || bytes >= BATCH_BYTES {
            batch.has_more = true;
            break;
        }
        bytes += entry.value.to_string().len();
        batch.entries.push(entry.clone());
    }
    let first = batch.entries.first().map_or(since, |entry| entry.seq);
    batch.omitted = first.saturating_sub(since);
    batch
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn seqs(batch: &Batch) -> Vec<u64> {
        batch.entries.iter().map(|entry| entry.seq).collect()
    }

    #[test]
    fn each_entry_is_read_once_and_in_order() {
        let mut entries = Entries::default();
        for n in 0..1000 {
            entries.push(json!({ "n": n }), None);
        }
        let (mut since, mut all) = (0, Vec::new());
        loop {
            let batch = entries.batch(since);
            assert_eq!(batch.omitted, 0);
            all.extend(seqs(&batch));
            since = all.len() as u64;
            if !batch.has_more {
                break;
            }
        }
        assert_eq!(all, (0..1000).collect::<Vec<u64>>());
        assert!(entries.batch(1000).entries.is_empty());
        assert!(entries.batch(5000).entries.is_empty());
    }

    #[test]
    fn the_oldest_go_and_that_is_told() {
        let mut entries = Entries::default();
        for n in 0..=MAX_ENTRIES + 1 {
            entries.push(json!(n), None);
        }
        let batch = entries.batch(0);
        assert_eq!((batch.omitted, batch.entries[0].seq), (2, 2));
        assert_eq!(entries.batch(1).omitted, 1);
        assert_eq!(entries.first, 2);
        entries.push(json!("x".repeat(MAX_BYTES)), None);
        assert_eq!(entries.kept.len(), 1);
        entries.push(json!(1), None);
        assert_eq!(seqs(&entries.batch(0)), [MAX_ENTRIES as u64 + 3]);
    }

    #[test]
    fn the_result_has_them_by_place() {
        let mut entries = Entries::default();
        entries.push(json!("second"), Some(1));
        entries.push(json!("first"), Some(0));
        assert_eq!(entries.in_order(), [json!("first"), json!("second")]);
        assert_eq!(entries.batch(0).entries[0].value, json!("second"));
    }

    #[test]
    fn only_what_is_new_is_written() {
        let mut entries = Entries::default();
        assert!(entries.unsaved("j").is_none());
        entries.push(json!(1), None);
        entries.push(json!(2), None);
        assert_eq!(entries.unsaved("j").unwrap().rows.len(), 2);
        entries.saved(2);
        assert!(entries.unsaved("j").is_none());
        entries.push(json!(3), None);
        let unsaved = entries.unsaved("j").unwrap();
        assert_eq!((unsaved.rows.len(), unsaved.rows[0].seq), (1, 2));
    }
}
