//! A sorted table from hashes to exchanges. It is divided into parts that successive indexes share.

use std::cmp::Ordering;
use std::sync::Arc;

/// Entries per part when the table is made. Small parts make changes cheap, few parts make copies of the list cheap.
const PART_LEN: usize = 128;

const MAX_PARTS: usize = 1 << 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TableEntry {
    pub(super) key: u64,
    pub(super) slot: u32,
    pub(super) exchange: u32,
}

#[derive(Debug, Clone)]
pub(super) struct Table {
    /// By the first bits of the key.
    parts: Vec<Arc<Vec<TableEntry>>>,
    /// How far a key is shifted to get the number of its part.
    shift: u32,
}

impl Table {
    /// Sorts entries into a table.
    pub(super) fn new(
        entries: &[TableEntry],
        order: &(impl Fn(&TableEntry, &TableEntry) -> Ordering + Sync),
    ) -> Self {
        let len = entries.len().div_ceil(PART_LEN).next_power_of_two();
        let len = len.clamp(2, MAX_PARTS);
        let shift = u64::BITS - len.trailing_zeros();
        let mut parts = vec![Vec::new(); len];
        for entry in entries {
            parts[part_of(entry.key, shift)].push(*entry);
        }
        let sort = |parts: &mut [Vec<TableEntry>]| {
            for part in parts {
                part.sort_unstable_by(|a, b| compare(a, b, order));
                part.shrink_to_fit();
            }
        };
        let (half, other) = parts.split_at_mut(len / 2);
        std::thread::scope(|scope| {
            scope.spawn(|| sort(half));
            sort(other);
        });
        let parts = parts.into_iter().map(Arc::new).collect();
        Self { parts, shift }
    }

    pub(super) fn get(&self, key: u64) -> &[TableEntry] {
        let part = &self.parts[part_of(key, self.shift)];
        let start = part.partition_point(|entry| entry.key < key);
        let rest = &part[start..];
        // Most keys have at most one entry.
        let len = match rest.iter().take(4).position(|entry| entry.key != key) {
            Some(len) => len,
            None => rest.partition_point(|entry| entry.key <= key),
        };
        &rest[..len]
    }

    /// Returns all entries, sorted by key and then in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &TableEntry> {
        self.parts.iter().flat_map(|part| part.iter())
    }

    /// Returns the table without `removed` and with `added`; unchanged parts are shared.
    pub(super) fn changed(
        &self,
        removed: &[TableEntry],
        added: &[TableEntry],
        order: &impl Fn(&TableEntry, &TableEntry) -> Ordering,
    ) -> Self {
        let mut table = self.clone();
        for entry in removed {
            table.part_mut(entry.key).retain(|other| other != entry);
        }
        for entry in added {
            let part = table.part_mut(entry.key);
            let at = part.partition_point(|other| compare(other, entry, order).is_lt());
            part.insert(at, *entry);
        }
        table
    }

    /// True when a table with so many more entries should be made again.
    pub(super) fn outgrows(&self, added: usize) -> bool {
        let entries: usize = self.parts.iter().map(|part| part.len()).sum();
        let parts = self.parts.len();
        entries + added > parts * PART_LEN * 8 && parts < MAX_PARTS
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let entries: usize = self.parts.iter().map(|part| part.capacity()).sum();
        entries * size_of::<TableEntry>() + self.parts.len() * (size_of::<Arc<()>>() + 40)
    }

    fn part_mut(&mut self, key: u64) -> &mut Vec<TableEntry> {
        Arc::make_mut(&mut self.parts[part_of(key, self.shift)])
    }
}

fn part_of(key: u64, shift: u32) -> usize {
    usize::try_from(key >> shift).unwrap_or(0)
}

fn compare(
    a: &TableEntry,
    b: &TableEntry,
    order: &impl Fn(&TableEntry, &TableEntry) -> Ordering,
) -> Ordering {
    a.key.cmp(&b.key).then_with(|| order(a, b))
}

/// Returns a key from numbers that form it together: any change of them changes all its bits.
pub(super) fn key_of(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0x9e37_79b9_7f4a_7c15, |key, number| {
        let mut mixed = key ^ number;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)).rotate_left(17)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_place(a: &TableEntry, b: &TableEntry) -> Ordering {
        (a.slot, a.exchange).cmp(&(b.slot, b.exchange))
    }

    fn entry(key: u64, slot: u32) -> TableEntry {
        TableEntry {
            key: key_of(&[key]),
            slot,
            exchange: 0,
        }
    }

    #[test]
    fn the_entries_of_a_key_come_in_order() {
        let entries: Vec<_> = (0..1000)
            .rev()
            .map(|slot| entry(u64::from(slot % 10), slot))
            .collect();
        let table = Table::new(&entries, &by_place);
        let found: Vec<_> = table
            .get(key_of(&[3]))
            .iter()
            .map(|entry| entry.slot)
            .collect();
        let expected: Vec<u32> = (0..1000).filter(|slot| slot % 10 == 3).collect();
        assert_eq!(found, expected);
        assert!(table.get(key_of(&[10])).is_empty());
        assert_eq!(table.iter().count(), 1000);
    }

    proptest! {
        #[test]
        fn a_changed_table_is_as_one_made_anew(
            old in proptest::collection::vec((0u64..50, 0u32..1000), 0..600),
            new in proptest::collection::vec((0u64..50, 1000u32..2000), 0..60),
            gone in proptest::collection::vec(any::<prop::sample::Index>(), 0..30),
        ) {
            let mut old: Vec<TableEntry> = old.into_iter().map(|(key, slot)| entry(key, slot)).collect();
            old.sort_by_key(|entry| entry.slot);
            old.dedup_by_key(|entry| entry.slot);
            let new: Vec<TableEntry> = new.into_iter().map(|(key, slot)| entry(key, slot)).collect();
            let mut gone: Vec<TableEntry> = if old.is_empty() { Vec::new() } else { gone.iter().map(|at| *at.get(&old)).collect() };
            gone.dedup();
            let changed = Table::new(&old, &by_place).changed(&gone, &new, &by_place);
            let kept: Vec<TableEntry> = old.into_iter().filter(|entry| !gone.contains(entry)).chain(new).collect();
            let anew = Table::new(&kept, &by_place);
            for key in 0..50 {
                prop_assert_eq!(changed.get(key_of(&[key])), anew.get(key_of(&[key])));
            }
        }
    }
}
