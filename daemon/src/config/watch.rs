//! Notices when the configuration changes.

use super::read::Sources;
use ccd_watch::{Handle, Watcher};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// So long nothing may change before a change is read: an editor writes a file in several steps.
const QUIET: Duration = Duration::from_millis(200);

/// A file that goes on changing is read after so long.
const LONGEST: Duration = Duration::from_secs(2);

/// Watches the places where a configuration may lie, until it is dropped.
#[derive(Debug)]
pub(crate) struct ConfigWatch {
    changed: Arc<Notify>,
    _handle: Handle,
}

impl ConfigWatch {
    /// Starts to watch.
    ///
    /// # Errors
    ///
    /// There can be no more threads.
    pub(crate) fn start(sources: Sources) -> io::Result<Self> {
        let (watcher, handle) = Watcher::new(|_| false);
        let changed = Arc::new(Notify::new());
        let teller = Arc::clone(&changed);
        std::thread::Builder::new()
            .name("config".into())
            .spawn(move || follow(watcher, &sources, &teller))?;
        Ok(Self {
            changed,
            _handle: handle,
        })
    }

    /// Returns when the configuration may be another one than at the last call, or than before the start.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }
}

fn follow(mut watcher: Watcher, sources: &Sources, changed: &Notify) {
    loop {
        watcher.renew(|renewal| {
            for path in sources.paths() {
                renewal.path(path);
            }
        });
        settle(sources);
        changed.notify_one();
        if watcher.wait(QUIET, LONGEST).is_none() {
            return;
        }
    }
}

/// A configuration that is bad may be half written, by somebody who has not closed it yet: waits until it stays the same.
fn settle(sources: &Sources) {
    let begun = Instant::now();
    let mut seen = sources.snapshot();
    while sources.load().is_err() && begun.elapsed() < LONGEST {
        std::thread::sleep(QUIET);
        let now = sources.snapshot();
        if now == seen {
            return;
        }
        seen = now;
    }
}
