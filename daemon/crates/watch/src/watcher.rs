//! Watches directories and single paths.

use crate::inbox::{Changes, Inbox, Source, Watched};
use crate::links::places;
use notify::{Config, ErrorKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use parking_lot::{Mutex, MutexGuard};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum number of watched directories; if there are more, everything is checked periodically.
pub const MAX_FOLDERS: usize = 10_000;

#[derive(Debug)]
pub struct Watcher {
    shared: Arc<Shared>,
    max_folders: usize,
    round: u64,
    has_warned: bool,
}

/// The handle of a watcher for other threads. Dropping it ends the watcher.
#[derive(Debug)]
pub struct Handle(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    inbox: Arc<Inbox>,
    /// Never locked by the threads of `notify`, because the thread that holds it waits for them.
    instances: Mutex<Instances>,
}

#[derive(Debug, Default)]
struct Instances {
    folders: Option<RecommendedWatcher>,
    paths: Option<RecommendedWatcher>,
}

impl Instances {
    fn for_source(&mut self, source: Source) -> &mut Option<RecommendedWatcher> {
        match source {
            Source::Folders => &mut self.folders,
            Source::Paths => &mut self.paths,
        }
    }
}

impl Shared {
    fn instances(&self) -> MutexGuard<'_, Instances> {
        self.instances.lock()
    }

    fn watch(&self, source: Source, folder: &Path, is_other: bool) -> notify::Result<()> {
        let mut instances = self.instances();
        let instance = instances.for_source(source);
        let watcher = match instance {
            Some(watcher) => watcher,
            None => {
                let inbox = Arc::clone(&self.inbox);
                let config = Config::default().with_event_kinds(source.kinds());
                let note = move |event| inbox.note(source, event);
                instance.insert(RecommendedWatcher::new(note, config)?)
            }
        };
        if is_other {
            // The directory that it knew by this path was removed or moved.
            let _ = watcher.unwatch(folder);
        }
        watcher.watch(folder, RecursiveMode::NonRecursive)
    }

    /// Ends watches that the last renewal has not requested.
    fn sweep(&self, source: Source, round: u64) {
        let mut state = self.inbox.lock();
        let watched = state.watched(source);
        let mut gone = Vec::new();
        watched.retain(|folder, watched| {
            let stays = watched.round == round;
            if !stays {
                gone.push(folder.clone());
            }
            stays
        });
        let is_empty = watched.is_empty();
        drop(state);
        let mut instances = self.instances();
        if is_empty {
            *instances.for_source(source) = None;
        } else if let Some(watcher) = instances.for_source(source) {
            for folder in gone {
                // If this fails, the watch has ended by itself.
                let _ = watcher.unwatch(&folder);
            }
        }
    }

    /// Waits until everything that has happened so far is in the inbox. Returns false if that cannot be known.
    fn flush(&self) -> bool {
        let mut instances = self.instances();
        let Instances { folders, paths } = &mut *instances;
        for watcher in [folders, paths].into_iter().flatten() {
            // A request that changes no path makes its thread read all events of the kernel. It delivers them after it
            // has answered, but before it takes the second request.
            for _ in 0..2 {
                if watcher.update_paths(Vec::new()).is_err() {
                    return false;
                }
            }
        }
        cfg!(target_os = "linux")
    }
}

impl Watcher {
    /// Returns a watcher that watches nothing yet. Changed files in watched directories are reported by name if
    /// `wanted` returns true.
    /// `wanted` is called on a thread that must not wait.
    pub fn new(wanted: impl Fn(&Path) -> bool + Send + Sync + 'static) -> (Self, Handle) {
        Self::with_limit(MAX_FOLDERS, wanted)
    }

    pub(crate) fn with_limit(
        max_folders: usize,
        wanted: impl Fn(&Path) -> bool + Send + Sync + 'static,
    ) -> (Self, Handle) {
        let shared = Arc::new(Shared {
            inbox: Inbox::new(Box::new(wanted)),
            instances: Mutex::default(),
        });
        let watcher = Self {
            shared: Arc::clone(&shared),
            max_folders,
            round: 0,
            has_warned: false,
        };
        (watcher, Handle(shared))
    }

    /// Reports new directories by name, instead of a rescan: [`Watcher::extend`] watches them.
    #[must_use]
    pub fn naming_folders(self) -> Self {
        self.shared.inbox.lock().names_folders = true;
        self
    }

    /// Watches what `ask` requests, in addition to what the last renewal has requested.
    pub fn extend<T>(&mut self, ask: impl FnOnce(&mut Renewal<'_>) -> T) -> T {
        ask(&mut Renewal { watcher: self })
    }

    /// Watches what `ask` requests, and nothing else.
    /// Anything read after its request is up to date: later changes are reported.
    pub fn renew<T>(&mut self, ask: impl FnOnce(&mut Renewal<'_>) -> T) -> T {
        self.round += 1;
        let mut state = self.shared.inbox.lock();
        state.is_blind = false;
        state.paths.clear();
        drop(state);
        let answer = ask(&mut Renewal { watcher: self });
        self.shared.sweep(Source::Folders, self.round);
        self.shared.sweep(Source::Paths, self.round);
        answer
    }

    /// Waits until something changes, and then until nothing has changed for `quiet`, but at most for `longest`; `None`
    /// once the handle was dropped.
    /// The changes returned before count as processed. After a rescan, [`Watcher::renew`] must be called. Blocks.
    pub fn wait(&mut self, quiet: Duration, longest: Duration) -> Option<Changes> {
        self.shared.inbox.wait(quiet, longest)
    }

    /// Returns whether something that the last renewal requested cannot be watched. Everything counts as changed twice a
    /// second then, until a renewal requests less.
    #[must_use]
    pub fn is_blind(&self) -> bool {
        self.shared.inbox.lock().is_blind
    }

    fn add(&mut self, source: Source, folder: &Path) -> io::Result<()> {
        let meta = fs::metadata(folder)?;
        let watched = Watched {
            id: Some((meta.dev(), meta.ino())),
            round: self.round,
        };
        let mut state = self.shared.inbox.lock();
        let all = state.watched(source);
        if all.len() >= self.max_folders && !all.contains_key(folder) {
            drop(state);
            self.go_blind(folder, "there are too many folders");
            return Ok(());
        }
        let before = all.insert(folder.to_owned(), watched);
        drop(state);
        if before.is_some_and(|before| before.id == watched.id) {
            return Ok(());
        }
        let is_other = before.is_some();
        let Err(error) = self.shared.watch(source, folder, is_other) else {
            return Ok(());
        };
        self.shared.inbox.lock().watched(source).remove(folder);
        match error.kind {
            ErrorKind::PathNotFound => Err(io::ErrorKind::NotFound.into()),
            ErrorKind::Io(error) if is_of_folder(&error) => Err(error),
            _ => {
                self.go_blind(folder, &error.to_string());
                Ok(())
            }
        }
    }

    fn go_blind(&mut self, folder: &Path, reason: &str) {
        self.shared.inbox.lock().is_blind = true;
        if !std::mem::replace(&mut self.has_warned, true) {
            tracing::warn!(
                folder = %folder.display(),
                reason,
                "not all folders are watched (fs.inotify.max_user_watches, fs.inotify.max_user_instances): changes in them are found later"
            );
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.shared.inbox.end();
    }
}

#[derive(Debug)]
pub struct Renewal<'a> {
    watcher: &'a mut Watcher,
}

impl Renewal<'_> {
    /// Watches the files in a directory, and the names of the directories in it; a missing or unreadable directory is
    /// ignored.
    pub fn folder(&mut self, folder: &Path) {
        let _ = self.watcher.add(Source::Folders, folder);
    }

    /// Watches a single absolute path. If it is created, removed, or written and closed, even through links, a rescan
    /// is reported.
    /// If a directory in it is missing, the nearest existing one is watched.
    pub fn path(&mut self, path: &Path) {
        for place in places(path) {
            let mut folders = place.ancestors().skip(1);
            let mut inbox = self.watcher.shared.inbox.lock();
            inbox.paths.push(place.clone());
            drop(inbox);
            // Directories that the kernel cannot watch do not contain anything that could change.
            let _ = folders.find(|folder| self.watcher.add(Source::Paths, folder).is_ok());
        }
    }
}

impl Handle {
    pub fn look(&self) {
        self.0.inbox.rescan();
    }

    /// Waits until the watcher's thread has processed all changes so far, for at most `most`; returns whether it has.
    /// Blocks.
    pub fn catch_up(&self, most: Duration) -> bool {
        let deadline = Instant::now() + most;
        let is_seen = self.0.flush() && !self.0.inbox.lock().is_blind;
        if !is_seen {
            self.look();
        }
        self.0.inbox.wait_applied(deadline)
    }

    pub fn end(&self) {
        self.0.inbox.end();
    }

    /// Returns the number of events that the system has reported, relevant or not: each was a wake-up.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.0.inbox.events()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.inbox.end();
    }
}

/// Returns whether the error is caused by the directory, and not by the system's limits.
fn is_of_folder(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    matches!(error.kind(), NotADirectory | NotFound | PermissionDenied)
}
