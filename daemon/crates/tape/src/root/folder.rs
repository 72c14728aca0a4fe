//! A directory of tapes.

use super::usage::{Usage, Used};
use crate::format::Meta;
use crate::format::file::{FileError, create_new, make_folder, sweep};
use crate::index::{Cache, Index, SUFFIX, TapeId, id_of, rules_in_force, walk};
use crate::name::NameTemplate;
use ccd_protocol::tape::TapeProblem;
use ccd_protocol::{ErrorCode, Reportable};
use ccd_watch::{Changes, Renewal, Watcher};
use parking_lot::{Mutex, RwLock};
use std::collections::{BTreeSet, HashSet};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::Notify;

/// Files are read after this time without a change, because they are seldom written in one step.
const QUIET: Duration = Duration::from_millis(2);

/// Maximum wait for a writer that does not pause.
const LONGEST: Duration = Duration::from_millis(50);

/// How long a call waits until another directory of tapes has been read.
const REREAD_LIMIT: Duration = Duration::from_secs(10);

/// How long a miss waits for files that have just changed.
pub(crate) const CATCH_UP: Duration = Duration::from_secs(2);

/// Maximum number of tapes that a summary lists, and of problems that are logged at once.
const SUMMARY_TAPES: usize = 100;

/// Maximum number of names that are drawn for a new tape.
const MAX_TRIES: usize = 16;

/// Maximum number that is added to a name that is taken.
const MAX_NUMBER: u32 = 10_000;

#[derive(Debug, thiserror::Error)]
pub enum RootError {
    #[error("the tape directory {path:?} is not absolute: give an absolute path")]
    Relative { path: PathBuf },
    #[error(
        "{open} tape directories are in use, which is the limit: end sessions that play or record tapes"
    )]
    TooMany { open: usize },
    #[error("{path:?} is not a directory: name a directory of tapes")]
    NotAFolder { path: PathBuf },
    #[error("the tape directory {path:?} cannot be used: {source}")]
    Io { path: PathBuf, source: io::Error },
}

impl Reportable for RootError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Relative { .. } | Self::NotAFolder { .. } => ErrorCode::InvalidArgument,
            Self::TooMany { .. } => ErrorCode::LimitReached,
            Self::Io { .. } => ErrorCode::Storage,
        }
    }
}

/// Device and number of a directory.
type FolderId = (u64, u64);

/// A directory of tapes in use: its index, which is updated when files change, and how often its tapes are played.
#[derive(Debug)]
pub struct Root {
    pub path: PathBuf,
    index: RwLock<Arc<Index>>,
    /// Held while the next index is made.
    making: Mutex<()>,
    pub(super) usage: Usage,
    played: Arc<Notify>,
    /// Tapes that were recorded since the root was opened.
    written: Mutex<BTreeSet<TapeId>>,
    watch: ccd_watch::Handle,
    /// The directory that was last seen at the path.
    seen: Mutex<Option<FolderId>>,
    cache: Option<Cache>,
    /// The generation that was saved to the cache.
    cached: AtomicU64,
    /// The user's redaction rules that were in effect when the tapes were read.
    rules: AtomicU64,
}

impl Root {
    /// Indexes a directory and starts to watch it; a missing directory has no tapes yet.
    /// Blocks, for about a second per hundred thousand exchanges that are not in `cache`. `played` is notified when
    /// there are counts to save.
    pub(crate) fn open(
        path: &Path,
        cache: Option<Cache>,
        played: Arc<Notify>,
    ) -> Result<Arc<Self>, RootError> {
        check_folder(path)?;
        let (mut watcher, watch) = Watcher::new(is_tape);
        let rules = rules_in_force();
        let found = watcher.renew(|renewal| {
            watch_root(path, renewal);
            walk(path, |folder| renewal.folder(folder))
        });
        let known = cache.as_ref().map(|cache| cache.load(path));
        let known = known.unwrap_or_default();
        let index = Index::build(path, 1, found, |id, stamp| {
            known.get(id).filter(|tape| tape.stamp == *stamp).cloned()
        });
        let is_cached = index.tapes().all(|tape| {
            let known = known.get(&tape.id);
            known.is_some_and(|known| Arc::ptr_eq(known, tape))
        });
        let root = Arc::new(Self {
            path: path.to_owned(),
            making: Mutex::default(),
            usage: Usage::default(),
            played,
            cached: AtomicU64::new(if is_cached { index.generation } else { 0 }),
            index: RwLock::new(Arc::new(index)),
            written: Mutex::default(),
            watch,
            seen: Mutex::new(folder_id(path)),
            cache,
            rules: AtomicU64::new(rules.0),
        });
        root.report(None);
        root.save_cache();
        let weak = Arc::downgrade(&root);
        let thread = std::thread::Builder::new().name("tapes".into());
        let below = path.to_owned();
        let followed = thread.spawn(move || {
            // Removes the temporary files of killed writers.
            walk(&below, sweep);
            follow(watcher, &weak);
        });
        if let Err(error) = followed {
            tracing::error!(%error, root = %path.display(), "tapes are not watched");
        }
        Ok(root)
    }

    /// Returns the current index. Never waits for the next one to be made.
    pub fn index(&self) -> Arc<Index> {
        Arc::clone(&self.index.read())
    }

    /// Creates the directory if it is missing, readable only by this user.
    pub fn make_folder(&self) -> Result<(), RootError> {
        make_folder(&self.path).map_err(|source| RootError::Io {
            path: self.path.clone(),
            source,
        })
    }

    /// Indexes one file at once after it was written or removed. Blocks.
    pub fn refresh(&self, file: &Path) {
        self.refresh_files(&BTreeSet::from([file.to_owned()]));
    }

    /// Indexes several files at once. Blocks.
    pub(crate) fn refresh_files(&self, files: &BTreeSet<PathBuf>) {
        if !files.is_empty() {
            self.apply(files, None);
        }
    }

    /// Indexes all changed files at once. Blocks.
    pub(crate) fn refresh_all(&self) {
        self.apply(&BTreeSet::new(), Some(&mut |_| {}));
    }

    /// Waits until the index contains all changes made so far, for at most `most`. Blocks.
    pub fn catch_up(&self, most: Duration) {
        self.has_moved();
        self.watch.catch_up(most);
    }

    /// Reads the tapes again if another directory has taken the place of the one that was read. The system does not
    /// report that a directory above it was renamed. Blocks.
    pub(super) fn follow_moves(&self) {
        if self.has_moved() {
            self.watch.catch_up(REREAD_LIMIT);
        }
    }

    /// Requests a rescan, and returns true, if another directory is at the path than before.
    fn has_moved(&self) -> bool {
        let now = folder_id(&self.path);
        let mut seen = self.seen.lock();
        let has_moved = std::mem::replace(&mut *seen, now) != now;
        if has_moved {
            self.watch.look();
        }
        has_moved
    }

    pub fn played(&self, tape: &TapeId, exchanges: u64) {
        self.usage.played(tape, exchanges);
        self.played.notify_one();
    }

    /// Writes a new tape under the first name that is free; returns its id and its file, or `None` if no name is. Blocks.
    pub(crate) fn add_tape(
        &self,
        name: &NameTemplate,
        meta: &Meta,
        verb: &str,
        text: &str,
    ) -> Result<Option<(String, PathBuf)>, FileError> {
        let first = name.draw(meta, verb);
        // If the name is taken, another one is drawn. If the template has no random part, a number is added.
        let drawn = (0..MAX_TRIES).map(|_| name.draw(meta, verb));
        let numbered = (2..MAX_NUMBER).map(|number| format!("{first}-{number}"));
        for id in drawn.chain(numbered) {
            let path = self.path.join(format!("{id}{SUFFIX}"));
            match create_new(&path, text) {
                Ok(()) => return Ok(Some((id, path))),
                Err(FileError::Exists { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Indexes a tape that was recorded, or changed by a recording. Blocks.
    pub fn wrote(&self, tape: &str, file: &Path) {
        self.refresh(file);
        let mut written = self.written.lock();
        written.insert(TapeId::from(tape));
    }

    /// Logs which tapes were recorded or played since the root was opened, if there are any.
    pub(super) fn summarise(&self) {
        let written = self.written.lock();
        let played = self.usage.played_now();
        if written.is_empty() && played.is_empty() {
            return;
        }
        let mut unused = self.ids();
        unused.retain(|id| !written.contains(id) && !played.contains(id));
        tracing::info!(
            root = %self.path.display(),
            tapes = self.index().tapes().count(),
            played = played.len(),
            new = written.iter().map(|id| &**id).collect::<Vec<_>>().join(" "),
            unused = unused.iter().take(SUMMARY_TAPES).map(|id| &**id).collect::<Vec<_>>().join(" "),
            unused_count = unused.len(),
            "summary of tapes"
        );
    }

    /// Returns how often a tape was played; `None` if never.
    pub fn used(&self, tape: &str) -> Option<Used> {
        self.usage.get(tape)
    }

    pub fn bytes(&self) -> u64 {
        self.index().tapes().map(|tape| tape.stamp.bytes).sum()
    }

    /// Returns the tapes, sorted by id.
    pub fn ids(&self) -> Vec<TapeId> {
        let index = self.index();
        let tapes = index.tapes_by_id().into_iter();
        tapes.map(|tape| TapeId::clone(&tape.id)).collect()
    }

    /// Saves the index for the next start, if it has changed. Blocks.
    pub(crate) fn save_cache(&self) {
        let index = self.index();
        let Some(cache) = &self.cache else { return };
        if self.cached.swap(index.generation, Ordering::Relaxed) == index.generation {
            return;
        }
        if let Err(error) = cache.save(&index) {
            tracing::warn!(%error, root = %self.path.display(), "could not save the index of tapes: the next start reads all tapes");
        }
    }

    /// Reads all tapes again if the user's redaction rules have changed, because lookup keys are redacted. Blocks.
    pub(super) fn follow_rules(&self) {
        let rules = rules_in_force();
        if self.rules.swap(rules.0, Ordering::Relaxed) == rules.0 {
            return;
        }
        let _making = self.making.lock();
        let generation = self.index().generation + 1;
        let index = Index::build(&self.path, generation, walk(&self.path, |_| {}), |_, _| {
            None
        });
        self.put(index);
    }

    /// Makes the next index from `files`, or from all files if `enter` is given, which is then called with each
    /// directory.
    fn apply(&self, files: &BTreeSet<PathBuf>, enter: Option<&mut dyn FnMut(&Path)>) {
        let _making = self.making.lock();
        let index = self.index();
        let ids = files.iter().filter_map(|file| id_of(&self.path, file));
        let ids: BTreeSet<TapeId> = ids.collect();
        let next = match enter {
            Some(enter) => index.with_found(walk(&self.path, enter), &ids),
            None => index.with_files(&ids),
        };
        if let Some(next) = next {
            self.put(next);
        }
    }

    fn put(&self, next: Index) {
        let before = self.index();
        *self.index.write() = Arc::new(next);
        self.report(Some(&before));
    }

    /// Logs the size of the index, and the files that have become unusable since `before`.
    fn report(&self, before: Option<&Index>) {
        let index = self.index();
        let known = before.into_iter().flat_map(Index::problems);
        let known: HashSet<&str> = known.map(|problem| &*problem.path).collect();
        let is_new = |problem: &&TapeProblem| !known.contains(&*problem.path);
        for problem in index.problems().filter(is_new).take(SUMMARY_TAPES) {
            tracing::warn!(
                path = problem.path,
                line = problem.line,
                column = problem.column,
                "a tape cannot be read; ccctl tape validate says why"
            );
        }
        tracing::debug!(
            root = %self.path.display(),
            generation = index.generation,
            tapes = index.tapes().count(),
            problems = index.problems().count(),
            "tapes indexed"
        );
    }
}

/// Rejects a path that cannot be a directory of tapes; a missing one may be created later.
fn check_folder(path: &Path) -> Result<(), RootError> {
    let path = path.to_owned();
    match path.metadata() {
        _ if !path.is_absolute() => Err(RootError::Relative { path }),
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(RootError::NotAFolder { path }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(RootError::Io { path, source }),
    }
}

/// Returns `None` if there is no directory.
fn folder_id(path: &Path) -> Option<FolderId> {
    let found = path.metadata().ok()?;
    Some((found.dev(), found.ino()))
}

fn is_tape(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    name.ends_with(SUFFIX.as_bytes()) && !name.starts_with(b".")
}

/// Applies changes as long as the root exists.
fn follow(mut watcher: Watcher, root: &Weak<Root>) {
    while let Some(Changes { files, rescan, .. }) = watcher.wait(QUIET, LONGEST) {
        let Some(root) = root.upgrade() else { return };
        if rescan {
            watcher.renew(|renewal| {
                watch_root(&root.path, renewal);
                root.apply(&files, Some(&mut |folder| renewal.folder(folder)));
            });
        } else {
            root.apply(&files, None);
        }
    }
}

/// Watches for the creation of a missing root. Called before a walk.
fn watch_root(path: &Path, renewal: &mut Renewal<'_>) {
    if !path.exists() {
        renewal.path(path);
    }
}
