//! The thread that learns of changes, for all subscribers.

use super::area::Area;
use ccd_watch::{Changes, Handle, Watcher};
use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// Most files that a subscriber has to look at; if there are more, it looks at all of its files.
const MAX_CHANGED: usize = 1000;

/// Watches the files of all subscribers while there are any.
#[derive(Debug, Default)]
pub(crate) struct Watching {
    state: Mutex<WatchingState>,
}

#[derive(Debug, Default)]
struct WatchingState {
    inboxes: Vec<Arc<Inbox>>,
    /// Of the thread, while it runs.
    handle: Option<Handle>,
    /// Files that were asked for by name.
    named: Arc<Mutex<HashSet<PathBuf>>>,
}

/// The changes that one subscriber has not looked at. They are names only, so a slow subscriber costs nothing.
#[derive(Debug)]
pub(super) struct Inbox {
    area: Area,
    changed: Mutex<Changed>,
    arrival: Notify,
}

#[derive(Debug, Default)]
pub(super) struct Changed {
    pub(super) files: BTreeSet<PathBuf>,
    pub(super) all: bool,
}

/// A subscriber's place; dropping it gives it up.
#[derive(Debug)]
pub(super) struct Registration {
    watching: Arc<Watching>,
    pub(super) inbox: Arc<Inbox>,
}

impl Watching {
    /// Watches an area too, until the registration is dropped.
    pub(super) fn register(self: &Arc<Self>, area: Area) -> io::Result<Registration> {
        let inbox = Arc::new(Inbox {
            area,
            changed: Mutex::default(),
            arrival: Notify::new(),
        });
        let mut state = self.lock();
        state.inboxes.push(Arc::clone(&inbox));
        state.note_names();
        match &state.handle {
            Some(handle) => handle.look(),
            None => match self.start(Arc::clone(&state.named)) {
                Ok(handle) => state.handle = Some(handle),
                Err(error) => {
                    state.inboxes.pop();
                    return Err(error);
                }
            },
        }
        drop(state);
        Ok(Registration {
            watching: Arc::clone(self),
            inbox,
        })
    }

    fn start(self: &Arc<Self>, named: Arc<Mutex<HashSet<PathBuf>>>) -> io::Result<Handle> {
        let (watcher, handle) = Watcher::new(move |path: &Path| {
            let is_named = || named.lock().contains(path);
            path.extension().is_some_and(|end| end == "jsonl") || is_named()
        });
        let watching = Arc::clone(self);
        let thread = std::thread::Builder::new().name("transcripts".into());
        thread.spawn(move || watching.follow(watcher))?;
        Ok(handle)
    }

    fn follow(&self, mut watcher: Watcher) {
        let mut changes = Changes {
            rescan: true,
            ..Changes::default()
        };
        loop {
            let inboxes = self.lock().inboxes.clone();
            if changes.rescan {
                watcher.renew(|renewal| {
                    for inbox in &inboxes {
                        let projects = inbox.area.projects();
                        let missing = projects.iter().filter(|projects| !projects.is_dir());
                        missing.for_each(|projects| renewal.path(projects));
                        inbox.area.folders(&mut |folder| renewal.folder(folder));
                    }
                });
            }
            for inbox in &inboxes {
                inbox.add(&changes);
            }
            drop(inboxes);
            // Lines are written at once, so there is nothing to wait for.
            changes = match watcher.wait(Duration::ZERO, Duration::ZERO) {
                Some(changes) => changes,
                None => return,
            };
        }
    }

    fn lock(&self) -> MutexGuard<'_, WatchingState> {
        self.state.lock()
    }
}

impl WatchingState {
    fn note_names(&self) {
        let names = self.inboxes.iter().filter_map(|inbox| inbox.area.main());
        let names = names.map(Path::to_owned).collect();
        *self.named.lock() = names;
    }
}

impl Inbox {
    fn add(&self, changes: &Changes) {
        let mut changed = self.lock();
        changed.all |= changes.rescan;
        for file in &changes.files {
            if changed.files.len() < MAX_CHANGED {
                changed.files.insert(file.clone());
            } else {
                changed.all = true;
            }
        }
        drop(changed);
        self.arrival.notify_one();
    }

    pub(super) fn take(&self) -> Changed {
        std::mem::take(&mut *self.lock())
    }

    pub(super) async fn arrived(&self) {
        self.arrival.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, Changed> {
        self.changed.lock()
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut state = self.watching.lock();
        state
            .inboxes
            .retain(|inbox| !Arc::ptr_eq(inbox, &self.inbox));
        state.note_names();
        if state.inboxes.is_empty() {
            state.handle = None;
        } else if let Some(handle) = &state.handle {
            handle.look();
        }
    }
}
