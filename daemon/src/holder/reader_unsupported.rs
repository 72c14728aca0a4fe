//! The holder's place on systems without epoll, signalfd and pidfd: it cannot be started there.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use super::descriptors::DescriptorLimits;
use super::handle::{Inbox, Notes};
use super::wake::News;

/// There is none.
#[derive(Debug)]
pub(super) struct Reader(Infallible);

impl Reader {
    pub(super) fn new(
        _inbox: Inbox,
        _news: Arc<News>,
        _notes: Arc<Notes>,
        _limits: DescriptorLimits,
    ) -> io::Result<Self> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "sessions need Linux",
        ))
    }

    pub(super) fn run(self) {
        match self.0 {}
    }
}
