//! Lets the index give way to somebody who waits.

use parking_lot::{Condvar, Mutex};

/// Closed while somebody waits for totals, which need the same files and both processors.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    closed: Mutex<usize>,
    opened: Condvar,
}

#[derive(Debug)]
pub(crate) struct Closed<'a>(&'a Gate);

impl Gate {
    pub(crate) fn close(&self) -> Closed<'_> {
        *self.closed.lock() += 1;
        Closed(self)
    }

    /// Waits until the gate is open. Blocks.
    pub(crate) fn pass(&self) {
        let mut closed = self.closed.lock();
        self.opened.wait_while(&mut closed, |closed| *closed > 0);
    }
}

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        *self.0.closed.lock() -= 1;
        self.0.opened.notify_all();
    }
}
