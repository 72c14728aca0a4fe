use super::{RootError, Roots, UsageError, UsageStore, Used};
use crate::index::TapeId;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

type Kept<'a, T> = BoxFuture<'a, Result<T, UsageError>>;

/// The counts that one daemon leaves to the next.
#[derive(Debug, Default)]
struct KeptUsage(Mutex<HashMap<(PathBuf, TapeId), Used>>);

impl UsageStore for KeptUsage {
    fn load<'a>(&'a self, root: &'a Path) -> Kept<'a, Vec<(TapeId, Used)>> {
        let kept = self.0.lock();
        let counts = kept.iter().filter(|((of, _), _)| of == root);
        let counts = counts.map(|((_, tape), used)| (tape.clone(), used.clone()));
        std::future::ready(Ok(counts.collect())).boxed()
    }

    fn save<'a>(&'a self, root: &'a Path, counts: &'a [(TapeId, Used)]) -> Kept<'a, ()> {
        let mut kept = self.0.lock();
        for (tape, used) in counts {
            kept.insert((root.to_owned(), tape.clone()), used.clone());
        }
        std::future::ready(Ok(())).boxed()
    }

    fn played_before<'a>(&'a self, time: &'a str) -> Kept<'a, Vec<(PathBuf, TapeId)>> {
        let kept = self.0.lock();
        let old = kept.iter().filter(|(_, used)| used.at.as_str() < time);
        let old = old.map(|(place, _)| place.clone()).collect();
        std::future::ready(Ok(old)).boxed()
    }

    fn forget<'a>(&'a self, root: &'a Path, tapes: &'a [TapeId]) -> Kept<'a, ()> {
        let mut kept = self.0.lock();
        kept.retain(|(of, tape), _| of != root || !tapes.contains(tape));
        std::future::ready(Ok(())).boxed()
    }
}

/// The roots of a daemon whose base directory is `base`.
struct Started {
    roots: Arc<Roots>,
    tracker: TaskTracker,
    stop: CancellationToken,
}

impl Started {
    fn new(base: &Path, kept: &Arc<KeptUsage>) -> Self {
        let kept = Arc::<KeptUsage>::clone(kept);
        let (tracker, stop) = (TaskTracker::new(), CancellationToken::new());
        Self {
            roots: Roots::new(base, kept, &tracker, stop.clone()),
            tracker,
            stop,
        }
    }

    async fn end(self) {
        self.stop.cancel();
        self.tracker.close();
        self.tracker.wait().await;
        self.roots.close().await;
    }
}

const LONG_AGO: &str = "2020-01-01T00:00:00.000Z";

fn played(tape: &str, at: &str) -> (TapeId, Used) {
    let (exchanges, at) = (1, at.to_owned());
    (TapeId::from(tape), Used { exchanges, at })
}

fn age(path: &Path, age: Duration) {
    let file = fs::File::open(path).unwrap();
    file.set_modified(SystemTime::now() - age).unwrap();
}

fn tape(root: &Path, id: &str) {
    let path = root.join(format!("{id}.json5"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "{ meta: { program: 'p' }, exchanges: [{}] }").unwrap();
}

#[tokio::test]
async fn what_was_played_is_known_to_the_next_daemon() {
    let (base, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    tape(folder.path(), "p/a");
    let (id, gone) = (TapeId::from("p/a"), TapeId::from("p/gone"));
    let kept = Arc::default();
    let first = Started::new(base.path(), &kept);
    let root = first.roots.open(folder.path()).await.unwrap();
    root.played(&id, 2);
    root.played(&gone, 1);
    // The count survives if the daemon is killed a moment later.
    let deadline = Instant::now() + Duration::from_secs(20);
    while kept.load(folder.path()).await.unwrap().len() < 2 {
        assert!(Instant::now() < deadline, "it is not saved");
        tokio::task::yield_now().await;
    }
    root.played(&id, 1);
    first.roots.forget(&root, &[gone]).await;
    first.end().await;
    let second = Started::new(base.path(), &kept);
    let root = second.roots.open(folder.path()).await.unwrap();
    assert_eq!(root.used("p/a").unwrap().exchanges, 3);
    assert_eq!(root.used("p/gone"), None);
    second.end().await;
}

#[tokio::test]
async fn a_folder_is_one_root() {
    let (base, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    tape(folder.path(), "p/a");
    let started = Started::new(base.path(), &Arc::default());
    let twisted = folder.path().join("p/.././");
    let roots = &started.roots;
    let (one, two) = tokio::join!(roots.open(folder.path()), roots.open(&twisted));
    assert!(Arc::ptr_eq(&one.unwrap(), &two.unwrap()));
    assert_eq!(roots.all().len(), 1);
    let refused = roots.open(&folder.path().join("p/a.json5")).await;
    assert!(matches!(refused, Err(RootError::NotAFolder { .. })));
    assert_eq!(started.roots.all().len(), 1);
    started.end().await;
}

#[tokio::test]
async fn a_root_that_nobody_uses_goes_for_another() {
    let (base, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let started = Started::new(base.path(), &Arc::default());
    let path = |number: usize| folder.path().join(number.to_string());
    let mut used = Vec::new();
    for number in 0..super::roots::MAX_ROOTS {
        used.push(started.roots.open(&path(number)).await.unwrap());
    }
    let refused = started.roots.open(&path(100)).await;
    assert!(matches!(refused, Err(RootError::TooMany { .. })));
    used[3].played(&TapeId::from("x"), 1);
    let gone = Arc::downgrade(&used.remove(3));
    let other = started.roots.open(&path(100)).await.unwrap();
    assert!(gone.upgrade().is_none());
    assert_eq!(started.roots.all().len(), super::roots::MAX_ROOTS);
    drop((used, other));
    let again = started.roots.open(&path(3)).await.unwrap();
    assert_eq!(again.used("x").unwrap().exchanges, 1);
    started.end().await;
}

#[tokio::test]
async fn what_is_stored_about_tapes_goes_when_it_was_not_used_for_long_and_tapes_stay() {
    let (base, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    tape(folder.path(), "p/a");
    let kept: Arc<KeptUsage> = Arc::default();
    let started = Started::new(base.path(), &kept);
    let root = started.roots.open(folder.path()).await.unwrap();
    let today = ccd_base::clock::now();
    let counts = [
        played("p/a", LONG_AGO),
        played("p/gone", LONG_AGO),
        played("p/gone today", &today),
    ];
    let nowhere = Path::new("/nowhere");
    kept.save(folder.path(), &counts).await.unwrap();
    kept.save(nowhere, &counts[..1]).await.unwrap();
    let caches = base.path().join("cache");
    let cache = |name: &str, days: u64| {
        let path = caches.join(name);
        fs::create_dir_all(&caches).unwrap();
        fs::write(&path, "").unwrap();
        age(&path, Duration::from_secs(days * 86_400));
        path
    };
    let (old, young) = (cache("tapes-old.bin", 3), cache("tapes-young.bin", 1));
    let other = cache("other", 3);
    let keep = Duration::from_secs(2 * 86_400);
    started.roots.remove_old(keep).await.unwrap();
    assert!(!old.exists() && young.exists() && other.exists());
    let mut left = kept.load(folder.path()).await.unwrap();
    left.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(left, [&counts[0], &counts[2]].map(Clone::clone));
    assert_eq!(kept.load(nowhere).await.unwrap(), []);
    assert!(root.index().tape("p/a").is_some() && folder.path().join("p/a.json5").exists());
    drop(root);
    started.end().await;
    // The cache of a root in use stays, however old it is.
    let started = Started::new(base.path(), &kept);
    let root = started.roots.open(folder.path()).await.unwrap();
    started.roots.remove_old(Duration::ZERO).await.unwrap();
    assert!(!young.exists());
    let names = fs::read_dir(&caches).unwrap();
    let names = names.map(|file| file.unwrap().file_name());
    assert_eq!(names.filter(|name| name != "other").count(), 1);
    drop(root);
    started.end().await;
}

#[tokio::test]
async fn caches_and_counts_of_tapes_that_are_gone_are_removed_at_once() {
    let (base, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for id in ["p/gone", "p/stays"] {
        tape(folder.path(), id);
        let path = folder.path().join(format!("{id}.json5"));
        age(&path, Duration::from_secs(60));
    }
    let kept: Arc<KeptUsage> = Arc::default();
    let counts = ["p/gone", "p/stays"].map(|tape| played(tape, LONG_AGO));
    kept.save(folder.path(), &counts).await.unwrap();
    let started = Started::new(base.path(), &kept);
    let root = started.roots.open(folder.path()).await.unwrap();
    let caches = || {
        let files = fs::read_dir(base.path().join("cache")).unwrap();
        files.map(|file| fs::read(file.unwrap().path()).unwrap())
    };
    let has = |name: &[u8]| caches().any(|bytes| memchr::memmem::find(&bytes, name).is_some());
    assert!(has(b"p/gone") && has(b"p/stays"));
    let gone = folder.path().join("p/gone.json5");
    fs::remove_file(&gone).unwrap();
    root.refresh(&gone);
    started.roots.remove_traces().await.unwrap();
    assert_eq!(caches().count(), 0);
    let left = kept.load(folder.path()).await.unwrap();
    assert_eq!(left, counts[1..]);
    drop(root);
    started.end().await;
    assert!(!has(b"p/gone") && has(b"p/stays"));
}
