//! Passes changes from the threads of `notify` to those that wait for them.

use notify::event::{CreateKind, EventKind, ModifyKind, RemoveKind};
use notify::{Event, EventKindMask};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum number of changed files that are reported by name; if there are more, a rescan is needed.
pub const MAX_FILES: usize = 1000;

/// How often everything counts as changed if the system does not report changes.
const POLL: Duration = Duration::from_millis(500);

/// Which files are reported by name when they change.
pub(crate) type Wanted = dyn Fn(&Path) -> bool + Send + Sync;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Files in watched directories that were created, removed or written.
    pub files: BTreeSet<PathBuf>,
    /// New directories in watched ones, if the watcher names them; otherwise they need a rescan.
    pub folders: BTreeSet<PathBuf>,
    /// Anything may have changed, including directories and watched paths, so everything must be watched and read
    /// again.
    pub rescan: bool,
}

impl Changes {
    fn all() -> Self {
        Self {
            rescan: true,
            ..Self::default()
        }
    }
}

/// What is watched, each by its own watch of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// Directories: each write to a file in them counts.
    Folders,
    /// Single paths, through the directories that they are in. Other files there may be written all the time, so only
    /// the end of writing counts.
    Paths,
}

impl Source {
    pub(crate) fn kinds(self) -> EventKindMask {
        let kinds = EventKindMask::CORE | EventKindMask::ACCESS_CLOSE;
        // Only Linux reports the end of writing.
        if self == Self::Paths && cfg!(target_os = "linux") {
            return kinds - EventKindMask::MODIFY_DATA;
        }
        kinds
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Watched {
    /// Device and number: another directory may have replaced it at the same path. `None` if that has happened.
    pub(crate) id: Option<(u64, u64)>,
    /// The last renewal that requested it.
    pub(crate) round: u64,
}

#[derive(Debug, Default)]
pub(crate) struct InboxState {
    pending: Changes,
    /// Number of the last reported change, from 1.
    arrived: u64,
    /// The last one that [`Inbox::wait`] has returned.
    taken: u64,
    /// The last one that the owner of the watcher has processed.
    applied: u64,
    /// Number of events of the system, even irrelevant ones.
    events: u64,
    is_over: bool,
    /// Not everything could be watched.
    pub(crate) is_blind: bool,
    /// New directories are reported by name.
    pub(crate) names_folders: bool,
    pub(crate) folders: HashMap<PathBuf, Watched>,
    pub(crate) parents: HashMap<PathBuf, Watched>,
    /// The single paths, and the links that lead to them.
    pub(crate) paths: Vec<PathBuf>,
}

impl InboxState {
    pub(crate) fn watched(&mut self, source: Source) -> &mut HashMap<PathBuf, Watched> {
        match source {
            Source::Folders => &mut self.folders,
            Source::Paths => &mut self.parents,
        }
    }

    /// Notes that events may be missing: each directory has to be watched anew.
    fn doubt(&mut self) {
        let all = self.folders.values_mut().chain(self.parents.values_mut());
        all.for_each(|watched| watched.id = None);
    }
}

pub(crate) struct Inbox {
    wanted: Box<Wanted>,
    state: Mutex<InboxState>,
    arrival: Condvar,
    application: Condvar,
}

impl Inbox {
    pub(crate) fn new(wanted: Box<Wanted>) -> Arc<Self> {
        Arc::new(Self {
            wanted,
            state: Mutex::default(),
            arrival: Condvar::new(),
            application: Condvar::new(),
        })
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, InboxState> {
        self.state.lock()
    }

    /// Notes an event of the system. Runs on a thread of `notify`, which must not wait.
    pub(crate) fn note(&self, source: Source, event: notify::Result<Event>) {
        let mut state = self.lock();
        state.events += 1;
        if event.as_ref().map_or(true, Event::need_rescan) {
            state.doubt();
        }
        drop(state);
        let changes = match event {
            Ok(event) if event.need_rescan() => Changes::all(),
            Ok(event) => {
                self.forget(source, &event);
                match source {
                    Source::Paths if self.decide(&event.paths) => Changes::all(),
                    Source::Paths => Changes::default(),
                    Source::Folders => self.sort(event),
                }
            }
            Err(error) => {
                tracing::debug!(%error, "changes may have been missed");
                Changes::all()
            }
        };
        if changes != Changes::default() {
            self.add(changes);
        }
    }

    /// Notes which watched directories are no longer at their paths.
    fn forget(&self, source: Source, event: &Event) {
        let is_end = EventKind::is_remove(&event.kind)
            || matches!(event.kind, EventKind::Modify(ModifyKind::Name(_)));
        if is_end {
            let mut state = self.lock();
            let watched = state.watched(source);
            for path in &event.paths {
                if let Some(watched) = watched.get_mut(path) {
                    watched.id = None;
                }
            }
        }
    }

    /// Returns whether one of the places determines the target of a watched path.
    fn decide(&self, places: &[PathBuf]) -> bool {
        let state = self.lock();
        let mut watched = state.paths.iter();
        watched.any(|path| places.iter().any(|place| path.starts_with(place)))
    }

    fn sort(&self, event: Event) -> Changes {
        let kind = event.kind;
        let (is_watched, names_folders) = {
            let state = self.lock();
            let mut paths = event.paths.iter();
            let is_watched = paths.any(|path| state.folders.contains_key(path));
            (is_watched, state.names_folders)
        };
        if names_folders && !is_watched && kind == EventKind::Create(CreateKind::Folder) {
            return Changes {
                folders: event.paths.into_iter().collect(),
                ..Changes::default()
            };
        }
        let (files, others): (Vec<_>, Vec<_>) = event
            .paths
            .into_iter()
            .partition(|path| (self.wanted)(path));
        let has_folder = || may_be_folder(kind) && others.iter().any(|path| path.is_dir());
        let rescan = is_watched || is_folder(kind) || has_folder();
        Changes {
            files: files.into_iter().collect(),
            folders: BTreeSet::new(),
            rescan,
        }
    }

    pub(crate) fn rescan(&self) {
        self.add(Changes::all());
    }

    fn add(&self, changes: Changes) {
        let mut state = self.lock();
        state.arrived += 1;
        let pending = &mut state.pending;
        pending.rescan |= changes.rescan;
        pending.files.extend(changes.files);
        pending.folders.extend(changes.folders);
        if pending.files.len() > MAX_FILES || pending.folders.len() > MAX_FILES {
            pending.rescan = true;
            while pending.files.len() > MAX_FILES {
                pending.files.pop_last();
            }
            pending.folders.clear();
        }
        self.arrival.notify_all();
    }

    pub(crate) fn end(&self) {
        self.lock().is_over = true;
        self.arrival.notify_all();
        self.application.notify_all();
    }

    pub(crate) fn events(&self) -> u64 {
        self.lock().events
    }

    /// Waits for changes, and then until there are none for `quiet`, but at most for `longest`.
    pub(crate) fn wait(&self, quiet: Duration, longest: Duration) -> Option<Changes> {
        let mut state = self.lock();
        state.applied = state.taken;
        self.application.notify_all();
        while !state.is_over && state.pending == Changes::default() {
            if state.is_blind {
                let timeout = self.arrival.wait_for(&mut state, POLL);
                state.pending.rescan |= timeout.timed_out();
            } else {
                self.arrival.wait(&mut state);
            }
        }
        let begun = Instant::now();
        while !state.is_over && begun.elapsed() < longest {
            let before = state.arrived;
            let is_quiet = |state: &mut InboxState| state.arrived == before && !state.is_over;
            let timeout = self.arrival.wait_while_for(&mut state, is_quiet, quiet);
            if timeout.timed_out() {
                break;
            }
        }
        if state.is_over {
            return None;
        }
        state.taken = state.arrived;
        Some(std::mem::take(&mut state.pending))
    }

    /// Waits until the owner of the watcher has processed everything that has arrived so far, at most until `deadline`;
    /// returns whether it has.
    pub(crate) fn wait_applied(&self, deadline: Instant) -> bool {
        let mut state = self.lock();
        let enough = state.arrived;
        while state.applied < enough && !state.is_over {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            self.application.wait_for(&mut state, left);
        }
        state.applied >= enough
    }
}

fn is_folder(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::Create(CreateKind::Folder) | EventKind::Remove(RemoveKind::Folder)
    )
}

/// True if the event may concern a directory that matters: one that was created or became readable.
fn may_be_folder(kind: EventKind) -> bool {
    !matches!(
        kind,
        EventKind::Access(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Data(_))
    )
}

impl std::fmt::Debug for Inbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inbox")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
