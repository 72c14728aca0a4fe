//! Watches folders and single paths.

use crate::inbox::{Changes, Inbox, Source, Watched};
use crate::links::places;
use notify::{Config, ErrorKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Folders that are watched; where there are more, everything is looked at again and again.
pub const MAX_FOLDERS: usize = 10_000;

/// Watches folders and single paths, for one thread.
#[derive(Debug)]
pub struct Watcher {
    shared: Arc<Shared>,
    max_folders: usize,
    round: u64,
    has_warned: bool,
}

/// What others need of a watcher. It ends the watcher when it is dropped.
#[derive(Debug)]
pub struct Handle(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    inbox: Arc<Inbox>,
    /// Never locked by the threads of `notify`, because who holds it waits for them.
    instances: Mutex<Instances>,
}

#[derive(Debug, Default)]
struct Instances {
    folders: Option<RecommendedWatcher>,
    paths: Option<RecommendedWatcher>,
}

impl Instances {
    fn of(&mut self, source: Source) -> &mut Option<RecommendedWatcher> {
        match source {
            Source::Folders => &mut self.folders,
            Source::Paths => &mut self.paths,
        }
    }
}

impl Shared {
    fn instances(&self) -> MutexGuard<'_, Instances> {
        self.instances
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the system report what happens in a folder.
    fn watch(&self, source: Source, folder: &Path, is_other: bool) -> notify::Result<()> {
        let mut instances = self.instances();
        let instance = instances.of(source);
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
            // What it knows by this path is gone, or moved to another one.
            let _ = watcher.unwatch(folder);
        }
        watcher.watch(folder, RecursiveMode::NonRecursive)
    }

    /// Ends what the last renewal has not asked for.
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
            *instances.of(source) = None;
        } else if let Some(watcher) = instances.of(source) {
            for folder in gone {
                // It has gone by itself if this fails.
                let _ = watcher.unwatch(&folder);
            }
        }
    }

    /// Waits until everything that has happened by now is in the inbox. False where nothing tells when that is so.
    fn flush(&self) -> bool {
        let mut instances = self.instances();
        let Instances { folders, paths } = &mut *instances;
        for watcher in [folders, paths].into_iter().flatten() {
            // To change no path has its thread read all that the kernel has. It hands that over after it has answered,
            // but before it takes the second one.
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
    /// Returns a watcher of nothing yet; of changed files in watched folders the `wanted` ones are named.
    ///
    /// `wanted` is asked on a thread that must not wait.
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

    /// Watches what `ask` asks for, and nothing else any more.
    ///
    /// What is read after it was asked for is right: later changes are reported.
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

    /// Waits until something changes, and then until nothing has for as long as `quiet`, but not longer than `longest`;
    /// `None` once the handle is gone.
    ///
    /// What it has returned the time before counts as dealt with. After a rescan [`Watcher::renew`] is needed. Blocks.
    pub fn wait(&mut self, quiet: Duration, longest: Duration) -> Option<Changes> {
        self.shared.inbox.wait(quiet, longest)
    }

    fn add(&mut self, source: Source, folder: &Path) -> io::Result<()> {
        let meta = fs::metadata(folder)?;
        let watched = Watched {
            id: (meta.dev(), meta.ino()),
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
        let is_other = before.is_some_and(|before| before.id != watched.id);
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
                "not all folders are watched (fs.inotify.max_user_watches, fs.inotify.max_user_instances): they are looked at twice a second"
            );
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.shared.inbox.end();
    }
}

/// Says what to watch from now on.
#[derive(Debug)]
pub struct Renewal<'a> {
    watcher: &'a mut Watcher,
}

impl Renewal<'_> {
    /// Watches the files in a folder, and the names of the folders in it; one that is not there, or that nobody may
    /// read, is left out.
    pub fn folder(&mut self, folder: &Path) {
        let _ = self.watcher.add(Source::Folders, folder);
    }

    /// Watches a single absolute path: what comes there, goes, or was written and closed, also by way of links, asks for
    /// a rescan.
    ///
    /// Where a folder of it is missing, the nearest one that exists is watched.
    pub fn path(&mut self, path: &Path) {
        for place in places(path) {
            let mut folders = place.ancestors().skip(1);
            let mut inbox = self.watcher.shared.inbox.lock();
            inbox.paths.push(place.clone());
            drop(inbox);
            // Those that the kernel cannot watch have nothing that could change.
            let _ = folders.find(|folder| self.watcher.add(Source::Paths, folder).is_ok());
        }
    }
}

impl Handle {
    /// Has everything looked at again.
    pub fn look(&self) {
        self.0.inbox.rescan();
    }

    /// Waits until the watcher's thread has dealt with all that has changed by now, at most so long. Blocks.
    pub fn catch_up(&self, most: Duration) {
        let deadline = Instant::now() + most;
        let is_seen = self.0.flush() && !self.0.inbox.lock().is_blind;
        if !is_seen {
            self.look();
        }
        self.0.inbox.wait_applied(deadline);
    }

    /// Counts what the system has reported so far, whether it mattered or not: each was a wake-up.
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

/// True when the folder is the reason, and not the system's limits.
fn is_of_folder(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    matches!(error.kind(), NotADirectory | NotFound | PermissionDenied)
}
