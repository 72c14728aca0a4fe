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

/// Files of a git directory that libgit2 opens.
const FILES: [&str; 7] = [
    "HEAD",
    "config",
    "config.worktree",
    "index",
    "packed-refs",
    "info/exclude",
    "info/attributes",
];

/// Refuses the repository around `path` if one of its files is a named pipe or a device: libgit2 would wait for it.
fn refuse_pipes(path: &Path) -> Result<()> {
    let mut folders = path.ancestors().map(|folder| folder.join(".git"));
    let Some(git) = folders.find(|git| git.symlink_metadata().is_ok()) else {
        return Ok(());
    };
    let files = FILES.map(|file| git.join(file));
    files.into_iter().chain([git]).try_for_each(refuse_pipe)
}

/// The same for the files with rules that its configuration names, and for those at the top of its work tree.
fn refuse_pipes_with_rules(repository: &Repository) -> Result<()> {
    let config = repository.config().ok();
    let named = ["core.excludesfile", "core.attributesfile"];
    let named = named.map(|key| config.as_ref()?.get_path(key).ok());
    let rules = [".gitignore", ".gitattributes"];
    let rules = rules.map(|file| Some(repository.workdir()?.join(file)));
    let mut files = named.into_iter().chain(rules).flatten();
    files.try_for_each(refuse_pipe)
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
        _ => RepositoryError::git(path)(source),
    })?;
    if !is_trusted(&repository) {
        return Err(RepositoryError::OtherOwner(top(&repository).to_owned()));
    }
    refuse_pipes_with_rules(&repository)?;
    Ok(repository)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_pipe_in_place_of_a_file_is_refused_and_not_waited_for() {
        let rules = ["../.gitignore", "../.gitattributes", "named"];
        for file in FILES.into_iter().chain(rules) {
            let folder = tempfile::tempdir().unwrap();
            let init = std::process::Command::new("git")
                .args(["init", "-q"])
                .arg(folder.path())
                .status();
            assert!(init.unwrap().success());
            let below = folder.path().join("below");
            std::fs::create_dir(&below).unwrap();
            let opened = discover(&below).unwrap();
            let pipe = folder.path().join(".git").join(file);
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
                refused.contains(file.trim_start_matches("../"))
                    && refused.contains("not a regular file"),
                "{refused}"
            );
        }
    }
}
