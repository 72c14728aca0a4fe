//! Threads of the daemon's parts.

use std::io;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// A thread with work that gives way to the thread that serves the clients.
pub(super) struct Thread {
    has_ended: oneshot::Receiver<()>,
    stop: CancellationToken,
}

impl Thread {
    /// Does what is pending, and ends.
    pub(super) async fn end(self) {
        self.stop.cancel();
        let _ = self.has_ended.await;
    }

    /// Starts the thread. `work` ends once its token is cancelled.
    ///
    /// # Errors
    ///
    /// The kernel's error if no thread can be started.
    pub(super) fn start<F: Future<Output = ()>>(
        name: &str,
        work: impl FnOnce(CancellationToken) -> F + Send + 'static,
    ) -> io::Result<Self> {
        // It stops after everything that it records.
        let stop = CancellationToken::new();
        let (ended, has_ended) = oneshot::channel();
        let (runtime, stopped) = (Handle::current(), stop.clone());
        std::thread::Builder::new()
            .name(name.into())
            .spawn(move || {
                ccd_terminal::nice::give_way();
                runtime.block_on(work(stopped));
                let _ = ended.send(()); // the daemon may have given up waiting
            })?;
        Ok(Self { has_ended, stop })
    }
}
