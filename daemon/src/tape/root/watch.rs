//! Notices what changes in the folders of a root, by inotify.
//!
//! Our own and no crate's: one that is told of every opened file would wake up for each exchange that is played.

use crate::tape::index::SUFFIX;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::{Errno, ioctl_fionread};
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Folders of a root that are watched; of a larger one all files are looked at, again and again.
const MAX_FOLDERS: usize = 10_000;

/// So long nothing may change before what has changed is read: who writes a file seldom does it at once.
const QUIET: Duration = Duration::from_millis(2);

/// Who writes without a pause is waited for so long.
const LONGEST: Duration = Duration::from_millis(50);

/// How often all files are looked at when the system watches no more folders.
const POLL: Duration = Duration::from_millis(500);

/// More files than this are looked for in one walk.
const MAX_FILES: usize = 1000;

const EVENT_BYTES: usize = 16 << 10;

/// What has changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub(super) files: BTreeSet<PathBuf>,
    /// Anything may have.
    pub(super) all: bool,
    /// Nobody wants to know any more.
    pub(super) is_over: bool,
}

/// Watches folders.
#[derive(Debug)]
pub(super) struct Watcher {
    inotify: Option<Arc<OwnedFd>>,
    bell: Arc<OwnedFd>,
    turns: Arc<Turns>,
    folders: HashMap<i32, PathBuf>,
    /// The folder where the root is to appear.
    parent: Option<i32>,
    /// Not all folders are watched.
    is_blind: bool,
    has_warned: bool,
}

/// Wakes a watcher up, and knows whether it is at work.
#[derive(Debug)]
pub(super) struct Bell {
    bell: Arc<OwnedFd>,
    inotify: Option<Arc<OwnedFd>>,
    turns: Arc<Turns>,
}

/// The turns of a watcher's thread: from noticing that something has changed until it waits again.
#[derive(Debug, Default)]
struct Turns {
    now: Mutex<Turn>,
    over: Condvar,
}

#[derive(Debug, Default, Clone, Copy)]
struct Turn {
    is_on: bool,
    /// Turns that are over.
    done: u64,
}

impl Turns {
    fn begin(&self) {
        self.lock().is_on = true;
    }

    /// What was noticed so far is in the index.
    fn end(&self) {
        let mut now = self.lock();
        if std::mem::take(&mut now.is_on) {
            now.done += 1;
            self.over.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Turn> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the bell says: look at everything, or end.
const LOOK: u64 = 1;
const END: u64 = 1 << 32;

impl Bell {
    pub(super) fn look(&self) {
        self.ring(LOOK);
    }

    pub(super) fn end(&self) {
        self.ring(END);
    }

    /// True when something has changed that is not in the index yet, as far as that is watched.
    pub(super) fn is_behind(&self) -> bool {
        // In this order: a turn is on before what it is about is read.
        self.has_unread() || self.turns.lock().is_on
    }

    /// Waits until what has changed by now is in the index, at most so long.
    pub(super) fn catch_up(&self, most: Duration) {
        let mut now = self.turns.lock();
        // The turn that is on may have read before; the one behind it reads all there is.
        let enough = now.done + 2;
        let deadline = Instant::now() + most;
        while now.done < enough && (now.is_on || self.has_unread()) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let waited = self.turns.over.wait_timeout(now, left);
            now = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn has_unread(&self) -> bool {
        let inotify = self.inotify.as_ref();
        inotify.is_some_and(|inotify| ioctl_fionread(inotify).is_ok_and(|unread| unread > 0))
    }

    fn ring(&self, word: u64) {
        // It can only fail when it has been rung four billion times.
        let _ = rustix::io::write(&*self.bell, &word.to_ne_bytes());
    }
}

impl Watcher {
    /// Returns a watcher of nothing yet.
    ///
    /// # Errors
    ///
    /// There are no descriptors left.
    pub(super) fn new() -> io::Result<(Self, Bell)> {
        let bell = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        // Users have a limited number of these.
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)
            .ok()
            .map(Arc::new);
        let turns = Arc::<Turns>::default();
        let watcher = Self {
            is_blind: inotify.is_none(),
            inotify: inotify.clone(),
            bell: Arc::clone(&bell),
            turns: Arc::clone(&turns),
            folders: HashMap::new(),
            parent: None,
            has_warned: false,
        };
        let bell = Bell {
            bell,
            inotify,
            turns,
        };
        Ok((watcher, bell))
    }

    /// Watches the tapes and folders in a folder.
    pub(super) fn add(&mut self, folder: &Path) {
        let files = WatchFlags::CREATE
            | WatchFlags::MODIFY
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::ATTRIB
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO;
        if let Some(number) = self.watch(
            folder,
            files | WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF,
        ) {
            self.folders.insert(number, folder.to_owned());
        }
    }

    /// Watches for a root that is not there; `None`: no longer.
    pub(super) fn await_root(&mut self, parent: Option<&Path>) {
        let watched = parent.and_then(|parent| {
            let appears = WatchFlags::CREATE | WatchFlags::MOVED_TO;
            self.watch(parent, appears)
        });
        if let (Some(before), Some(inotify)) = (self.parent, &self.inotify)
            && watched != Some(before)
        {
            // It has gone by itself if this fails.
            let _ = inotify::remove_watch(inotify, before);
        }
        self.parent = watched;
    }

    fn watch(&mut self, folder: &Path, what: WatchFlags) -> Option<i32> {
        let inotify = self.inotify.as_ref()?;
        if self.folders.len() >= MAX_FOLDERS {
            self.is_blind = true;
            return None;
        }
        match inotify::add_watch(inotify, folder, what | WatchFlags::ONLYDIR) {
            Ok(number) => return Some(number),
            Err(Errno::NOSPC | Errno::NOMEM) => self.is_blind = true,
            // It has gone, or may not be read, which the walk says.
            Err(_) => {}
        }
        if self.is_blind && !std::mem::replace(&mut self.has_warned, true) {
            tracing::warn!(
                folder = %folder.display(),
                "the system cannot watch more directories (fs.inotify.max_user_watches): tapes are polled twice per second"
            );
        }
        None
    }

    /// Says that all folders are about to be added again.
    pub(super) fn begin(&mut self) {
        self.is_blind = self.inotify.is_none();
    }

    /// Waits until something has changed, and then until nothing has for a moment.
    pub(super) fn wait(&mut self) -> Changes {
        let mut changes = Changes::default();
        while !changes.is_any() {
            self.turns.end();
            match self.poll(self.is_blind.then_some(POLL)) {
                Ok(true) => {
                    self.turns.begin();
                    self.take(&mut changes);
                }
                Ok(false) => changes.all = true,
                Err(error) => {
                    tracing::error!(%error, "tapes are no longer watched");
                    changes.is_over = true;
                }
            }
        }
        let begin = Instant::now();
        while !changes.is_over
            && begin.elapsed() < LONGEST
            && matches!(self.poll(Some(QUIET)), Ok(true))
        {
            self.take(&mut changes);
        }
        changes
    }

    /// Returns false when nothing has come for so long.
    fn poll(&self, pause: Option<Duration>) -> io::Result<bool> {
        let pause = pause.map(|pause| Timespec {
            tv_sec: 0,
            tv_nsec: pause.subsec_nanos().into(),
        });
        let bell = PollFd::new(&self.bell, PollFlags::IN);
        let ready = match &self.inotify {
            Some(inotify) => poll(
                &mut [bell, PollFd::new(inotify, PollFlags::IN)],
                pause.as_ref(),
            ),
            None => poll(&mut [bell], pause.as_ref()),
        };
        match ready {
            Err(Errno::INTR) => Ok(true),
            ready => Ok(ready? > 0),
        }
    }

    /// Takes all that has come.
    fn take(&mut self, changes: &mut Changes) {
        let mut word = [0; 8];
        if rustix::io::read(&*self.bell, &mut word).is_ok() {
            changes.all = true;
            changes.is_over |= u64::from_ne_bytes(word) >= END;
        }
        let Some(inotify) = &self.inotify else { return };
        let mut buffer = [MaybeUninit::uninit(); EVENT_BYTES];
        let mut events = inotify::Reader::new(inotify, &mut buffer);
        // It ends when there are no more for now.
        while let Ok(event) = events.next() {
            let kind = event.events();
            if kind.contains(ReadFlags::IGNORED) {
                self.folders.remove(&event.wd());
            }
            let gone = ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::QUEUE_OVERFLOW;
            if kind.intersects(gone | ReadFlags::ISDIR) {
                changes.all = true;
            }
            let Some(name) = event.file_name().map(|name| name.to_bytes()) else {
                continue;
            };
            let is_tape = name.ends_with(SUFFIX.as_bytes()) && !name.starts_with(b".");
            if let Some(folder) = self.folders.get(&event.wd())
                && is_tape
            {
                changes.files.insert(folder.join(OsStr::from_bytes(name)));
            }
        }
        if changes.files.len() > MAX_FILES {
            changes.all = true;
        }
    }
}

impl Changes {
    fn is_any(&self) -> bool {
        self.all || self.is_over || !self.files.is_empty()
    }
}
