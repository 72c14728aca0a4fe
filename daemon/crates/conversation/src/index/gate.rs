//! Lets the index give way to somebody who waits.

use std::sync::{Condvar, Mutex, PoisonError};

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
        *self.closed.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Closed(self)
    }

    /// Waits until the gate is open. Blocks.
    pub(crate) fn pass(&self) {
        let closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = self.opened.wait_while(closed, |closed| *closed > 0);
        drop(opened.unwrap_or_else(PoisonError::into_inner));
    }
}

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        *self.0.closed.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.opened.notify_all();
    }
}
