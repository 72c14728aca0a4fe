//! The directories of tapes in use, by path.

use super::folder::{Root, RootError};
use super::usage::{UsageError, UsageStore};
use crate::index::{Cache, SUFFIX};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Notify, OnceCell};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub(super) const MAX_ROOTS: usize = 64;

/// Maximum time for which counts are not saved.
const SAVE_AFTER: Duration = Duration::from_millis(300);

#[derive(Debug)]
pub struct Roots {
    caches: PathBuf,
    usage: Arc<dyn UsageStore>,
    open: Mutex<HashMap<PathBuf, RootEntry>>,
    /// Notified when a tape was played.
    played: Arc<Notify>,
}

/// A root that is open or being opened.
#[derive(Debug, Clone)]
struct RootEntry {
    root: Arc<OnceCell<Arc<Root>>>,
    asked_at: Instant,
}

impl Roots {
    /// Returns an empty set of roots. Index caches are kept in the directory `base`, counts in `usage`.
    /// Counts are saved until `stop`, and then by [`Roots::close`].
    pub fn new(
        base: &Path,
        usage: Arc<dyn UsageStore>,
        tracker: &TaskTracker,
        stop: CancellationToken,
    ) -> Arc<Self> {
        let roots = Arc::new(Self {
            caches: base.join("cache"),
            usage,
            open: Mutex::default(),
            played: Arc::default(),
        });
        let saved = Arc::clone(&roots);
        tracker.spawn(async move {
            loop {
                tokio::select! {
                    () = saved.played.notified() => {}
                    () = stop.cancelled() => return,
                }
                tokio::time::sleep(SAVE_AFTER).await;
                saved.save().await;
            }
        });
        roots
    }

    /// Returns the root of a path. The first call reads its tapes; calls made meanwhile wait for that.
    pub async fn open(&self, path: &Path) -> Result<Arc<Root>, RootError> {
        let path = lexically_normal(path);
        let (place, gone) = self.place(&path)?;
        for root in gone {
            self.put_away(root).await;
        }
        let opened = place.root.get_or_try_init(|| self.open_anew(&path)).await;
        if opened.is_err() {
            let mut open = self.open.lock();
            open.retain(|known, place| *known != path || place.root.initialized());
        }
        let root = Arc::clone(opened?);
        let followed = Arc::clone(&root);
        let _ = tokio::task::spawn_blocking(move || followed.follow_moves()).await;
        Ok(root)
    }

    pub fn all(&self) -> Vec<Arc<Root>> {
        let open = self.open.lock();
        let roots = open.values().filter_map(|place| place.root.get());
        roots.map(Arc::clone).collect()
    }

    pub async fn forget(&self, root: &Root, tapes: &[Arc<str>]) {
        root.usage.forget(tapes);
        if let Err(error) = self.usage.forget(&root.path, tapes).await {
            tracing::warn!(%error, "could not delete the use counts of removed tapes");
        }
    }

    /// Removes what is stored about tapes and was not used for `keep`: index caches of roots that are not open, and the
    /// counts of tapes whose files are gone. Tapes are never removed.
    pub async fn remove_old(&self, keep: Duration) -> Result<(), UsageError> {
        let removed = self.remove_caches(keep, self.paths()).await?;
        if removed > 0 {
            tracing::info!(
                removed,
                "index caches of tapes that nobody uses were removed"
            );
        }
        self.remove_counts(keep).await
    }

    /// Removes all index caches, because they have arguments and directories of tapes that are gone, and the counts of such
    /// tapes. An open root that has changed writes its cache again when it is closed, with the tapes that it has then.
    pub async fn remove_traces(&self) -> Result<(), UsageError> {
        self.remove_caches(Duration::ZERO, Vec::new()).await?;
        self.remove_counts(Duration::ZERO).await
    }

    async fn remove_caches(&self, keep: Duration, open: Vec<PathBuf>) -> Result<u64, UsageError> {
        let caches = self.caches.clone();
        let remove = move || Cache::remove_old(&caches, keep, &open);
        Ok(tokio::task::spawn_blocking(remove).await??)
    }

    async fn remove_counts(&self, keep: Duration) -> Result<(), UsageError> {
        let before = ccd_base::clock::seconds_ago(keep.as_secs_f64());
        let mut old = self.usage.played_before(&before).await?;
        let gone = move || {
            old.retain(|(root, tape)| !root.join(format!("{tape}{SUFFIX}")).exists());
            old
        };
        let gone = tokio::task::spawn_blocking(gone).await?;
        let mut by_root: HashMap<PathBuf, Vec<Arc<str>>> = HashMap::new();
        for (root, tape) in gone {
            by_root.entry(root).or_default().push(tape);
        }
        for (path, tapes) in by_root {
            self.usage.forget(&path, &tapes).await?;
            // A root that is being opened may have read the counts before.
            if self.paths().contains(&path)
                && let Ok(root) = self.open(&path).await
            {
                root.usage.forget(&tapes);
            }
        }
        Ok(())
    }

    pub fn caches(&self) -> &Path {
        &self.caches
    }

    /// Returns the paths of the roots in use, opened or not.
    fn paths(&self) -> Vec<PathBuf> {
        self.open.lock().keys().cloned().collect()
    }

    /// Reads tapes again if the user's redaction rules have changed.
    pub async fn follow_rules(&self) {
        for root in self.all() {
            let _ = tokio::task::spawn_blocking(move || root.follow_rules()).await;
        }
    }

    /// Logs for each root which tapes are new and which were never played.
    pub fn summarise(&self) {
        for root in self.all() {
            root.summarise();
        }
    }

    /// Saves all counts and indexes.
    pub async fn close(&self) {
        for root in self.all() {
            self.put_away(root).await;
        }
    }

    async fn save(&self) {
        for root in self.all() {
            self.save_root(&root).await;
        }
    }

    async fn save_root(&self, root: &Root) {
        let counts = root.usage.take_unsaved();
        if counts.is_empty() {
            return;
        }
        if let Err(error) = self.usage.save(&root.path, &counts).await {
            tracing::warn!(%error, "could not save the use counts of tapes");
            root.usage.not_saved(counts);
        }
    }

    async fn put_away(&self, root: Arc<Root>) {
        self.save_root(&root).await;
        let _ = tokio::task::spawn_blocking(move || root.save_cache()).await;
    }

    async fn open_anew(&self, path: &Path) -> Result<Arc<Root>, RootError> {
        let cache = Cache::new(&self.caches, path);
        let (folder, played) = (path.to_owned(), Arc::clone(&self.played));
        let open = move || Root::open(&folder, Some(cache), played);
        let opened = tokio::task::spawn_blocking(open).await;
        let root = opened.map_err(|error| RootError::Io {
            path: path.to_owned(),
            source: error.into(),
        })??;
        match self.usage.load(path).await {
            Ok(counts) => root.usage.load(counts),
            Err(error) => tracing::warn!(%error, "could not read the use counts of tapes"),
        }
        Ok(root)
    }

    /// Returns the entry of a path, and the roots that were closed to make room for it: those not requested for the
    /// longest time.
    fn place(&self, path: &Path) -> Result<(RootEntry, Vec<Arc<Root>>), RootError> {
        let mut open = self.open.lock();
        let asked_at = Instant::now();
        if let Some(place) = open.get_mut(path) {
            place.asked_at = asked_at;
            return Ok((place.clone(), Vec::new()));
        }
        let mut gone = Vec::new();
        while open.len() >= MAX_ROOTS {
            let idle = open.iter().filter(|(_, place)| place.is_idle());
            let oldest = idle.min_by_key(|(_, place)| place.asked_at);
            let Some(oldest) = oldest.map(|(path, _)| path.clone()) else {
                let open = open.len();
                return Err(RootError::TooMany { open });
            };
            let place = open.remove(&oldest);
            gone.extend(place.and_then(|place| place.root.get().map(Arc::clone)));
        }
        let place = RootEntry {
            root: Arc::default(),
            asked_at,
        };
        open.insert(path.to_owned(), place.clone());
        Ok((place, gone))
    }
}

impl RootEntry {
    /// Returns whether nobody uses the root or waits for it.
    fn is_idle(&self) -> bool {
        let is_unused = |root: &Arc<Root>| Arc::strong_count(root) == 1;
        Arc::strong_count(&self.root) == 1 && self.root.get().is_none_or(is_unused)
    }
}

/// Removes `.`, `..` and redundant slashes, so that a directory has one name; links are kept.
fn lexically_normal(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    normal
}
