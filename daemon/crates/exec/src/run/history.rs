//! What a run did to the history.

use super::before::{Before, MoreBefore};
use ccd_repository::{RepositoryError, WorkTree};

/// Commits that a warning names.
const NAMED: usize = 3;

/// Length of the ids in warnings.
const SHORT: usize = 10;

#[derive(Debug)]
pub(super) struct GitHistory {
    /// New ones that are checked out, oldest first.
    pub(super) commits: Vec<String>,
    /// The commit that is checked out, if the run has committed.
    pub(super) head: Option<String>,
    pub(super) warnings: Vec<String>,
}

impl GitHistory {
    /// Compares the references with what they were. Blocks.
    pub(super) fn since(tree: &WorkTree, before: &Before) -> Result<Self, RepositoryError> {
        let head = tree.head()?;
        let commits = match &head {
            Some(head) if before.head.as_ref() != Some(head) => tree.commits(&before.tips, head)?,
            _ => Vec::new(),
        };
        let mut history = Self {
            head: head.clone().filter(|_| !commits.is_empty()),
            commits,
            warnings: Vec::new(),
        };
        let tips = tree.tips()?;
        if let Some(more) = &before.more {
            if head != before.head || tips != before.tips || tree.branch()? != more.branch {
                history.warn(tree, before, more, head.clone(), &tips)?;
            }
            history.warn_of_loose(tree, before, more, head)?;
        }
        Ok(history)
    }

    fn warn(
        &mut self,
        tree: &WorkTree,
        before: &Before,
        more: &MoreBefore,
        head: Option<String>,
        tips: &[String],
    ) -> Result<(), RepositoryError> {
        let branch = tree.branch()?;
        let of_before: Vec<String> = before.head.iter().cloned().collect();
        let mut dropped = if branch == more.branch {
            tree.only_in(&of_before, &Vec::from_iter(head.clone()))?
        } else {
            Vec::new()
        };
        if dropped.is_empty() {
            let of_branches = more.branches.values().cloned().chain(of_before);
            dropped = tree.only_in(&of_branches.collect::<Vec<_>>(), tips)?;
        }
        if let Some(newest) = dropped.first() {
            self.warnings.push(format!(
                "the run dropped {} from before it: {}; git branch NAME {} brings back what it dropped",
                counted(dropped.len()),
                named(&dropped),
                short(newest)
            ));
        }
        if branch != more.branch {
            self.warnings.push(format!(
                "the run left the branch {} and ended on {}",
                on(&more.branch),
                on(&branch)
            ));
        }
        let known: Vec<String> = before.tips.iter().cloned().chain(head).collect();
        for (name, tip) in tree.branches()? {
            let new = if more.branches.get(&name) == Some(&tip) {
                Vec::new()
            } else {
                tree.only_in(&[tip], &known)?
            };
            if !new.is_empty() {
                self.warnings.push(format!(
                    "the run made {} on the branch {name}, which is not checked out at its end: {}",
                    counted(new.len()),
                    named(&new)
                ));
            }
        }
        Ok(())
    }

    /// Warns of commits that git will remove some day because no branch has them, and of stashes that are gone.
    fn warn_of_loose(
        &mut self,
        tree: &WorkTree,
        before: &Before,
        more: &MoreBefore,
        head: Option<String>,
    ) -> Result<(), RepositoryError> {
        let mut loose = tree.left_detached(more.head_moves)?;
        if tree.branch()? == "HEAD" {
            loose.extend(head);
        }
        let branches = tree.branches()?.into_values();
        let known: Vec<String> = branches.chain(before.tips.iter().cloned()).collect();
        let made = tree.only_in(&loose, &known)?;
        if let Some(newest) = made.first() {
            self.warnings.push(format!(
                "the run made {} on no branch: {}; git branch NAME {} keeps what it made",
                counted(made.len()),
                named(&made),
                short(newest)
            ));
        }
        let now = tree.stashes()?;
        let gone = more.stashes.iter().filter(|id| !now.contains(id));
        for id in gone {
            self.warnings.push(format!(
                "the run removed a stash from before it; git stash apply --index {id} brings it back"
            ));
        }
        Ok(())
    }
}

fn counted(commits: usize) -> String {
    format!("{commits} commit{}", if commits == 1 { "" } else { "s" })
}

/// A branch; without one, git says `HEAD`.
fn on(branch: &str) -> &str {
    match branch {
        "HEAD" => "a commit without a branch",
        branch => branch,
    }
}

/// The newest of some commits, newest first.
fn named(commits: &[String]) -> String {
    let ids: Vec<&str> = commits.iter().take(NAMED).map(|id| short(id)).collect();
    let more = if commits.len() > NAMED { ", …" } else { "" };
    format!("{}{more}", ids.join(", "))
}

fn short(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}
