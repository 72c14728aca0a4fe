//! Why something could not be done with a work tree.

use std::path::{Path, PathBuf};

/// Each message names the path and what to do.
#[derive(Debug, thiserror::Error)]
pub enum RepositoryError {
    #[error("{}: no such directory; name the directory of a repository", .0.display())]
    NoDirectory(PathBuf),
    #[error("{}: cannot be read: {source}; check its permissions", path.display())]
    NotReadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{}: not in a git repository; run git init there or choose another directory", .0.display())]
    NoRepository(PathBuf),
    #[error("{}: a bare repository has no work tree; clone it or add one with git worktree add", .0.display())]
    Bare(PathBuf),
    #[error("{}: the repository is owned by another user; to trust it, run git config --global --add safe.directory {}", .0.display(), .0.display())]
    OtherOwner(PathBuf),
    #[error("{}: its git folder {} is gone or was replaced; restore it, or clone again", root.display(), git_dir.display())]
    Gone { root: PathBuf, git_dir: PathBuf },
    #[error("{}: not writable; give yourself write permission", .0.display())]
    NotWritable(PathBuf),
    #[error("{}: not a regular file, or longer than 256 MiB, so it is not read; move it away if it does not belong there", .0.display())]
    NotRegular(PathBuf),
    #[error("{}: git does not answer; check .git, each .gitignore and each file that .git/config includes for a named pipe, remove it, and run ccctl daemon restart", .0.display())]
    NoAnswer(PathBuf),
    #[error("{}: is a symbolic link, and nothing is written through it; replace it by what it points to", .0.display())]
    Linked(PathBuf),
    #[error("{}: a rule of .gitignore that starts with ! includes it again; add the line {pattern} below that rule", path.display())]
    NotIgnored { path: PathBuf, pattern: String },
    #[error("{}: another git command is running; wait for it, or remove the file if none is", .0.display())]
    Locked(PathBuf),
    #[error("{}: there is no commit yet; commit first", .0.display())]
    Unborn(PathBuf),
    #[error("{}: unresolved merge conflicts cannot be stashed: {paths}; resolve them first", root.display())]
    Unmerged { root: PathBuf, paths: String },
    #[error("{}: files changed while they were being stashed; nothing was removed, try again", .0.display())]
    Changed(PathBuf),
    #[error("{}: ignored files are where files of HEAD belong: {paths}; move them away", root.display())]
    Blocked { root: PathBuf, paths: String },
    #[error("{}: the stash {id} is no longer in git stash list; if it was dropped by mistake: git stash apply --index {id}", root.display())]
    StashGone { root: PathBuf, id: String },
    #[error("{}: restoring the stash {id} would overwrite {paths}; nothing was restored. Move these away, then run: git stash pop --index stash@{{{position}}}; if git reports a conflict in the index, leave out --index, and resolve the conflict", root.display())]
    StashConflict {
        root: PathBuf,
        id: String,
        /// Where the stash is in `git stash list`; 0 is the top.
        position: usize,
        paths: String,
    },
    #[error("git: cannot be started: {0}; install git or add it to PATH")]
    GitMissing(#[source] std::io::Error),
    #[error("{}: git {command} failed: {message}", root.display())]
    GitFailed {
        root: PathBuf,
        command: &'static str,
        message: String,
    },
    #[error("{}: the recorded changes do not fit, so nothing was changed: {message}; check out what they were recorded on, or record again", root.display())]
    PatchRefused { root: PathBuf, message: String },
    #[error("{}: the diff exceeds {limit} bytes; git diff {before} {after} prints it", root.display())]
    DiffTooLong {
        root: PathBuf,
        limit: usize,
        before: String,
        after: String,
    },
    #[error("{}: libgit2 cannot open this repository: {}", path.display(), source.message())]
    Unsupported { path: PathBuf, source: git2::Error },
    #[error("{}: git: {}", path.display(), source.message())]
    Git { path: PathBuf, source: git2::Error },
}

impl RepositoryError {
    pub(crate) fn git(path: &Path, source: git2::Error) -> Self {
        Self::Git {
            path: path.to_owned(),
            source,
        }
    }
}

pub(crate) type Result<T> = std::result::Result<T, RepositoryError>;

/// Of work that only libgit2 can fail at.
pub(crate) type GitResult<T> = std::result::Result<T, git2::Error>;

/// Returns at most `limit` of the paths, with commas, and the number of the others. Other bytes become U+FFFD.
#[must_use]
pub fn name_paths<P: AsRef<Path>>(paths: &[P], limit: usize) -> String {
    let mut names: Vec<String> = paths
        .iter()
        .take(limit)
        .map(|path| path.as_ref().to_string_lossy().into_owned())
        .collect();
    if paths.len() > limit {
        names.push(format!("{} more", paths.len() - limit));
    }
    names.join(", ")
}

/// How many paths a message names.
pub(crate) const NAMED_PATHS: usize = 10;
