//! Watches the configuration for changes.

use super::read::Sources;
use ccd_watch::{Handle, Watcher};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// How long there must be no change before the file is read: an editor writes a file in several steps.
const QUIET: Duration = Duration::from_millis(200);

/// A file that keeps changing is read after this time.
const LONGEST: Duration = Duration::from_secs(2);

/// Watches the places where a configuration may be, until it is dropped.
#[derive(Debug)]
pub(crate) struct ConfigWatch {
    changed: Arc<Notify>,
    _handle: Handle,
}

impl ConfigWatch {
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

    /// Returns when the configuration may have changed since the last call, or since the start.
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

/// An invalid configuration may be incomplete because somebody is still writing it: waits until it stops changing.
fn settle(sources: &Sources) {
    let begun = Instant::now();
    let mut seen = sources.read();
    while seen.load().is_err() && begun.elapsed() < LONGEST {
        std::thread::sleep(QUIET);
        let now = sources.read();
        if now == seen {
            return;
        }
        seen = now;
    }
}
