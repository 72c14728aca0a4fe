//! What a work tree is at: branch, conflicts, and which files git does not look at.

use crate::WorkTree;
use crate::error::{GitResult, RepositoryError, Result};
use crate::snapshot::conflicts;
use crate::work_tree::head_of;
use git2::Repository;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Of `info/exclude` that are read.
const MAX_EXCLUDE_BYTES: u64 = 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitsSince {
    /// Commits that `HEAD` has and the earlier one has not, at most as many as asked for.
    pub number: usize,
    /// The earlier commit is in the history of `HEAD`.
    pub is_descendant: bool,
}

impl WorkTree {
    /// Returns the name of the branch, also of one without a commit; `HEAD` if none is checked out.
    pub fn branch(&self) -> Result<String> {
        self.with(|repository| {
            let head = repository.find_reference("HEAD")?;
            let target = String::from_utf8_lossy(head.symbolic_target_bytes().unwrap_or(b"HEAD"));
            let branch = target.strip_prefix("refs/heads/").unwrap_or(&target);
            Ok(branch.to_owned())
        })
    }

    /// Returns how many lines of tracked files were added and removed since the last commit.
    pub fn changed_lines(&self) -> Result<(usize, usize)> {
        self.with(|repository| {
            let head = head_of(repository)?
                .map(|commit| commit.tree())
                .transpose()?;
            let diff = repository.diff_tree_to_workdir_with_index(head.as_ref(), None)?;
            let stats = diff.stats()?;
            Ok((stats.insertions(), stats.deletions()))
        })
    }

    /// Returns the files with an unresolved conflict, relative to the top directory.
    pub fn conflicts(&self) -> Result<Vec<PathBuf>> {
        self.with(|repository| Ok(conflicts(&repository.index()?)?.unwrap_or_default()))
    }

    /// Compares `HEAD` with `commit`; nothing if `commit` is unknown.
    pub fn commits_since(&self, commit: &str, max: usize) -> Result<Option<CommitsSince>> {
        self.with(|repository| {
            let find = |name: &str| repository.revparse_single(name).ok();
            let Some((commit, head)) = find(commit).zip(find("HEAD")) else {
                return Ok(None);
            };
            let only_in = |one: git2::Oid, other: git2::Oid, max: usize| {
                let mut walk = repository.revwalk()?;
                walk.push(one)?;
                walk.hide(other)?;
                GitResult::Ok(walk.take(max).count())
            };
            Ok(Some(CommitsSince {
                number: only_in(head.id(), commit.id(), max)?,
                is_descendant: only_in(commit.id(), head.id(), 1)? == 0,
            }))
        })
    }

    /// Makes sure that git ignores `paths`, relative to the top directory, by the line `pattern` in `info/exclude`, which is
    /// part of no commit. If they are ignored already, nothing changes. Returns false if one is tracked: git never ignores
    /// it.
    /// `NotIgnored` if a rule of `.gitignore` is stronger.
    pub fn exclude(&self, paths: &[&Path], pattern: &str) -> Result<bool> {
        let index = self.with(Repository::index)?;
        let is_tracked = paths.iter().any(|path| index.get_path(path, 0).is_some());
        for path in paths {
            self.check_rules(path)?;
        }
        if is_tracked || self.first_shown(paths)?.is_none() {
            return Ok(!is_tracked);
        }
        let folder = self.common_dir.join("info");
        let file = folder.join("exclude");
        let is_linked = |path: &&PathBuf| path.is_symlink();
        if let Some(linked) = [&folder, &file].into_iter().find(is_linked) {
            return Err(RepositoryError::Linked(linked.clone()));
        }
        let not_writable = |_| RepositoryError::NotWritable(file.clone());
        std::fs::create_dir_all(&folder).map_err(not_writable)?;
        let before = add_line(&file, pattern).map_err(not_writable)?;
        let Some(shown) = self.first_shown(paths)? else {
            return Ok(true);
        };
        // The rules of .gitignore are stronger, so the line is of no use.
        let opened = std::fs::OpenOptions::new().write(true).open(&file);
        opened
            .and_then(|file| file.set_len(before))
            .map_err(not_writable)?;
        Err(RepositoryError::NotIgnored {
            path: self.root.join(shown),
            pattern: pattern.to_owned(),
        })
    }

    /// Returns the first of the paths that git does not ignore.
    fn first_shown<'a>(&self, paths: &[&'a Path]) -> Result<Option<&'a Path>> {
        self.with(|repository| {
            for path in paths {
                if !repository.is_path_ignored(path)? {
                    return Ok(Some(*path));
                }
            }
            Ok(None)
        })
    }

    /// Refuses files that say what is ignored but are not regular: reading a named pipe would never end.
    fn check_rules(&self, path: &Path) -> Result<()> {
        let folders = path.ancestors().skip(1);
        let rules = folders.map(|folder| self.root.join(folder).join(".gitignore"));
        let mut rules = rules.chain([self.common_dir.join("info/exclude")]);
        let is_odd = |path: &PathBuf| path.metadata().is_ok_and(|about| !about.is_file());
        rules
            .find(is_odd)
            .map_or(Ok(()), |path| Err(RepositoryError::NotRegular(path)))
    }
}

/// Adds a line and returns how long the file was before.
fn add_line(file: &Path, line: &str) -> std::io::Result<u64> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut opened = std::fs::OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
        .open(file)?;
    let len = opened.metadata()?.len();
    let mut before = Vec::new();
    (&mut opened)
        .take(MAX_EXCLUDE_BYTES)
        .read_to_end(&mut before)?;
    let gap = if before.is_empty() || before.ends_with(b"\n") {
        ""
    } else {
        "\n"
    };
    opened.write_all(format!("{gap}{line}\n").as_bytes())?;
    Ok(len)
}

#[cfg(test)]
mod tests {
    use crate::WorkTree;
    use crate::test_repository::{git, repository};
    use std::path::Path;

    #[test]
    fn a_branch_has_its_name_also_before_the_first_commit_and_a_detached_head_is_head() {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &["init", "-q", "-b", "a/b"]);
        let tree = WorkTree::find(folder.path()).unwrap();
        assert_eq!(tree.branch().unwrap(), "a/b");
        assert_eq!(tree.head().unwrap(), None);
        let folder = repository();
        git(folder.path(), &["checkout", "-q", "--detach"]);
        let tree = WorkTree::find(folder.path()).unwrap();
        assert_eq!(tree.branch().unwrap(), "HEAD");
        assert!(tree.head().unwrap().is_some());
    }

    #[test]
    fn commits_are_counted_from_a_known_one() {
        let folder = repository();
        let tree = WorkTree::find(folder.path()).unwrap();
        let first = tree.head().unwrap().unwrap();
        crate::test_repository::commit(folder.path(), "a.txt", "b\n");
        crate::test_repository::commit(folder.path(), "a.txt", "c\n");
        let since = |commit: &str, max: usize| {
            let since = tree.commits_since(commit, max).unwrap()?;
            Some((since.number, since.is_descendant))
        };
        let third = tree.head().unwrap().unwrap();
        assert_eq!(since(&first, 100), Some((2, true)));
        assert_eq!(since(&first[..7], 1), Some((1, true)));
        assert_eq!(since("feedfeed", 100), None);
        git(folder.path(), &["reset", "-q", "--hard", &first]);
        assert_eq!(since(&third, 100), Some((0, false)));
        crate::test_repository::commit(folder.path(), "a.txt", "d\n");
        assert_eq!(since(&third, 100), Some((1, false)));
    }

    #[test]
    fn nothing_is_written_through_a_link_in_the_git_folder() {
        let (folder, outside) = (repository(), tempfile::tempdir().unwrap());
        let tree = WorkTree::find(folder.path()).unwrap();
        let info = tree.git_dir.join("info");
        std::fs::remove_dir_all(&info).unwrap();
        std::os::unix::fs::symlink(outside.path(), &info).unwrap();
        let error = tree.exclude(&[Path::new("y.md")], "/y.md").unwrap_err();
        assert!(error.to_string().contains("symbolic link"), "{error}");
        assert_eq!(outside.path().read_dir().unwrap().count(), 0);
    }
}
