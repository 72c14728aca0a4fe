//! Texts that are in files, or must not be; and something else in the place of a file of ccd.

use memchr::memmem;
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use std::fs::{self, FileType as Kind};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns all files in a directory and its subdirectories.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => folders.push(entry.path()),
                kind if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found
}

/// Returns the files in a directory and its subdirectories that contain `needle`.
pub(crate) fn files_with(folder: &Path, needle: &[u8]) -> Vec<PathBuf> {
    let has_it = |path: &PathBuf| {
        let bytes = fs::read(path).unwrap_or_default();
        memmem::find(&bytes, needle).is_some()
    };
    files(folder).into_iter().filter(has_it).collect()
}

/// Asserts that no file in a directory and its subdirectories contains a text.
#[track_caller]
pub(crate) fn assert_in_no_file(folder: &Path, text: &str) {
    let found = files_with(folder, text.as_bytes());
    assert!(found.is_empty(), "{text:?} is in {found:?}");
}

/// Returns what SQL prints about a database.
#[track_caller]
pub(crate) fn sqlite(database: &Path, sql: &str) -> String {
    let mut sqlite = Command::new("sqlite3");
    let output = sqlite.arg(database).arg(sql).output().unwrap();
    assert!(output.status.success(), "{sql}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns how many bytes are in the files of a session's log, one of which is at `log_path`.
pub(crate) fn logged_bytes(log_path: &str) -> u64 {
    let folder = Path::new(log_path).parent().unwrap();
    let names = fs::read_dir(folder).unwrap().flatten();
    let logs = names.filter(|name| name.path().extension().is_some_and(|end| end == "log"));
    // A file may be removed or renamed meanwhile.
    logs.filter_map(|log| Some(log.metadata().ok()?.len()))
        .sum()
}

/// What is in the place of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Odd {
    Pipe,
    Directory,
    Link,
    /// `/dev/zero`, which never ends and accepts everything. Only root can make one.
    Device,
}

impl Odd {
    /// Returns those that this user can make.
    pub(crate) fn all() -> Vec<Self> {
        let mut all = vec![Self::Pipe, Self::Directory, Self::Link];
        if rustix::process::geteuid().is_root() {
            all.push(Self::Device);
        }
        all
    }

    /// Puts it at `path`, in place of what is there; the returned value knows what must not change.
    pub(crate) fn put(self, path: &Path) -> Placed {
        let document = path.with_extension("document");
        let _ = fs::remove_file(path);
        let mode = Mode::from_raw_mode(0o600);
        match self {
            Self::Pipe => mknodat(CWD, path, FileType::Fifo, mode, 0).unwrap(),
            Self::Directory => fs::create_dir(path).unwrap(),
            Self::Device => {
                mknodat(CWD, path, FileType::CharacterDevice, mode, makedev(1, 5)).unwrap();
            }
            Self::Link => {
                fs::write(&document, "precious").unwrap();
                symlink(&document, path).unwrap();
            }
        }
        Placed {
            path: path.to_owned(),
            kind: fs::symlink_metadata(path).unwrap().file_type(),
            document: (self == Self::Link).then_some(document),
        }
    }
}

/// One that was put somewhere.
pub(crate) struct Placed {
    pub(crate) path: PathBuf,
    kind: Kind,
    document: Option<PathBuf>,
}

impl Placed {
    /// Asserts that the target of a link is what it was.
    #[track_caller]
    pub(crate) fn assert_nothing_foreign_changed(&self) {
        if let Some(document) = &self.document {
            assert_eq!(
                fs::read_to_string(document).unwrap(),
                "precious",
                "{document:?}"
            );
        }
    }

    /// Asserts that it is still there and removes it.
    #[track_caller]
    pub(crate) fn take_away(self) {
        self.assert_nothing_foreign_changed();
        let kind = fs::symlink_metadata(&self.path).unwrap().file_type();
        assert_eq!(kind, self.kind, "{:?}", self.path);
        if kind.is_dir() {
            fs::remove_dir(&self.path).unwrap()
        } else {
            fs::remove_file(&self.path).unwrap()
        }
    }
}
