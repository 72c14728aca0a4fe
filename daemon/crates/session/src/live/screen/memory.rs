//! The memory of all drawn screens.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// Memory of a cell, on the main and on the alternate screen.
const CELL_BYTES: usize = 48;

/// The size of one model, as part of the sum.
#[derive(Debug)]
pub(super) struct CountedMemory {
    sum: Arc<AtomicUsize>,
    bytes: usize,
}

impl CountedMemory {
    pub(super) fn new(sum: &Arc<AtomicUsize>, cells: usize) -> Self {
        let mut counted = Self {
            sum: Arc::clone(sum),
            bytes: 0,
        };
        counted.set_cells(cells);
        counted
    }

    pub(super) fn set_cells(&mut self, cells: usize) {
        let bytes = cells * CELL_BYTES;
        self.sum.fetch_add(bytes, Relaxed);
        self.sum.fetch_sub(self.bytes, Relaxed);
        self.bytes = bytes;
    }
}

impl Drop for CountedMemory {
    fn drop(&mut self) {
        self.sum.fetch_sub(self.bytes, Relaxed);
    }
}
