//! Where the memory of a project is, seen from a directory in it: the daemon and `ccctl hook` look in the same places.

use std::fs;
use std::path::{Path, PathBuf};

/// The memory's file, relative to the project.
pub const MEMORY_FILE: &str = ".claude/session-memory.md";

/// Directories that are looked through.
const MAX_FOLDERS: usize = 64;

/// A project that a session works in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryPlace {
    /// The directory of the memory.
    pub root: PathBuf,
    pub has_memory: bool,
}

/// Returns the place of the memory for a session in `directory`: in a git repository the nearest directory from there up to its
/// top that has a memory, otherwise the top. Outside of a repository, only `directory` itself counts, and only if it has a memory:
/// what is above it is not the project's. `home` is only taken if it is `directory` itself.
#[must_use]
pub fn find(directory: &Path, home: Option<&Path>) -> Option<MemoryPlace> {
    let is_own = |folder: &Path| Some(folder) != home || folder == directory;
    let top = project(directory);
    let mut folders = directory
        .ancestors()
        .take_while(|folder| folder.starts_with(&top) && is_own(folder));
    let memory = folders.find(|folder| is_memory(folder));
    let is_repository = || is_own(&top) && is_top(&top);
    let root = memory.or_else(|| is_repository().then_some(&*top))?;
    Some(MemoryPlace {
        root: root.to_owned(),
        has_memory: memory.is_some(),
    })
}

/// Returns the top directory of the repository that `directory` is in; outside of one, `directory` itself. As git does, it does not
/// look in the directories of `GIT_CEILING_DIRECTORIES` or above.
#[must_use]
pub fn project(directory: &Path) -> PathBuf {
    let ceilings = std::env::var_os("GIT_CEILING_DIRECTORIES").unwrap_or_default();
    let ceilings: Vec<PathBuf> = std::env::split_paths(&ceilings).collect();
    let is_below =
        |folder: &&Path| *folder == directory || !ceilings.iter().any(|ceiling| ceiling == folder);
    let mut folders = directory.ancestors().take(MAX_FOLDERS).take_while(is_below);
    folders
        .find(|folder| is_top(folder))
        .unwrap_or(directory)
        .to_owned()
}

fn is_top(folder: &Path) -> bool {
    folder.join(".git").symlink_metadata().is_ok()
}

/// Neither the file nor its directory may be a link.
fn is_memory(folder: &Path) -> bool {
    let path = folder.join(MEMORY_FILE);
    let is_folder = path
        .parent()
        .and_then(|parent| fs::symlink_metadata(parent).ok())
        .is_some_and(|about| about.is_dir());
    is_folder && fs::symlink_metadata(&path).is_ok_and(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_memory_or_repository_is_the_project() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        let find = |path: &str| {
            let found = find(&home.join(path), Some(home))?;
            let root = found.root.strip_prefix(home).unwrap().to_owned();
            Some((root.to_str().unwrap().to_owned(), found.has_memory))
        };
        for folder in [
            "git/.git",
            "git/a/b",
            "git/c/d",
            "git/c/.claude",
            "with/.claude",
            "with/c",
            ".claude",
            "none",
        ] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        assert_eq!(find("git/a/b"), Some(("git".to_owned(), false)));
        fs::write(home.join("git/c").join(MEMORY_FILE), "x").unwrap();
        assert_eq!(find("git/c/d"), Some(("git/c".to_owned(), true)));
        fs::write(home.join("with").join(MEMORY_FILE), "x").unwrap();
        assert_eq!(find("with"), Some(("with".to_owned(), true)));
        // Outside of a repository, a memory is for its own directory alone.
        assert_eq!(find("with/c"), None);
        fs::write(home.join(MEMORY_FILE), "x").unwrap();
        assert_eq!(find("none"), None);
        assert_eq!(find(""), Some((String::new(), true)));
        fs::create_dir(home.join("git/a/.claude")).unwrap();
        let link = home.join("git/a").join(MEMORY_FILE);
        std::os::unix::fs::symlink(home.join(MEMORY_FILE), link).unwrap();
        assert_eq!(find("git/a/b"), Some(("git".to_owned(), false)));
        // A home that is a repository has its memory for itself.
        fs::create_dir(home.join(".git")).unwrap();
        assert_eq!(find("none"), None);
        assert_eq!(find(""), Some((String::new(), true)));
    }
}
