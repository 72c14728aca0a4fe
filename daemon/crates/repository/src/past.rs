//! Files as they were at an earlier time.

use crate::WorkTree;
use crate::error::Result;
use crate::work_tree::head_of;
use git2::{Commit, ObjectType, Repository};
use std::path::Path;
use std::time::Instant;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastCommit {
    pub subject: String,
    /// Seconds since 1970.
    pub time_s: i64,
}

/// Longer files are left out.
const MAX_FILE_BYTES: usize = 1024 * 1024;

impl WorkTree {
    /// Returns when each of `paths`, relative to the top directory, was last changed by a commit (seconds since 1970), along
    /// the first parents; nothing for a file that differs from the last commit or is in none, and for one whose commit was
    /// not found until `deadline`.
    pub fn last_changes(&self, paths: &[&Path], deadline: Instant) -> Result<Vec<Option<i64>>> {
        self.with(|repository| {
            let mut changes = vec![None; paths.len()];
            let Some(mut commit) = head(repository) else {
                return Ok(changes);
            };
            let is_clean = |path: &Path| {
                let status = repository.status_file(path);
                status.is_ok_and(|status| status == git2::Status::CURRENT)
            };
            let mut wanted: Vec<usize> =
                (0..paths.len()).filter(|at| is_clean(paths[*at])).collect();
            while !wanted.is_empty() && Instant::now() < deadline {
                let parent = commit.parent(0).ok();
                let tree = commit.tree()?;
                let before = parent.as_ref().map(Commit::tree).transpose()?;
                wanted.retain(|at| {
                    let id = |tree: &git2::Tree<'_>| Some(tree.get_path(paths[*at]).ok()?.id());
                    if id(&tree) == before.as_ref().and_then(id) {
                        return true;
                    }
                    changes[*at] = Some(commit.time().seconds());
                    false
                });
                match parent {
                    Some(parent) => commit = parent,
                    None => break,
                }
            }
            Ok(changes)
        })
    }

    /// Returns the last commits along the first parents, the newest first.
    pub fn last_commits(&self, max: usize) -> Result<Vec<PastCommit>> {
        let past = |commit: Commit<'_>| {
            let subject = commit.summary_bytes().unwrap_or_default();
            PastCommit {
                subject: String::from_utf8_lossy(subject).into_owned(),
                time_s: commit.time().seconds(),
            }
        };
        self.with(|repository| {
            let history = std::iter::successors(head(repository), |commit| commit.parent(0).ok());
            Ok(history.take(max).map(past).collect())
        })
    }

    /// Returns the name of the default branch and the number of commits that `HEAD` has and it has not; nothing if it is not
    /// known, or checked out.
    pub fn ahead_of_default(&self) -> Result<Option<(String, usize)>> {
        let repository = self.open()?;
        let ahead = || {
            let remote = repository.find_reference("refs/remotes/origin/HEAD").ok();
            let remote = remote.and_then(|head| Some(head.symbolic_target().ok()??.to_owned()));
            let names = ["refs/heads/main".to_owned(), "refs/heads/master".to_owned()];
            let mut all = remote.into_iter().chain(names);
            let (default, name) =
                all.find_map(|name| Some((repository.refname_to_id(&name).ok()?, name)))?;
            let head = repository.head().ok()?;
            let short = name.rsplit('/').next()?.to_owned();
            if head.shorthand_bytes() == short.as_bytes() {
                return None;
            }
            let counts = repository.graph_ahead_behind(head.target()?, default);
            Some((short, counts.ok()?.0))
        };
        Ok(ahead())
    }

    /// Returns the time of the last commit (seconds since 1970); nothing without one.
    pub fn head_time(&self) -> Result<Option<i64>> {
        self.with(|repository| Ok(head(repository).map(|commit| commit.time().seconds())))
    }

    /// Calls `each` with the position and the content of those of `paths`, relative to the top directory, that were in the
    /// last commit at or before `time_s` (seconds since 1970), along the first parents. Ends at `deadline`, done or not; a
    /// history that does not go back so far, or is shallow, has nothing.
    pub fn files_at(
        &self,
        time_s: i64,
        paths: &[&Path],
        deadline: Instant,
        mut each: impl FnMut(usize, &[u8]),
    ) -> Result<()> {
        self.with(|repository| {
            let is_late = || Instant::now() >= deadline;
            let mut commit = head_of(repository)?;
            while commit
                .as_ref()
                .is_some_and(|commit| commit.time().seconds() > time_s)
                && !is_late()
            {
                commit = commit.and_then(|commit| commit.parent(0).ok());
            }
            let Some(commit) = commit else {
                return Ok(());
            };
            let (tree, objects) = (commit.tree()?, repository.odb()?);
            for (at, path) in paths.iter().enumerate().take_while(|_| !is_late()) {
                let Ok(entry) = tree.get_path(path) else {
                    continue;
                };
                let is_read = |(len, kind)| len <= MAX_FILE_BYTES && kind == ObjectType::Blob;
                if objects.read_header(entry.id()).is_ok_and(is_read)
                    && let Ok(blob) = repository.find_blob(entry.id())
                {
                    each(at, blob.content());
                }
            }
            Ok(())
        })
    }
}

fn head(repository: &Repository) -> Option<Commit<'_>> {
    repository.head().ok()?.peel_to_commit().ok()
}

#[cfg(test)]
mod tests {
    use crate::WorkTree;
    use crate::test_repository::{git, git_bytes, repository};
    use std::path::Path;
    use std::time::{Duration, Instant};

    fn commit_at(folder: &Path, content: &str, date: &str) {
        std::fs::write(folder.join("b.txt"), content).unwrap();
        git(folder, &["add", "b.txt"]);
        let variables = [("GIT_COMMITTER_DATE", date)];
        git_bytes(folder, &["commit", "-q", "-m", "x"], &variables);
    }

    #[test]
    fn a_file_was_changed_by_the_last_commit_that_made_it_another() {
        let folder = repository();
        git(folder.path(), &["checkout", "-q", "--orphan", "other"]);
        commit_at(folder.path(), "one", "2020-01-01T00:00:00Z");
        std::fs::write(folder.path().join("c.txt"), "c").unwrap();
        git(folder.path(), &["add", "c.txt"]);
        commit_at(folder.path(), "one", "2021-01-01T00:00:00Z");
        std::fs::write(folder.path().join("new.txt"), "new").unwrap();
        let tree = WorkTree::find(folder.path()).unwrap();
        let changes = |wait: Duration| {
            let paths = ["b.txt", "c.txt", "new.txt", "none"].map(Path::new);
            tree.last_changes(&paths, Instant::now() + wait).unwrap()
        };
        let [one, two] = [Some(1_577_836_800), Some(1_609_459_200)];
        assert_eq!(changes(Duration::from_secs(60)), [one, two, None, None]);
        assert_eq!(changes(Duration::ZERO), [None; 4]);
        std::fs::write(folder.path().join("b.txt"), "changed").unwrap();
        assert_eq!(changes(Duration::from_secs(60))[0], None);
    }

    #[test]
    fn a_file_is_as_it_was_in_the_last_commit_of_that_time() {
        let folder = repository();
        git(folder.path(), &["checkout", "-q", "--orphan", "other"]);
        commit_at(folder.path(), "one", "2020-01-01T00:00:00Z");
        commit_at(folder.path(), "two", "2021-01-01T00:00:00Z");
        let tree = WorkTree::find(folder.path()).unwrap();
        let at = |time_s: i64, wait: Duration| {
            let mut found = Vec::new();
            let paths = [Path::new("none"), Path::new("b.txt"), Path::new("/x/../y")];
            tree.files_at(time_s, &paths, Instant::now() + wait, |at, content| {
                found.push((at, content.to_vec()));
            })
            .unwrap();
            found
        };
        let minute = Duration::from_secs(60);
        assert_eq!(at(1_600_000_000, minute), [(1, b"one".to_vec())]);
        assert_eq!(at(1_700_000_000, minute), [(1, b"two".to_vec())]);
        assert_eq!(at(1_500_000_000, minute), []);
        assert_eq!(at(1_600_000_000, Duration::ZERO), []);
    }
}
