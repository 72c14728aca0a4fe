use super::{RootError, Roots};
use crate::store::{Opening, Store};
use crate::tape::index::TapeId;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The roots of a daemon whose folder is `base`.
struct Started {
    roots: Arc<Roots>,
    store: Store,
    tracker: TaskTracker,
    stop: CancellationToken,
}

impl Started {
    async fn new(base: &Path) -> Self {
        let store = Store::open(&base.join("ccd.sqlite"), Opening::First)
            .await
            .unwrap()
            .store;
        let (tracker, stop) = (TaskTracker::new(), CancellationToken::new());
        Self {
            roots: Roots::new(base, store.clone(), &tracker, stop.clone()),
            store,
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
    let first = Started::new(base.path()).await;
    let root = first.roots.open(folder.path()).await.unwrap();
    root.played(&id, 2);
    root.played(&gone, 1);
    // It is not lost when the daemon is killed a moment later.
    let deadline = Instant::now() + Duration::from_secs(20);
    let name = folder.path().to_string_lossy();
    while first.store.tape_use(&name).await.unwrap().len() < 2 {
        assert!(Instant::now() < deadline, "it is not saved");
        tokio::task::yield_now().await;
    }
    root.played(&id, 1);
    first.roots.forget(&root, &[gone]).await;
    first.end().await;
    let second = Started::new(base.path()).await;
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
    let started = Started::new(base.path()).await;
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
    let started = Started::new(base.path()).await;
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
