use super::super::test_tapes::{index, root, tape};
use super::super::{Index, walk};
use super::*;
use std::os::unix::fs::PermissionsExt as _;

/// Sets the modification times of the tapes to long ago.
fn settle(root: &Path) {
    for tape in walk(root, |_| {}).tapes {
        let file = fs::File::open(root.join(format!("{}.json5", tape.id))).unwrap();
        let long_ago = SystemTime::now() - Duration::from_secs(60);
        file.set_modified(long_ago).unwrap();
    }
}

#[test]
fn what_was_saved_is_known_again() {
    let base = tempfile::tempdir().unwrap();
    let root = root(&["p/a", "p/b"].map(|id| (id, tape("p", &["x", "***"]))));
    settle(root.path());
    let index = index(root.path());
    let cache = Cache::new(&base.path().join("cache"), root.path());
    assert!(cache.load(root.path()).is_empty());
    cache.save(&index).unwrap();
    cache.save(&index).unwrap();
    let known = cache.load(root.path());
    assert_eq!(known.len(), 2);
    for (id, tape) in &known {
        assert_eq!(**tape, **index.tape(id).unwrap());
    }
    let again = Index::build(root.path(), 1, walk(root.path(), |_| {}), |id, _| {
        known.get(id).cloned()
    });
    assert!(Arc::ptr_eq(again.tape("p/a").unwrap(), &known["p/a"]));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&cache.path), 0o600);
    assert_eq!(mode(cache.path.parent().unwrap()), 0o700);
    assert_eq!(
        fs::read_dir(cache.path.parent().unwrap()).unwrap().count(),
        1
    );
}

#[test]
fn a_secret_that_a_tape_contains_is_not_in_the_cache() {
    let base = tempfile::tempdir().unwrap();
    let role = tape("p", &["ALTER ROLE me PASSWORD 'Qx7hunter';"]);
    let root = root(&[
        ("p/plain", tape("p", &["select 1;"]).with_args(&["-v"])),
        ("p/typed", role),
        ("p/line", tape("p", &["AUTH Qx7hunter"])),
        ("p/args", tape("mysql", &["x"]).with_args(&["-pQx7hunter"])),
    ]);
    settle(root.path());
    let cache = Cache::new(base.path(), root.path());
    cache.save(&index(root.path())).unwrap();
    let known = cache.load(root.path());
    assert_eq!(
        known.keys().map(|id| &**id).collect::<Vec<_>>(),
        ["p/plain"]
    );
    let file = fs::read(&cache.path).unwrap();
    assert!(memchr::memmem::find(&file, b"Qx7hunter").is_none());
}

#[test]
fn a_tape_that_was_just_written_is_read_again() {
    let (root, base) = (
        root(&[("p/a", tape("p", &[]))]),
        tempfile::tempdir().unwrap(),
    );
    let cache = Cache::new(base.path(), root.path());
    cache.save(&index(root.path())).unwrap();
    assert!(cache.load(root.path()).is_empty());
}

#[test]
fn what_is_damaged_or_of_another_root_is_no_cache() {
    let (root, base) = (
        root(&[("p/a", tape("p", &[]))]),
        tempfile::tempdir().unwrap(),
    );
    settle(root.path());
    let cache = Cache::new(base.path(), root.path());
    cache.save(&index(root.path())).unwrap();
    assert!(cache.load(Path::new("/other")).is_empty());
    let good = fs::read(&cache.path).unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1;
        fs::write(&cache.path, bad).unwrap();
        assert!(cache.load(root.path()).is_empty(), "byte {at}");
        fs::write(&cache.path, &good[..at]).unwrap();
        assert!(cache.load(root.path()).is_empty(), "cut at {at}");
    }
    fs::write(&cache.path, good).unwrap();
    assert_eq!(cache.load(root.path()).len(), 1);
}
