//! Handles of libgit2. Only this file makes them: libgit2 runs no program, whatever the configuration of a repository says.

use crate::error::{RepositoryError, Result};
use crate::owner::{is_trusted, top};
use git2::{ErrorClass, ErrorCode, Odb, Repository, RepositoryOpenFlags};
use parking_lot::Mutex;
use std::fs::File;
use std::io::Read as _;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::{Duration, Instant};

/// Opens the repository that `path` is in. As git does, it does not look in the directories of `GIT_CEILING_DIRECTORIES` or above.
pub(crate) fn discover(path: &Path) -> Result<Opened> {
    open_with(path, RepositoryOpenFlags::CROSS_FS)
}

pub(crate) fn open(path: &Path) -> Result<Opened> {
    open_with(path, RepositoryOpenFlags::NO_SEARCH)
}

/// Returns a repository of which there is only the work tree: it has rules, but neither objects nor references.
pub(crate) fn without_git_folder(work_tree: &Path) -> Result<Opened> {
    let in_use = InUse::begin(work_tree, SLOW)?;
    let made = Odb::new().and_then(Repository::from_odb);
    let made = made.and_then(|made| made.set_workdir(work_tree, false).map(|()| made));
    let repository = made.map_err(|source| RepositoryError::git(work_tree, source))?;
    refuse_named_pipes(&repository)?;
    Ok(Opened(repository, in_use))
}

/// Files of a work tree that libgit2 reads.
const FILES: [&str; 3] = [".git", ".gitignore", ".gitattributes"];

/// Files of its git folder, or of the one that all linked work trees share.
const GIT_FILES: [&str; 11] = [
    "commondir",
    "HEAD",
    "config",
    "config.worktree",
    "index",
    "packed-refs",
    "shallow",
    "objects/info/alternates",
    "info/grafts",
    "info/exclude",
    "info/attributes",
];

/// Maximum length of each: libgit2 reads some of them whole.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// Maximum length of a file that names another one.
const MAX_NAME_BYTES: u64 = 1 << 16;

/// A repository that is in use for longer is slow, or git waits for something that never comes.
const SLOW: Duration = Duration::from_secs(10);

/// How many slow uses of a repository may run at a time. It is not always known beforehand what libgit2 will wait for, so a
/// thread may hang in a repository; once this many do, no more are added.
const MAX_SLOW: usize = 4;

/// How many uses of a repository may run at a time, slow or not.
const MAX_USES: usize = 64;

/// Repositories in use, and since when.
static USES: Mutex<Vec<(PathBuf, Instant)>> = Mutex::new(Vec::new());

struct InUse(PathBuf, Instant);

impl InUse {
    fn begin(top: &Path, slow: Duration) -> Result<Self> {
        let mut uses = USES.lock();
        let of_this = || uses.iter().filter(|(path, _)| path == top);
        let slow = of_this().filter(|(_, since)| since.elapsed() >= slow);
        if slow.count() >= MAX_SLOW || of_this().count() >= MAX_USES {
            return Err(RepositoryError::NoAnswer(top.to_owned()));
        }
        let (path, now) = (top.to_owned(), Instant::now());
        uses.push((path.clone(), now));
        Ok(Self(path, now))
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        let mut uses = USES.lock();
        let is_this = |(path, since): &(PathBuf, Instant)| *path == self.0 && *since == self.1;
        if let Some(at) = uses.iter().position(is_this) {
            uses.swap_remove(at);
        }
    }
}

/// A repository that is in use until this is dropped.
pub(crate) struct Opened(
    Repository,
    #[expect(dead_code, reason = "ends by being dropped")] InUse,
);

impl Deref for Opened {
    type Target = Repository;

    fn deref(&self) -> &Repository {
        &self.0
    }
}

impl DerefMut for Opened {
    fn deref_mut(&mut self) -> &mut Repository {
        &mut self.0
    }
}

/// Returns the directory around `path` that has a `.git`.
fn top_of(path: &Path) -> Option<&Path> {
    let has_git = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    path.ancestors().find(has_git)
}

/// Refuses a repository if one of its files is a named pipe or a device, or too long: libgit2 would wait for it, and most callers
/// have no time limit.
fn refuse_pipes(top: &Path) -> Result<()> {
    let refuse = |folder: &Path, files: &[&str]| {
        let mut files = files.iter();
        files.try_for_each(|file| refuse_pipe(folder.join(file)))
    };
    refuse(top, &FILES)?;
    let git = top.join(".git");
    let git = named_in(&git, "gitdir: ").unwrap_or(git);
    refuse(&git, &GIT_FILES)?;
    let common = named_in(&git.join("commondir"), "").unwrap_or_else(|| git.clone());
    if common != git {
        refuse(&common, &GIT_FILES)?;
    }
    let branch = named_in(&git.join("HEAD"), "ref: ");
    let branch = branch.and_then(|branch| Some(common.join(branch.strip_prefix(&git).ok()?)));
    branch.map_or(Ok(()), refuse_pipe)
}

/// Returns the path that follows `start` in a file, which may be relative to the file's directory.
fn named_in(file: &Path, start: &str) -> Option<PathBuf> {
    let mut text = String::new();
    let mut opened = File::open(file).ok()?.take(MAX_NAME_BYTES);
    opened.read_to_string(&mut text).ok()?;
    let path = text.trim_end().strip_prefix(start)?;
    Some(file.parent()?.join(path))
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
        Ok(found) if found.is_dir() || found.is_file() && found.len() <= MAX_FILE_BYTES => Ok(()),
        // The usual way to name no file.
        Ok(_) if file == Path::new("/dev/null") => Ok(()),
        Ok(_) => Err(RepositoryError::NotRegular(file)),
        Err(_) => Ok(()),
    }
}

fn open_with(path: &Path, flags: RepositoryOpenFlags) -> Result<Opened> {
    let folder = top_of(path);
    folder.map_or(Ok(()), refuse_pipes)?;
    let in_use = InUse::begin(folder.unwrap_or(path), SLOW)?;
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
        _ if source.class() == ErrorClass::Repository => {
            let path = path.to_owned();
            RepositoryError::Unsupported { path, source }
        }
        _ => RepositoryError::git(path, source),
    })?;
    if !is_trusted(&repository) {
        return Err(RepositoryError::OtherOwner(top(&repository).to_owned()));
    }
    refuse_named_pipes(&repository)?;
    Ok(Opened(repository, in_use))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_repository::{repository, sh};

    #[test]
    fn a_repository_that_does_not_answer_is_left_alone_after_a_few_uses() {
        let folder = repository();
        let tree = crate::WorkTree::find(folder.path()).unwrap();
        let opened = [(); MAX_SLOW].map(|()| tree.open().unwrap());
        assert!(InUse::begin(&tree.root, SLOW).is_ok(), "they are new");
        let refused = InUse::begin(&tree.root, Duration::ZERO).err().unwrap();
        let refused = refused.to_string();
        assert!(refused.contains(": git does not answer"), "{refused}");
        drop(opened);
        assert!(InUse::begin(&tree.root, Duration::ZERO).is_ok());
        let _used = [(); MAX_USES].map(|()| InUse::begin(&tree.root, SLOW).unwrap());
        assert!(InUse::begin(&tree.root, SLOW).is_err());
    }

    #[test]
    fn a_repository_of_another_format_is_refused_by_name() {
        for setting in [
            "partialClone = origin",
            "refStorage = reftable",
            "objectFormat = sha256",
        ] {
            let folder = repository();
            let config = format!("[core]\nrepositoryFormatVersion = 1\n[extensions]\n{setting}\n");
            std::fs::write(folder.path().join(".git/config"), config).unwrap();
            let refused = discover(folder.path()).err().unwrap();
            assert!(
                matches!(refused, RepositoryError::Unsupported { .. }),
                "{refused}"
            );
        }
    }

    #[test]
    fn a_named_pipe_in_place_of_a_file_is_refused_and_not_waited_for() {
        let git_files = GIT_FILES.map(|file| format!(".git/{file}"));
        let others = ["named", ".git/refs/heads/main"].map(str::to_owned);
        let files = FILES[1..].iter().map(|file| (*file).to_owned());
        for file in files.chain(git_files).chain(others) {
            let folder = repository();
            let below = folder.path().join("below");
            std::fs::create_dir(&below).unwrap();
            let opened = discover(&below).unwrap();
            let pipe = folder.path().join(&file);
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

    #[test]
    fn a_named_pipe_is_seen_from_a_linked_work_tree() {
        for file in ["config", "worktrees/linked/index", "refs/heads/linked"] {
            let folder = repository();
            sh(folder.path(), "git worktree add -q linked");
            let linked = folder.path().join("linked");
            assert!(discover(&linked).is_ok());
            sh(
                folder.path(),
                &format!("rm .git/{file}; mkfifo .git/{file}"),
            );
            let refused = discover(&linked).err().unwrap().to_string();
            assert!(refused.contains("not a regular file"), "{refused}");
        }
    }
}
