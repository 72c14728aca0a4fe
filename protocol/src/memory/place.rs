//! Where the memory of a project is, seen from a directory in it: the daemon and `ccctl hook` look in the same places.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The memory's file, relative to the project.
pub const MEMORY_FILE: &str = ".claude/session-memory.md";

/// Directories that are looked through.
const MAX_FOLDERS: usize = 64;

/// A project that a session works in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryPlace {
    pub root: PathBuf,
    pub has_memory: bool,
}

/// Returns the project of `directory`: the nearest directory from there upwards that has a memory or is the top of a git
/// repository. `home` is only taken if it is `directory` itself. The memory must be a file of `user`: everybody may write to
/// directories such as `/tmp`.
#[must_use]
pub fn find(directory: &Path, home: Option<&Path>, user: u32) -> Option<MemoryPlace> {
    for folder in directory.ancestors().take(MAX_FOLDERS) {
        if Some(folder) == home && folder != directory {
            return None;
        }
        let has_memory = is_memory_of(folder, user);
        if has_memory || folder.join(".git").symlink_metadata().is_ok() {
            return Some(MemoryPlace {
                root: folder.to_owned(),
                has_memory,
            });
        }
    }
    None
}

/// Neither the file nor its directory may be a link.
fn is_memory_of(folder: &Path, user: u32) -> bool {
    let path = folder.join(MEMORY_FILE);
    let is_folder = path
        .parent()
        .and_then(|parent| fs::symlink_metadata(parent).ok())
        .is_some_and(|about| about.is_dir());
    is_folder && fs::symlink_metadata(&path).is_ok_and(|file| file.is_file() && file.uid() == user)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_memory_or_repository_is_the_project() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        let user = fs::metadata(home).unwrap().uid();
        let find = |path: &str| {
            let found = find(&home.join(path), Some(home), user)?;
            let root = found.root.strip_prefix(home).unwrap().to_owned();
            Some((root.to_str().unwrap().to_owned(), found.has_memory))
        };
        for folder in [
            "git/.git",
            "git/a/b",
            "with/.claude",
            "with/c",
            ".claude",
            "none",
        ] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        assert_eq!(find("git/a/b"), Some(("git".to_owned(), false)));
        fs::write(home.join("with").join(MEMORY_FILE), "x").unwrap();
        assert_eq!(find("with/c"), Some(("with".to_owned(), true)));
        fs::write(home.join(MEMORY_FILE), "x").unwrap();
        assert_eq!(find("none"), None);
        assert_eq!(find(""), Some((String::new(), true)));
        fs::create_dir(home.join("git/a/.claude")).unwrap();
        let link = home.join("git/a").join(MEMORY_FILE);
        std::os::unix::fs::symlink(home.join(MEMORY_FILE), link).unwrap();
        assert_eq!(find("git/a/b"), Some(("git".to_owned(), false)));
        let with = home.join("with");
        assert_eq!(super::find(&with, Some(home), user + 1), None);
    }
}
