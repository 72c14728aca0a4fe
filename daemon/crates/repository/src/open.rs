//! Handles of libgit2. Only this file makes them: libgit2 runs no program, whatever the configuration of a repository says.

use crate::error::{RepositoryError, Result};
use crate::owner::{is_trusted, top};
use git2::{ErrorCode, Odb, Repository, RepositoryOpenFlags};
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::{Duration, Instant};

/// Opens the repository that `path` is in. As git does, it does not look in the directories of `GIT_CEILING_DIRECTORIES` or above.
pub(crate) fn discover(path: &Path) -> Result<Repository> {
    open_with(path, RepositoryOpenFlags::CROSS_FS)
}

pub(crate) fn open(path: &Path) -> Result<Repository> {
    open_with(path, RepositoryOpenFlags::NO_SEARCH)
}

/// Returns a repository of which there is only the work tree: it has rules, but neither objects nor references.
pub(crate) fn without_git_folder(work_tree: &Path) -> Result<Repository> {
    let made = Odb::new().and_then(Repository::from_odb);
    let made = made.and_then(|made| made.set_workdir(work_tree, false).map(|()| made));
    let repository = made.map_err(|source| RepositoryError::git(work_tree, source))?;
    refuse_named_pipes(&repository)?;
    Ok(repository)
}

/// Files of a work tree that libgit2 reads.
const FILES: [&str; 10] = [
    ".git",
    ".git/HEAD",
    ".git/config",
    ".git/config.worktree",
    ".git/index",
    ".git/packed-refs",
    ".git/info/exclude",
    ".git/info/attributes",
    ".gitignore",
    ".gitattributes",
];

/// How long opening a repository takes at most, unless it waits for something that never comes.
const OPEN_LIMIT: Duration = Duration::from_secs(10);

/// Repositories that are being opened, and since when. What libgit2 waits for is not seen beforehand if the configuration
/// includes it, so that one thread stays with such a repository, and others do not join it.
static OPENING: Mutex<Vec<(PathBuf, Instant)>> = Mutex::new(Vec::new());

struct Opening(PathBuf, Instant);

impl Opening {
    fn begin(top: &Path, limit: Duration) -> Result<Self> {
        let mut opening = OPENING.lock();
        let is_stuck = |(path, since): &(PathBuf, Instant)| path == top && since.elapsed() >= limit;
        if opening.iter().any(is_stuck) {
            return Err(RepositoryError::NoAnswer(top.to_owned()));
        }
        let (path, now) = (top.to_owned(), Instant::now());
        opening.push((path.clone(), now));
        Ok(Self(path, now))
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        let mut opening = OPENING.lock();
        let is_this = |(path, since): &(PathBuf, Instant)| *path == self.0 && *since == self.1;
        if let Some(at) = opening.iter().position(is_this) {
            opening.swap_remove(at);
        }
    }
}

/// Returns the directory around `path` that has a `.git`.
fn top_of(path: &Path) -> Option<&Path> {
    let has_git = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    path.ancestors().find(has_git)
}

/// Refuses a repository if one of its files is a named pipe or a device: libgit2 would wait for it, and most callers have no
/// time limit.
fn refuse_pipes(top: &Path) -> Result<()> {
    let mut files = FILES.iter();
    files.try_for_each(|file| refuse_pipe(top.join(file)))
}

/// The same for the files with rules that its configuration names.
fn refuse_named_pipes(repository: &Repository) -> Result<()> {
    let config = repository.config().ok();
    let named = ["core.excludesfile", "core.attributesfile"];
    let named = named.map(|key| config.as_ref()?.get_path(key).ok());
    named.into_iter().flatten().try_for_each(refuse_pipe)
}

fn refuse_pipe(file: PathBuf) -> Result<()> {
    match std::fs::metadata(&file) {
        Ok(found) if !found.is_file() && !found.is_dir() => Err(RepositoryError::NotRegular(file)),
        _ => Ok(()),
    }
}

fn open_with(path: &Path, flags: RepositoryOpenFlags) -> Result<Repository> {
    let folder = top_of(path);
    folder.map_or(Ok(()), refuse_pipes)?;
    let _opening = Opening::begin(folder.unwrap_or(path), OPEN_LIMIT)?;
    static OWN_CHECK: Once = Once::new();
    // SAFETY: it writes a global of libgit2 before anything reads it: nothing else opens repositories.
    OWN_CHECK.call_once(|| unsafe {
        // `is_trusted` knows all forms of `safe.directory`, libgit2 does not.
        let _ = git2::opts::set_verify_owner_validation(false);
    });
    let ceilings = std::env::var_os("GIT_CEILING_DIRECTORIES").unwrap_or_default();
    #[expect(clippy::disallowed_methods, reason = "the only place")]
    let opened = Repository::open_ext(path, flags, std::env::split_paths(&ceilings));
    let repository = opened.map_err(|source| match source.code() {
        ErrorCode::NotFound => RepositoryError::NoRepository(path.to_owned()),
        _ => RepositoryError::git(path, source),
    })?;
    if !is_trusted(&repository) {
        return Err(RepositoryError::OtherOwner(top(&repository).to_owned()));
    }
    refuse_named_pipes(&repository)?;
    Ok(repository)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_repository::repository;

    #[test]
    fn what_is_being_opened_for_too_long_is_not_opened_again() {
        let top = Path::new("/stuck");
        let first = Opening::begin(top, OPEN_LIMIT).unwrap();
        let second = Opening::begin(top, OPEN_LIMIT).unwrap();
        drop(second);
        let refused = Opening::begin(top, Duration::ZERO).err().unwrap();
        assert!(
            refused
                .to_string()
                .starts_with("/stuck: git does not answer")
        );
        drop(first);
        assert!(Opening::begin(top, Duration::ZERO).is_ok());
    }

    #[test]
    fn a_named_pipe_in_place_of_a_file_is_refused_and_not_waited_for() {
        for file in FILES.into_iter().skip(1).chain(["named"]) {
            let folder = repository();
            let below = folder.path().join("below");
            std::fs::create_dir(&below).unwrap();
            let opened = discover(&below).unwrap();
            let pipe = folder.path().join(file);
            if file == "named" {
                let mut config = opened.config().unwrap();
                let named = pipe.to_str().unwrap();
                config.set_str("core.excludesFile", named).unwrap();
            }
            let _ = std::fs::remove_file(&pipe);
            let made = std::process::Command::new("mkfifo").arg(&pipe).status();
            assert!(made.unwrap().success());
            let refused = discover(&below).err().unwrap().to_string();
            assert!(
                refused.contains(&format!("{file}: not a regular file")),
                "{refused}"
            );
        }
    }
}
