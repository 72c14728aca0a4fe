use super::*;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicUsize, Ordering};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn names(folder: &Path) -> Vec<OsString> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name()).collect()
}

fn say(path: &Path) -> String {
    load(path).unwrap_err().to_string()
}

#[test]
fn what_is_no_file_is_refused_by_name() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("x.json5")).unwrap();
    assert!(say(&at("x.json5")).contains("x.json5 is a directory"));
    #[cfg(target_os = "linux")]
    {
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe.json5"), 0o600.into()).unwrap();
        assert!(
            say(&at("pipe.json5")).contains("a pipe"),
            "and nobody waits for a writer"
        );
    }
    let _socket = std::os::unix::net::UnixListener::bind(at("s.json5")).unwrap();
    assert!(say(&at("s.json5")).contains("a socket"));
    symlink(at("b.json5"), at("a.json5")).unwrap();
    symlink(at("a.json5"), at("b.json5")).unwrap();
    assert!(say(&at("a.json5")).contains("is a link to itself"));
    assert!(say(&at("none.json5")).starts_with("there is no tape"));
    let huge = File::create(at("huge.json5")).unwrap();
    huge.set_len(100 << 20).unwrap();
    assert!(say(&at("huge.json5")).contains("has 104857600 bytes"));
    assert!(matches!(
        replace(&at("a.json5"), |_| panic!()),
        Err(FileError::Loop { .. })
    ));
}

#[test]
fn an_unreadable_file_is_refused() {
    if rustix::process::geteuid().is_root() {
        eprintln!("skipped: everything is readable to root");
        return;
    }
    let folder = folder();
    let path = folder.path().join("t.json5");
    fs::write(&path, "{}").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    assert!(say(&path).contains("cannot be read"));
}

#[test]
fn a_new_tape_is_private_and_never_overwrites() {
    let folder = folder();
    let path = folder.path().join("bash/deep/t.json5");
    create_new(&path, "one").unwrap();
    assert_eq!(load(&path).unwrap(), b"one");
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&folder.path().join("bash")), 0o700);
    assert!(matches!(
        create_new(&path, "two"),
        Err(FileError::Exists { .. })
    ));
    assert_eq!(load(&path).unwrap(), b"one");
    let link = folder.path().join("link.json5");
    symlink("nowhere", &link).unwrap();
    assert!(matches!(
        create_new(&link, "two"),
        Err(FileError::Exists { .. })
    ));
    assert_eq!(names(path.parent().unwrap()), ["t.json5"]);
}

#[test]
fn a_change_keeps_mode_and_link_and_leaves_nothing_behind() {
    let folder = folder();
    let (path, link) = (folder.path().join("t.json5"), folder.path().join("l.json5"));
    fs::write(&path, "one").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    symlink("t.json5", &link).unwrap();
    let change =
        |old: &[u8]| Ok::<_, FileError>(Some(format!("{} two", String::from_utf8_lossy(old))));
    assert!(replace(&link, change).unwrap());
    assert_eq!(fs::read(&path).unwrap(), b"one two");
    assert_eq!(mode(&path), 0o644);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(!replace(&path, |_| Ok::<_, FileError>(None)).unwrap());
    let large = "x".repeat(MAX_BYTES + 1);
    let too_large = replace(&path, |_| Ok::<_, FileError>(Some(large.clone())));
    assert!(matches!(too_large, Err(FileError::TooLarge { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"one two");
    assert_eq!(names(folder.path()).len(), 2);
}

#[test]
fn two_writers_lose_nothing() {
    const EACH: usize = 25;
    let folder = folder();
    let path = folder.path().join("t.json5");
    create_new(&path, "0").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..EACH {
                    let add = |old: &[u8]| {
                        let count: usize = std::str::from_utf8(old).unwrap().parse().unwrap();
                        Ok::<_, FileError>(Some((count + 1).to_string()))
                    };
                    assert!(replace(&path, add).unwrap());
                }
            });
        }
    });
    assert_eq!(load(&path).unwrap(), (4 * EACH).to_string().as_bytes());
    assert_eq!(names(folder.path()), ["t.json5"]);
}

#[test]
fn of_many_that_write_one_new_tape_one_does() {
    let folder = folder();
    let path = folder.path().join("new/t.json5");
    let written = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for text in ["a", "b", "c", "d"] {
            let (path, written) = (&path, &written);
            scope.spawn(move || match create_new(path, text) {
                Ok(()) => drop(written.fetch_add(1, Ordering::Relaxed)),
                Err(error) => assert!(matches!(error, FileError::Exists { .. }), "{error}"),
            });
        }
    });
    assert_eq!(written.into_inner(), 1);
}

#[test]
fn what_an_editor_writes_meanwhile_is_kept() {
    let folder = folder();
    let path = folder.path().join("t.json5");
    fs::write(&path, "one").unwrap();
    let mut calls = 0;
    let changed = replace(&path, |old| {
        calls += 1;
        if calls == 1 {
            fs::write(&path, "edited").unwrap();
        }
        Ok::<_, FileError>(Some(format!("{}!", String::from_utf8_lossy(old))))
    });
    assert!(changed.unwrap());
    assert_eq!(fs::read(&path).unwrap(), b"edited!");
}

#[test]
fn a_tape_that_stays_locked_is_an_error() {
    let folder = folder();
    let path = folder.path().join("t.json5");
    fs::write(&path, "one").unwrap();
    let _lock = FileLock::take(&path).unwrap();
    let begun = Instant::now();
    let error = replace(&path, |_| Ok::<_, FileError>(Some("two".to_owned())));
    assert!(matches!(error, Err(FileError::Locked { .. })));
    assert!(begun.elapsed() >= LOCK_WAIT);
    assert_eq!(fs::read(&path).unwrap(), b"one");
}

#[test]
fn what_killed_writers_left_is_swept_and_nothing_else() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let old = std::time::SystemTime::now() - 2 * STRAY_AGE;
    for name in [
        ".0123456789abcdef.tmp",
        ".0123456789abcdee.tmp",
        "t.json5",
        ".x.tmp",
    ] {
        File::create(at(name)).unwrap().set_modified(old).unwrap();
    }
    fs::write(at(".0123456789abcded.tmp"), "in work").unwrap();
    let writing = File::open(at(".0123456789abcdee.tmp")).unwrap();
    flock(&writing, FlockOperation::LockExclusive).unwrap();
    sweep(folder.path());
    let mut left = names(folder.path());
    left.sort();
    assert_eq!(
        left,
        [
            ".0123456789abcded.tmp",
            ".0123456789abcdee.tmp",
            ".x.tmp",
            "t.json5"
        ]
    );
}
