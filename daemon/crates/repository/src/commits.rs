//! The commits that a run made.

use crate::WorkTree;
use crate::error::Result;
use crate::work_tree::head_of;
use git2::{BranchType, Oid, Reflog, Sort};
use std::collections::BTreeMap;

/// How many commits are listed; only a run that fetches a history makes more.
const COMMITS_LEN: usize = 10_000;

impl WorkTree {
    /// Returns the ids of `HEAD` and of what every reference points to: what exists before a run.
    pub fn tips(&self) -> Result<Vec<String>> {
        self.with(|repository| {
            let references = repository.references()?.flatten();
            // A reference that is broken or does not lead to a commit hides nothing.
            let commits = references.filter_map(|reference| reference.peel_to_commit().ok());
            let mut tips: Vec<Oid> = commits.map(|commit| commit.id()).collect();
            tips.extend(head_of(repository)?.map(|commit| commit.id()));
            tips.sort_unstable();
            tips.dedup();
            Ok(tips.iter().map(Oid::to_string).collect())
        })
    }

    /// Returns the full ids of the commits that `after` has and none of `before` has, oldest first; the newest
    /// [`COMMITS_LEN`] of them.
    /// With the `HEAD` of before as `before`, a run that checks out an old branch seems to have made its commits; with
    /// [`Self::tips`] it does not. History may have been rewritten, and nothing need be in common. A commit of `before`
    /// that is gone hides nothing.
    pub fn commits(&self, before: &[String], after: &str) -> Result<Vec<String>> {
        let mut commits = self.only_in(&[after.to_owned()], before)?;
        commits.reverse();
        Ok(commits)
    }

    /// Returns the full ids of the commits that one of `these` has and none of `others` has, newest first, at most
    /// [`COMMITS_LEN`]. A commit that is gone has and hides nothing.
    pub fn only_in(&self, these: &[String], others: &[String]) -> Result<Vec<String>> {
        self.with(|repository| {
            let mut walk = repository.revwalk()?;
            walk.set_sorting(Sort::TOPOLOGICAL)?;
            for (ids, is_hidden) in [(these, false), (others, true)] {
                for id in ids {
                    let id = Oid::from_str(id)?;
                    match repository.find_commit(id) {
                        Err(_) => {}
                        Ok(_) if is_hidden => walk.hide(id)?,
                        Ok(_) => walk.push(id)?,
                    }
                }
            }
            let ids = walk.take(COMMITS_LEN);
            ids.map(|id| Ok(id?.to_string())).collect()
        })
    }

    /// Returns how often `HEAD` has moved, as far as its log goes.
    pub fn head_moves(&self) -> Result<usize> {
        Ok(self.head_log()?.map_or(0, |log| log.len()))
    }

    /// Returns the commits that were checked out without a branch, and left, since `HEAD` had moved `before` times.
    pub fn left_detached(&self, before: usize) -> Result<Vec<String>> {
        let Some(log) = self.head_log()? else {
            return Ok(Vec::new());
        };
        let new = log.iter().take(log.len().saturating_sub(before));
        let left = new.filter_map(|entry| {
            let id = entry.id_old().to_string();
            let message = entry.message().ok().flatten()?;
            // Of a branch, git says the name.
            message
                .starts_with(&format!("checkout: moving from {id} "))
                .then_some(id)
        });
        Ok(left.collect())
    }

    fn head_log(&self) -> Result<Option<Reflog>> {
        // libgit2 creates a log that is not there.
        if !self.git_dir.join("logs/HEAD").exists() {
            return Ok(None);
        }
        self.with(|repository| repository.reflog("HEAD").map(Some))
    }

    /// Returns the local branches, by name, and the commits they are at.
    pub fn branches(&self) -> Result<BTreeMap<String, String>> {
        // As with tips, one that is broken is none.
        let name_and_commit = |branch: git2::Branch<'_>| {
            let name = String::from_utf8_lossy(branch.name_bytes().ok()?).into_owned();
            let commit = branch.into_reference().peel_to_commit().ok()?;
            Some((name, commit.id().to_string()))
        };
        self.with(|repository| {
            let branches = repository.branches(Some(BranchType::Local))?.flatten();
            Ok(branches
                .filter_map(|(branch, _)| name_and_commit(branch))
                .collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_repository::{commit, git, repository};

    #[test]
    fn commits_are_listed_oldest_first_and_also_without_a_common_ancestor() {
        let folder = repository();
        let root = folder.path();
        let tree = WorkTree::find(root).unwrap();
        let before = vec![tree.head().unwrap().unwrap()];
        let made: Vec<String> = (0..3)
            .map(|n| commit(root, "a.txt", &format!("{n}")))
            .collect();
        assert_eq!(tree.commits(&before, &made[2]).unwrap(), made);
        assert!(tree.commits(&made, &made[2]).unwrap().is_empty());
        assert_eq!(tree.commits(&[], &made[2]).unwrap().len(), 4);

        git(root, &["commit", "-q", "--amend", "-m", "amended"]);
        let amended = tree.head().unwrap().unwrap();
        assert_eq!(tree.commits(&made[2..], &amended).unwrap(), [amended]);

        git(root, &["checkout", "-q", "--orphan", "other"]);
        let orphan = commit(root, "a.txt", "orphan");
        assert_eq!(tree.commits(&made, &orphan).unwrap(), [orphan]);
    }

    #[test]
    fn a_branch_that_existed_before_was_not_made_and_missing_commits_do_not_matter() {
        let folder = repository();
        let root = folder.path();
        git(root, &["checkout", "-q", "-b", "old"]);
        let old = commit(root, "a.txt", "old");
        git(root, &["checkout", "-q", "main"]);
        let tree = WorkTree::find(root).unwrap();
        let mut before = tree.tips().unwrap();
        before.push("0123456789012345678901234567890123456789".to_owned());
        git(root, &["checkout", "-q", "old"]);
        assert!(tree.commits(&before, &old).unwrap().is_empty());
        let made = commit(root, "a.txt", "new");
        assert_eq!(tree.commits(&before, &made).unwrap(), [made]);
    }
}
