//! Reads terminals that the holder has lent: one task for each.

use crate::live::session::Session;
use ccd_terminal::holder::LentRead;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::pin::pin;
use std::sync::Arc;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A terminal that this process reads; dropping it returns the terminal to the holder, also on a panic.
struct Lent(Arc<Session>);

impl Session {
    /// Reads the terminal from now on if the holder has lent it.
    pub(crate) fn read_if_lent(self: &Arc<Self>) {
        if !self.output.lacks_reader() {
            return;
        }
        let lent = Lent(Arc::clone(self));
        match lent.watch() {
            Ok(terminal) => {
                self.output.borrow_terminal(Arc::clone(terminal.get_ref()));
                self.services.tracker.spawn(lent.read(terminal));
            }
            Err(error) => {
                tracing::warn!(session = %self.id(), %error, "the holder has to read this terminal");
            }
        }
    }
}

impl Lent {
    /// Watches a descriptor of its own: the session's is watched while a send waits for room.
    fn watch(&self) -> io::Result<AsyncFd<Arc<OwnedFd>>> {
        let master = self.0.input.master().ok_or(io::ErrorKind::NotConnected)?;
        let own = Arc::new(master.as_fd().try_clone_to_owned()?);
        ccd_terminal::readiness::watch(own, Interest::READABLE)
    }

    /// Reads until the terminal must be returned or was taken back, the session ends, or a handover starts.
    async fn read(self, terminal: AsyncFd<Arc<OwnedFd>>) {
        let session = &self.0;
        let mut over = pin!(session.input.is_over());
        loop {
            tokio::select! {
                biased;
                () = &mut over => return,
                ready = terminal.readable() => {
                    let Ok(mut ready) = ready else {
                        return;
                    };
                    let read = session.output.read_terminal();
                    session.take_output(usize::MAX);
                    match read {
                        LentRead::Part => {}
                        LentRead::All => ready.clear_ready(),
                        LentRead::MustReturn | LentRead::TakenBack => return,
                    }
                }
                () = session.output.was_read_early() => {
                    session.take_output(usize::MAX);
                }
            }
            // Tasks that this output woke run before the next output is taken.
            tokio::task::yield_now().await;
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let session = &self.0;
        if session.output.return_terminal()
            && let Some(slot) = session.facts.slot
        {
            session.services.holder.returned(slot);
        }
    }
}
