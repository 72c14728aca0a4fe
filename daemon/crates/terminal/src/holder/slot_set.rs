//! A set of slots to which any thread may add, and which one thread empties.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::SeqCst;

pub(super) const MAX_SLOTS: usize = 4096;

const WORD_BITS: usize = u64::BITS as usize;

/// A set of slots to which any thread may add, and which one thread empties.
#[repr(C)]
#[derive(Debug)]
pub(super) struct SlotSet {
    /// Bit n is set if word n may have bits.
    summary: AtomicU64,
    words: [AtomicU64; MAX_SLOTS / WORD_BITS],
}

impl SlotSet {
    pub(super) fn new() -> Self {
        Self {
            summary: AtomicU64::new(0),
            words: [const { AtomicU64::new(0) }; MAX_SLOTS / WORD_BITS],
        }
    }

    /// Adds `slot`, which is less than [`MAX_SLOTS`].
    pub(super) fn insert(&self, slot: usize) {
        self.words[slot / WORD_BITS].fetch_or(1 << (slot % WORD_BITS), SeqCst);
        self.summary.fetch_or(1 << (slot / WORD_BITS), SeqCst);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.summary.load(SeqCst) == 0
    }

    /// Removes every slot and calls `take` for each, in ascending order.
    pub(super) fn drain(&self, mut take: impl FnMut(usize)) {
        if self.is_empty() {
            return;
        }
        for word in ones(self.summary.swap(0, SeqCst)) {
            for bit in ones(self.words[word].swap(0, SeqCst)) {
                take(word * WORD_BITS + bit);
            }
        }
    }
}

fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (lowest < WORD_BITS).then_some(lowest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_returns_each_slot_once_in_order() {
        let set = SlotSet::new();
        for slot in [4095, 0, 64, 63, 64] {
            set.insert(slot);
        }
        let mut taken = Vec::new();
        set.drain(|slot| taken.push(slot));
        assert_eq!(taken, [0, 63, 64, 4095]);
        assert!(set.is_empty());
        set.drain(|slot| panic!("{slot} was taken before"));
    }
}
