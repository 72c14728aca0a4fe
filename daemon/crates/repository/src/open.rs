//! Handles of libgit2. Only this file makes them: libgit2 runs no program, whatever the configuration of a repository says.

use crate::error::{RepositoryError, Result};
use crate::owner::{is_trusted, top};
use git2::{ErrorCode, Repository, RepositoryOpenFlags};
use std::path::{Path, PathBuf};
use std::sync::Once;

/// Opens the repository that `path` is in. As git does, it does not look in the directories of `GIT_CEILING_DIRECTORIES` or above.
pub(crate) fn discover(path: &Path) -> Result<Repository> {
    open_with(path, RepositoryOpenFlags::CROSS_FS)
}

pub(crate) fn open(path: &Path) -> Result<Repository> {
    open_with(path, RepositoryOpenFlags::NO_SEARCH)
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

/// Refuses the repository around `path` if one of its files is a named pipe or a device: libgit2 would wait for it, and most
/// callers have no time limit.
fn refuse_pipes(path: &Path) -> Result<()> {
    let mut folders = path.ancestors();
    match folders.find(|folder| folder.join(".git").symlink_metadata().is_ok()) {
        Some(top) => FILES
            .iter()
            .try_for_each(|file| refuse_pipe(top.join(file))),
        None => Ok(()),
    }
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
    refuse_pipes(path)?;
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
