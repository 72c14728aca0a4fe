//! A folder of tapes.

use super::usage::{Usage, Used};
use super::watch::{Bell, Changes, Watcher};
use crate::store::TapeUseRow;
use crate::tape::format::file::sweep;
use crate::tape::index::{Cache, Index, TapeId, id_of, walk};
use crate::tape::key::Fingerprint;
use ccd_protocol::{ErrorCode, Reportable};
use std::collections::BTreeSet;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::Duration;
use tokio::sync::Notify;

/// Tapes that a summary names.
const SUMMARY_TAPES: usize = 100;

/// Why a folder of tapes cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RootError {
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

/// A folder of tapes in use: its index, which follows the files, and how often its tapes are played.
#[derive(Debug)]
pub(crate) struct Root {
    pub(crate) path: PathBuf,
    index: RwLock<Arc<Index>>,
    /// Held by who makes the next index.
    making: Mutex<()>,
    pub(super) usage: Usage,
    played: Arc<Notify>,
    /// Tapes that were recorded since it was opened.
    written: Mutex<BTreeSet<TapeId>>,
    bell: Option<Bell>,
    cache: Option<Cache>,
    /// The generation that the cache has.
    cached: AtomicU64,
    /// The user's rules for secrets under which the tapes were read.
    rules: AtomicU64,
}

impl Root {
    /// Indexes a folder and begins to watch it; one that is not there has no tapes yet.
    ///
    /// Blocks, for a second when there are a hundred thousand exchanges that `cache` does not have. `played` is told
    /// when there is something to save.
    ///
    /// # Errors
    ///
    /// [`RootError`]: the path is not absolute, or no folder.
    pub(super) fn open(
        path: &Path,
        cache: Option<Cache>,
        played: Arc<Notify>,
    ) -> Result<Arc<Self>, RootError> {
        if !path.is_absolute() {
            return Err(RootError::Relative {
                path: path.to_owned(),
            });
        }
        check_folder(path)?;
        let (mut watcher, bell) = match Watcher::new() {
            Ok((watcher, bell)) => (Some(watcher), Some(bell)),
            Err(error) => {
                tracing::error!(%error, root = %path.display(), "tapes are not watched");
                (None, None)
            }
        };
        let rules = rules_in_force();
        let found = look(path, watcher.as_mut());
        let known = cache
            .as_ref()
            .map(|cache| cache.load(path))
            .unwrap_or_default();
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
            bell,
            cache,
            rules: AtomicU64::new(rules.0),
        });
        root.report();
        root.save_cache();
        if let Some(watcher) = watcher {
            let weak = Arc::downgrade(&root);
            let thread = std::thread::Builder::new().name("tapes".into());
            let below = path.to_owned();
            let followed = thread.spawn(move || {
                // What writers that were killed have left.
                walk(&below, sweep);
                follow(watcher, &weak);
            });
            if let Err(error) = followed {
                tracing::error!(%error, root = %path.display(), "tapes are not watched");
            }
        }
        Ok(root)
    }

    /// The tapes now. Never waits for one that is being made.
    pub(crate) fn index(&self) -> Arc<Index> {
        Arc::clone(&self.index.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Makes the folder, for us alone, if it is not there.
    ///
    /// # Errors
    ///
    /// [`RootError::Io`].
    pub(crate) fn make_folder(&self) -> Result<(), RootError> {
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(&self.path).map_err(|source| RootError::Io {
            path: self.path.clone(),
            source,
        })?;
        // It may not have been noticed: its parent was not there either.
        if let Some(bell) = &self.bell {
            bell.look();
        }
        Ok(())
    }

    /// Indexes one file at once, after it was written or removed. Blocks.
    pub(crate) fn refresh(&self, file: &Path) {
        self.refresh_files(&BTreeSet::from([file.to_owned()]));
    }

    /// Likewise, many files.
    pub(crate) fn refresh_files(&self, files: &BTreeSet<PathBuf>) {
        if !files.is_empty() {
            self.apply(files, None);
        }
    }

    /// Indexes all files that have changed, at once. Blocks.
    pub(crate) fn refresh_all(&self) {
        self.apply(&BTreeSet::new(), Some(&mut |_| {}));
    }

    /// True when files have changed and the index does not have it yet.
    pub(crate) fn is_behind(&self) -> bool {
        self.bell.as_ref().is_some_and(Bell::is_behind)
    }

    /// Waits until the index has what has changed by now, at most so long. Blocks.
    pub(crate) fn catch_up(&self, most: Duration) {
        if let Some(bell) = &self.bell {
            bell.catch_up(most);
        }
    }

    /// Notes that exchanges of a tape were played.
    pub(crate) fn played(&self, tape: &TapeId, exchanges: u64) {
        self.usage.played(tape, exchanges);
        self.played.notify_one();
    }

    /// Indexes a tape that was just recorded, or changed by a recording. Blocks.
    pub(crate) fn wrote(&self, tape: &str, file: &Path) {
        self.refresh(file);
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.insert(TapeId::from(tape));
    }

    /// Says what became of its tapes since it was opened, if anything did.
    pub(super) fn summarise(&self) {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if written.is_empty() && !self.usage.any() {
            return;
        }
        let unused = self.unused();
        tracing::info!(
            root = %self.path.display(),
            tapes = self.index().tapes().count(),
            new = written.iter().map(|id| &**id).collect::<Vec<_>>().join(" "),
            unused = unused.iter().take(SUMMARY_TAPES).map(|id| &**id).collect::<Vec<_>>().join(" "),
            unused_count = unused.len(),
            "summary of tapes"
        );
    }

    /// How often a tape was played; `None`: never.
    pub(crate) fn used(&self, tape: &str) -> Option<Used> {
        self.usage.of(tape)
    }

    /// The tapes that were never played, in the order of their ids.
    pub(crate) fn unused(&self) -> Vec<TapeId> {
        let index = self.index();
        let tapes = index.tapes().map(|tape| TapeId::clone(&tape.id));
        let mut unused: Vec<TapeId> = tapes.filter(|id| self.usage.of(id).is_none()).collect();
        unused.sort_unstable();
        unused
    }

    /// Writes what the index knows for the next start, if that is something new. Blocks.
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

    /// Reads all tapes anew if the user's rules for secrets have changed: what is looked up has no secrets in it. Blocks.
    pub(super) fn follow_rules(&self) {
        let rules = rules_in_force();
        if self.rules.swap(rules.0, Ordering::Relaxed) == rules.0 {
            return;
        }
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = self.index().generation + 1;
        let index = Index::build(&self.path, generation, walk(&self.path, |_| {}), |_, _| {
            None
        });
        self.put(index);
    }

    /// What the database does not have yet.
    pub(super) fn take_unsaved(&self) -> Vec<TapeUseRow> {
        self.usage.take_unsaved(&self.path.to_string_lossy())
    }

    /// Makes the next index of some files, or with `walk` of all, whose folders it is told.
    fn apply(&self, files: &BTreeSet<PathBuf>, walked: Option<&mut dyn FnMut(&Path)>) {
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let index = self.index();
        let ids = files.iter().filter_map(|file| id_of(&self.path, file));
        let ids: BTreeSet<TapeId> = ids.collect();
        let next = match walked {
            Some(enter) => index.with_found(walk(&self.path, enter), &ids),
            None => index.with_files(&ids),
        };
        if let Some(next) = next {
            self.put(next);
        }
    }

    fn put(&self, next: Index) {
        *self.index.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        self.report();
    }

    fn report(&self) {
        let index = self.index();
        tracing::debug!(
            root = %self.path.display(),
            generation = index.generation,
            tapes = index.tapes().count(),
            problems = index.problems().count(),
            "tapes indexed"
        );
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        if let Some(bell) = &self.bell {
            bell.end();
        }
    }
}

/// Refuses what can be no folder of tapes; one that is not there may come.
fn check_folder(path: &Path) -> Result<(), RootError> {
    let path = path.to_owned();
    match path.metadata() {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(RootError::NotAFolder { path }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(RootError::Io { path, source }),
    }
}

fn rules_in_force() -> Fingerprint {
    Fingerprint::of("rules", crate::redact::rules_in_force().as_bytes())
}

/// Follows what changes as long as there is a root.
fn follow(mut watcher: Watcher, root: &Weak<Root>) {
    loop {
        let Changes {
            files,
            all,
            is_over,
        } = watcher.wait();
        let Some(root) = root.upgrade().filter(|_| !is_over) else {
            return;
        };
        if all {
            watch_again(&root.path, &mut watcher);
            root.apply(&files, Some(&mut |folder| watcher.add(folder)));
        } else {
            root.apply(&files, None);
        }
    }
}

fn look(path: &Path, watcher: Option<&mut Watcher>) -> crate::tape::index::Found {
    match watcher {
        None => walk(path, |_| {}),
        Some(watcher) => {
            watch_again(path, watcher);
            walk(path, |folder| watcher.add(folder))
        }
    }
}

/// Before a walk: waits for the root itself, should it not be there.
fn watch_again(path: &Path, watcher: &mut Watcher) {
    watcher.begin();
    let is_there = path.exists();
    watcher.await_root(path.parent().filter(|_| !is_there));
}
