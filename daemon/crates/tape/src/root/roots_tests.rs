use super::{RootError, Roots, UsageError, UsageStore, Used};
use crate::index::TapeId;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The counts that one daemon leaves to the next.
#[derive(Debug, Default)]
struct Kept(Mutex<HashMap<(PathBuf, TapeId), Used>>);

impl UsageStore for Kept {
    fn load<'a>(
        &'a self,
        root: &'a Path,
    ) -> BoxFuture<'a, Result<Vec<(TapeId, Used)>, UsageError>> {
        let kept = self.0.lock().unwrap();
        let counts = kept.iter().filter(|((of, _), _)| of == root);
        let counts = counts.map(|((_, tape), used)| (tape.clone(), used.clone()));
        std::future::ready(Ok(counts.collect())).boxed()
    }

    fn save<'a>(
        &'a self,
        root: &'a Path,
        counts: &'a [(TapeId, Used)],
    ) -> BoxFuture<'a, Result<(), UsageError>> {
        let mut kept = self.0.lock().unwrap();
        for (tape, used) in counts {
            kept.insert((root.to_owned(), tape.clone()), used.clone());
        }
        std::future::ready(Ok(())).boxed()
    }

    fn forget<'a>(
        &'a self,
        root: &'a Path,
        tapes: &'a [TapeId],
    ) -> BoxFuture<'a, Result<(), UsageError>> {
        let mut kept = self.0.lock().unwrap();
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
    fn new(base: &Path, kept: &Arc<Kept>) -> Self {
        let kept = Arc::<Kept>::clone(kept);
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
    assert_eq!(root.unused(), []);
    second.end().await;
}

#[tokio::test]
async fn a_folder_is_one_root() {
    let (base, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    tape(folder.path(), "p/a");
    let started = Started::new(base.path(), &Arc::default());
    let twisted = folder.path().join("p/.././");
    let (one, two) = tokio::join!(
        started.roots.open(folder.path()),
        started.roots.open(&twisted)
    );
    assert!(Arc::ptr_eq(&one.unwrap(), &two.unwrap()));
    assert_eq!(started.roots.all().len(), 1);
    let file = folder.path().join("p/a.json5");
    assert!(matches!(
        started.roots.open(&file).await,
        Err(RootError::NotAFolder { .. })
    ));
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
