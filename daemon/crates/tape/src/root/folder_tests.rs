use super::folder::{Root, RootError};
use crate::index::{Cache, TapeId};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn open(path: &Path) -> Arc<Root> {
    Root::open(path, None, Arc::default()).unwrap()
}

fn tape(program: &str) -> String {
    format!("{{ meta: {{ program: {program:?} }}, exchanges: [{{}}] }}")
}

fn write(root: &Path, id: &str, text: &str) {
    let path = root.join(format!("{id}.json5"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Returns the ids of the tapes and the number of problems, once they are as expected.
fn eventually(root: &Root, ids: &[&str], problems: usize) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let index = root.index();
        let mut found: Vec<&str> = index.tapes().map(|tape| &*tape.id).collect();
        found.sort_unstable();
        if found == ids && index.problems().count() == problems {
            return;
        }
        let problems: Vec<_> = index.problems().collect();
        assert!(Instant::now() < deadline, "{found:?}, {problems:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn what_changes_on_the_disk_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, "p/a", &tape("p"));
    let root = open(path);
    eventually(&root, &["p/a"], 0);
    write(path, "p/b", &tape("p"));
    eventually(&root, &["p/a", "p/b"], 0);
    write(path, "p/b", "{");
    eventually(&root, &["p/a"], 1);
    write(path, "p/b", &tape("q"));
    eventually(&root, &["p/a", "p/b"], 0);
    assert_eq!(root.index().tape("p/b").unwrap().meta.program, "q");
    fs::rename(path.join("p/b.json5"), path.join("c.json5")).unwrap();
    eventually(&root, &["c", "p/a"], 0);
    fs::remove_file(path.join("p/a.json5")).unwrap();
    eventually(&root, &["c"], 0);
    write(path, "new/deep/er/d", &tape("p"));
    eventually(&root, &["c", "new/deep/er/d"], 0);
    write(path, "new/deep/er/e", &tape("p"));
    eventually(&root, &["c", "new/deep/er/d", "new/deep/er/e"], 0);
    fs::rename(path.join("new"), path.join("old")).unwrap();
    eventually(&root, &["c", "old/deep/er/d", "old/deep/er/e"], 0);
    fs::remove_dir_all(path.join("old")).unwrap();
    eventually(&root, &["c"], 0);
}

#[test]
fn a_root_that_comes_goes_and_comes_again_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tapes");
    let root = open(&path);
    eventually(&root, &[], 0);
    for _ in 0..2 {
        write(&path, "p/a", &tape("p"));
        eventually(&root, &["p/a"], 0);
        fs::remove_dir_all(&path).unwrap();
        eventually(&root, &[], 0);
    }
    root.make_folder().unwrap();
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    write(&path, "b", &tape("p"));
    eventually(&root, &["b"], 0);
}

#[test]
fn what_has_changed_can_be_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let root = open(folder.path());
    for round in 0..20 {
        for number in 0..50 {
            write(folder.path(), &format!("{round}/{number}"), &tape("p"));
        }
        // No change is lost between the kernel, the thread that reads and the one that waits.
        root.catch_up(Duration::from_secs(20));
        assert_eq!(root.index().tapes().count(), (round + 1) * 50);
    }
    write(folder.path(), "notes", "no tape");
    root.catch_up(Duration::from_secs(20));
    assert_eq!(root.index().problems().count(), 1);
}

#[test]
fn another_directory_at_the_same_path_is_noticed_when_it_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    let tapes = project.join("a/b/tapes");
    write(&tapes, "p/old", &tape("p"));
    let root = open(&tapes);
    fs::rename(&project, folder.path().join("project.bak")).unwrap();
    write(&tapes, "p/new", &tape("p"));
    // A rename above the watched directory is no event.
    root.follow_moves();
    eventually(&root, &["p/new"], 0);
    write(&tapes, "p/newer", &tape("p"));
    eventually(&root, &["p/new", "p/newer"], 0);
}

#[test]
fn a_tape_that_was_written_is_there_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let root = open(folder.path());
    write(folder.path(), "p/a", &tape("p"));
    root.refresh(&folder.path().join("p/a.json5"));
    assert!(root.index().tape("p/a").is_some());
    fs::remove_file(folder.path().join("p/a.json5")).unwrap();
    root.refresh(&folder.path().join("p/a.json5"));
    assert!(root.index().tape("p/a").is_none());
    write(folder.path(), "p/b", &tape("p"));
    root.refresh_all();
    assert!(root.index().tape("p/b").is_some());
    // A file that is not a tape of this root is ignored.
    root.refresh(Path::new("/etc/x.json5"));
    root.refresh(&folder.path().join(".journal/x.json5"));
    root.refresh(&folder.path().join("notes.txt"));
    assert_eq!(root.index().tapes().count(), 1);
}

#[test]
fn what_was_played_is_told_from_what_was_not() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "p/a", &tape("p"));
    write(folder.path(), "p/b", &tape("p"));
    let root = open(folder.path());
    assert_eq!(root.ids(), ["p/a", "p/b"].map(TapeId::from));
    root.played(&TapeId::from("p/a"), 1);
    root.played(&TapeId::from("p/a"), 2);
    assert_eq!(root.used("p/a").unwrap().exchanges, 3);
    let played = Vec::from_iter(root.usage.played_now());
    assert_eq!(played, ["p/a"].map(TapeId::from));
    assert_eq!(root.usage.take_unsaved().len(), 1);
}

#[test]
fn a_root_is_known_again_by_its_cache() {
    let (folder, base) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(folder.path(), "p/a", &tape("p"));
    let file = fs::File::open(folder.path().join("p/a.json5")).unwrap();
    file.set_modified(std::time::SystemTime::now() - Duration::from_secs(60))
        .unwrap();
    let cache = || Cache::new(base.path(), folder.path());
    let open = || Root::open(folder.path(), Some(cache()), Arc::default()).unwrap();
    drop(open());
    assert_eq!(cache().load(folder.path()).len(), 1);
    let root = open();
    write(folder.path(), "p/b", &tape("p"));
    eventually(&root, &["p/a", "p/b"], 0);
    root.save_cache();
    drop(root);
    eventually(&open(), &["p/a", "p/b"], 0);
}

#[test]
fn what_is_no_folder_is_no_root() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let open = |path: &Path| Root::open(path, None, Arc::default()).unwrap_err();
    assert!(matches!(open(file.path()), RootError::NotAFolder { .. }));
    let folder = tempfile::tempdir().unwrap();
    let looped = folder.path().join("looped");
    std::os::unix::fs::symlink("looped", &looped).unwrap();
    assert!(matches!(open(&looped), RootError::Io { .. }));
    let relative = open(Path::new("tapes"));
    assert!(matches!(relative, RootError::Relative { .. }));
}
