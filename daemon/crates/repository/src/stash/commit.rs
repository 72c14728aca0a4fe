//! The commits that a stash consists of, and the list of stashes.

use super::trees::{Files, WorkTreeState};
use crate::WorkTree;
use crate::error::{GitResult, RepositoryError, Result};
use git2::{Commit, Oid, Repository, Signature, Tree};

/// The reference and log of `git stash`.
const STASH: &str = "refs/stash";

impl WorkTree {
    pub fn stash_find(&self, message: &str) -> Result<Option<String>> {
        let end = format!(": {message}");
        let list = self.stash_list()?;
        let found = list.into_iter().find(|(_, text)| text.ends_with(&end));
        Ok(found.map(|(id, _)| id.to_string()))
    }

    /// Returns the ids of all stashes, newest first.
    pub fn stashes(&self) -> Result<Vec<String>> {
        let list = self.stash_list()?;
        Ok(list.iter().map(|(id, _)| id.to_string()).collect())
    }

    /// Returns where `id` is in `git stash list`.
    pub(crate) fn stash_position(&self, id: &str) -> Result<usize> {
        let list = self.stash_list()?;
        let position = list.iter().position(|(other, _)| other.to_string() == id);
        position.ok_or_else(|| RepositoryError::StashGone {
            root: self.root.clone(),
            id: id.to_owned(),
        })
    }

    fn stash_list(&self) -> Result<Vec<(Oid, String)>> {
        let mut list = Vec::new();
        self.open()?
            .stash_foreach(|_, text, id| {
                list.push((*id, text.to_owned()));
                true
            })
            .map_err(|error| self.git(error))?;
        Ok(list)
    }
}

/// The trees of a stash's commit and its parents, see git-stash(1), section "Discussion".
pub(crate) struct Stash<'a> {
    pub id: String,
    pub base: Tree<'a>,
    pub staged: Tree<'a>,
    pub files: Files<'a>,
}

impl<'a> Stash<'a> {
    pub(crate) fn load(repository: &'a Repository, id: &str) -> GitResult<Self> {
        let commit = repository.find_commit(Oid::from_str(id)?)?;
        let untracked = match commit.parent_count() {
            3 => Some(commit.parent(2)?.tree()?),
            _ => None,
        };
        Ok(Self {
            id: id.to_owned(),
            base: commit.parent(0)?.tree()?,
            staged: commit.parent(1)?.tree()?,
            files: Files {
                tracked: commit.tree()?,
                untracked,
            },
        })
    }

    pub(crate) fn state(&self) -> WorkTreeState {
        WorkTreeState {
            staged: self.staged.id(),
            tracked: self.files.tracked.id(),
            untracked: self.files.untracked.as_ref().map(Tree::id),
        }
    }
}

/// Makes the commits of a stash and puts it on top.
pub(super) fn push(
    repository: &Repository,
    head: &Commit<'_>,
    state: &WorkTreeState,
    message: &str,
) -> GitResult<Oid> {
    // Nobody need have told git their name in order to run something.
    let author = repository
        .signature()
        .or_else(|_| Signature::now("ccd", "ccd@localhost"))?;
    let commit = |text: &str, tree: Oid, parents: &[&Commit<'_>]| {
        let tree = repository.find_tree(tree)?;
        let id = repository.commit(None, &author, &author, text, &tree, parents)?;
        repository.find_commit(id)
    };
    let current = repository.head()?;
    let branch = if current.is_branch() {
        String::from_utf8_lossy(current.shorthand_bytes()).into_owned()
    } else {
        "(no branch)".to_owned()
    };
    let subject = String::from_utf8_lossy(head.summary_bytes().unwrap_or_default()).into_owned();
    let short = &head.id().to_string()[..7];
    let staged = commit(
        &format!("index on {branch}: {short} {subject}\n"),
        state.staged,
        &[head],
    )?;
    let untracked = state
        .untracked
        .map(|tree| {
            let text = format!("untracked files on {branch}: {short} {subject}\n");
            commit(&text, tree, &[])
        })
        .transpose()?;
    let text = format!("On {branch}: {message}");
    let mut parents = vec![head, &staged];
    parents.extend(untracked.as_ref());
    let stash = commit(&text, state.tracked, &parents)?;
    repository.reference(STASH, stash.id(), true, &text)?;
    log(repository, &author, stash.id(), &text)?;
    Ok(stash.id())
}

/// Adds the stash to the log, which is the list, if moving the reference has not: the first one never is.
/// The log comes second. An entry in it whose reference a killed process had not made yet would be listed again with the
/// next stash; a reference without a log lists nothing.
fn log(repository: &Repository, author: &Signature<'_>, id: Oid, text: &str) -> GitResult<()> {
    let mut log = repository.reflog(STASH)?;
    if log.get(0).is_some_and(|newest| newest.id_new() == id) {
        return Ok(());
    }
    log.append(id, author, Some(text))?;
    log.write()
}
