//! The output of a terminal that the holder has lent, so that this process reads it.

use super::Output;
use ccd_terminal::holder::{LentRead, Ring};
use std::os::fd::OwnedFd;
use std::sync::Arc;

impl Output {
    /// Returns true if the holder has lent the terminal and nothing here reads it yet.
    pub(crate) fn lacks_reader(&self) -> bool {
        let inner = self.inner.lock();
        inner.lent.is_none() && inner.ring.as_ref().is_some_and(Ring::is_lent)
    }

    pub(crate) fn borrow_terminal(&self, master: Arc<OwnedFd>) {
        let mut inner = self.inner.lock();
        inner.lent = inner.ring.as_ref().map(|ring| ring.borrow(master));
    }

    pub(crate) fn read_terminal(&self) -> LentRead {
        let mut inner = self.inner.lock();
        let lent = inner.lent.as_mut();
        lent.map_or(LentRead::TakenBack, |lent| lent.read())
    }

    /// Returns once the terminal was read by somebody else, which is also true later.
    pub(crate) async fn was_read_early(&self) {
        self.read_early.notified().await;
    }

    /// Ends the loan. Returns true if the holder must be told that it has the terminal again.
    pub(crate) fn return_terminal(&self) -> bool {
        let mut inner = self.inner.lock();
        inner.lent = None;
        inner.ring.as_ref().is_some_and(Ring::return_terminal)
    }
}
