use crate::{Changes, Handle, MAX_FILES, Renewal, Watcher};
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

const LONG: Duration = Duration::from_secs(20);

/// A watched directory, and a thread that forwards its changes.
struct Watching {
    folder: tempfile::TempDir,
    handle: Handle,
    changes: Receiver<Changes>,
}

impl Watching {
    /// Watches what `ask` requests in the directory, which contains what `prepare` creates.
    fn new(
        prepare: impl FnOnce(&Path),
        ask: impl Fn(&mut Renewal<'_>, &Path) + Send + 'static,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        prepare(&base);
        let (mut watcher, handle) = Watcher::new(|path| path.extension().is_some());
        watcher.renew(|renewal| ask(renewal, &base));
        let (sender, changes) = sync_channel(4096);
        std::thread::spawn(move || {
            while let Some(found) = watcher.wait(Duration::from_millis(2), LONG) {
                if found.rescan {
                    watcher.renew(|renewal| ask(renewal, &base));
                }
                if sender.send(found).is_err() {
                    return;
                }
            }
        });
        Self {
            folder,
            handle,
            changes,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// Returns all changes so far.
    fn changes(&self) -> Changes {
        self.handle.catch_up(LONG);
        let mut all = Changes::default();
        while let Ok(changes) = self.changes.try_recv() {
            all.files.extend(changes.files);
            all.rescan |= changes.rescan;
        }
        all
    }

    fn expect_rescan(&self, why: &str) {
        assert!(self.changes().rescan, "{why}");
    }

    fn expect_files(&self, names: &[&str]) {
        let files = names.iter().map(|name| self.path(name)).collect();
        let expected = Changes {
            files,
            ..Changes::default()
        };
        assert_eq!(self.changes(), expected);
    }
}

/// Watches all directories in it.
fn tree(renewal: &mut Renewal<'_>, folder: &Path) {
    renewal.folder(folder);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            tree(renewal, &entry.path());
        }
    }
}

#[test]
fn files_that_come_change_and_go_are_named() {
    let watching = Watching::new(|base| fs::create_dir(base.join("sub")).unwrap(), tree);
    watching.expect_files(&[]);
    fs::write(watching.path("a.txt"), "1").unwrap();
    fs::write(watching.path("sub/b.txt"), "1").unwrap();
    fs::write(watching.path("unwanted"), "1").unwrap();
    watching.expect_files(&["a.txt", "sub/b.txt"]);
    fs::rename(watching.path("a.txt"), watching.path("sub/c.txt")).unwrap();
    watching.expect_files(&["a.txt", "sub/c.txt"]);
    fs::remove_file(watching.path("sub/c.txt")).unwrap();
    watching.expect_files(&["sub/c.txt"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_thousand_reads_wake_nobody() {
    let watching = Watching::new(|base| fs::write(base.join("a.txt"), "1").unwrap(), tree);
    watching.expect_files(&[]);
    let before = watching.handle.events();
    for _ in 0..1000 {
        assert_eq!(fs::read(watching.path("a.txt")).unwrap(), b"1");
        assert!(fs::read_dir(watching.path("")).unwrap().count() > 0);
    }
    watching.expect_files(&[]);
    assert_eq!(watching.handle.events(), before);
    fs::write(watching.path("a.txt"), "2").unwrap();
    watching.expect_files(&["a.txt"]);
    assert!(watching.handle.events() > before);
}

#[test]
fn what_happens_to_a_folder_asks_for_a_rescan() {
    let watching = Watching::new(|base| fs::create_dir(base.join("sub")).unwrap(), tree);
    fs::create_dir_all(watching.path("new/deep")).unwrap();
    watching.expect_rescan("a folder has come");
    fs::write(watching.path("new/deep/a.txt"), "1").unwrap();
    watching.expect_files(&["new/deep/a.txt"]);
    // The directory was replaced, and so was the one in it.
    fs::rename(watching.path("new"), watching.path("old")).unwrap();
    fs::create_dir_all(watching.path("new/deep")).unwrap();
    watching.expect_rescan("a folder was moved");
    for name in ["old/deep/b.txt", "new/deep/b.txt"] {
        fs::write(watching.path(name), "1").unwrap();
    }
    watching.expect_files(&["new/deep/b.txt", "old/deep/b.txt"]);
    let outside = tempfile::tempdir().unwrap();
    symlink(outside.path(), watching.path("link")).unwrap();
    watching.expect_rescan("a link to a folder has come");
    fs::write(watching.path("link/c.txt"), "1").unwrap();
    watching.expect_files(&["link/c.txt"]);
    fs::remove_file(watching.path("link")).unwrap();
    watching.expect_rescan("it has gone");
    fs::remove_dir_all(watching.path("old")).unwrap();
    watching.expect_rescan("a folder has gone");
}

#[test]
fn a_path_is_watched_before_it_exists_and_by_way_of_links() {
    let watching = Watching::new(
        |base| {
            fs::create_dir(base.join("one")).unwrap();
            fs::create_dir(base.join("two")).unwrap();
            symlink("one", base.join("dots")).unwrap();
            symlink("../dots/real.json", base.join("two/link.json")).unwrap();
        },
        |renewal, base| {
            renewal.path(&base.join("a/b/c.json"));
            renewal.path(&base.join("two/link.json"));
        },
    );
    watching.expect_files(&[]);
    for (name, is_folder) in [("a", true), ("a/b", true), ("a/b/c.json", false)] {
        if is_folder {
            fs::create_dir(watching.path(name)).unwrap();
        } else {
            fs::write(watching.path(name), "1").unwrap();
        }
        watching.expect_rescan(name);
    }
    fs::write(watching.path("a/b/other.json"), "1").unwrap();
    watching.expect_files(&[]);
    fs::write(watching.path("a/b/c.json"), "2").unwrap();
    watching.expect_rescan("it was written");
    fs::write(watching.path("one/real.json"), "1").unwrap();
    watching.expect_rescan("what a link leads to has come");
    fs::write(watching.path("one/new"), "2").unwrap();
    fs::rename(watching.path("one/new"), watching.path("one/real.json")).unwrap();
    watching.expect_rescan("what a link leads to was replaced");
    fs::create_dir(watching.path("three")).unwrap();
    fs::write(watching.path("three/real.json"), "3").unwrap();
    watching.expect_files(&[]);
    symlink("three", watching.path("dots.new")).unwrap();
    fs::rename(watching.path("dots.new"), watching.path("dots")).unwrap();
    watching.expect_rescan("a link on the way leads elsewhere");
    fs::write(watching.path("three/real.json"), "4").unwrap();
    watching.expect_rescan("what it leads to now was written");
    fs::remove_dir_all(watching.path("a")).unwrap();
    watching.expect_rescan("its folder has gone");
}

#[test]
fn more_files_than_are_named_ask_for_a_rescan() {
    let watching = Watching::new(|_| {}, tree);
    for number in 0..=MAX_FILES {
        File::create(watching.path(&format!("{number}.txt"))).unwrap();
    }
    // They may arrive in several parts.
    let mut named = 0;
    watching.handle.catch_up(LONG);
    while let Ok(changes) = watching.changes.try_recv() {
        assert!(changes.files.len() <= MAX_FILES);
        named += if changes.rescan {
            MAX_FILES + 1
        } else {
            changes.files.len()
        };
    }
    assert!(named > MAX_FILES);
}

#[test]
fn new_folders_are_named_if_that_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let (watcher, handle) = Watcher::new(|path| path.extension().is_some());
    let mut watcher = watcher.naming_folders();
    watcher.renew(|renewal| renewal.folder(&base));
    let next = |watcher: &mut Watcher| watcher.wait(Duration::from_millis(2), LONG).unwrap();
    for round in 0..3 {
        fs::create_dir(base.join("a")).unwrap();
        let changes = next(&mut watcher);
        assert_eq!(changes.folders, [base.join("a")].into());
        assert!(!changes.rescan && changes.files.is_empty());
        // Another directory may have the same number as the last one.
        watcher.extend(|renewal| renewal.folder(&base.join("a")));
        fs::write(base.join("a/1.txt"), "1").unwrap();
        assert_eq!(next(&mut watcher).files, [base.join("a/1.txt")].into());
        fs::remove_dir_all(base.join("a")).unwrap();
        while !next(&mut watcher).rescan {}
        watcher.renew(|renewal| renewal.folder(&base));
        // What the removal still has to say comes before this.
        let mark = base.join(format!("{round}.mark"));
        fs::write(&mark, "").unwrap();
        // It is written in several steps, which are waited for.
        let quiet = Duration::from_millis(300);
        while !watcher.wait(quiet, LONG).unwrap().files.contains(&mark) {}
    }
    drop(handle);
}

#[test]
fn what_has_changed_can_be_waited_for() {
    let watching = Watching::new(|_| {}, tree);
    for round in 0..200 {
        let name = format!("{}.txt", round % 7);
        fs::write(watching.path(&name), "1").unwrap();
        watching.expect_files(&[&name]);
    }
}

#[test]
fn where_there_are_too_many_folders_everything_is_looked_at_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    let (mut watcher, handle) = Watcher::with_limit(1, |_| true);
    watcher.renew(|renewal| tree(renewal, folder.path()));
    for _ in 0..3 {
        assert!(watcher.wait(Duration::ZERO, LONG).unwrap().rescan);
    }
    fs::remove_dir(folder.path().join("sub")).unwrap();
    watcher.renew(|renewal| tree(renewal, folder.path()));
    fs::write(folder.path().join("a.txt"), "1").unwrap();
    handle.catch_up(Duration::ZERO);
    let changes = watcher.wait(Duration::ZERO, LONG).unwrap();
    assert!(changes.files.contains(&folder.path().join("a.txt")));
}

#[test]
fn who_waits_is_told_of_the_end() {
    let (mut watcher, handle) = Watcher::new(|_| true);
    let waits = std::thread::spawn(move || watcher.wait(Duration::ZERO, Duration::ZERO));
    handle.look();
    assert!(waits.join().unwrap().unwrap().rescan);
    // No thread processes changes any more, and none is waited for.
    handle.look();
    handle.catch_up(LONG);
    let (mut watcher, handle) = Watcher::new(|_| true);
    drop(handle);
    assert_eq!(watcher.wait(LONG, LONG), None);
}
