//! Puts everything dirty aside in the user's stash.

use crate::WorkTree;
use crate::error::{NAMED_PATHS, RepositoryError, Result, name_paths};
use crate::snapshot::{Dirty, as_path, entry};
use git2::{Commit, Index, ObjectType, Oid, Repository, Signature, Tree};
use std::path::{Path, PathBuf};

/// The reference and log of `git stash`.
const STASH: &str = "refs/stash";

impl WorkTree {
    /// Saves everything dirty (staged, modified, untracked; not ignored) on top of `git stash list`, as
    /// `git stash push --include-untracked` does, but leaves the work tree as it is. Returns the id of the stash's
    /// commit, or nothing if the work tree is clean.
    ///
    /// The caller writes the id down and then calls [`Self::stash_clean`]. If the process dies between or in these,
    /// [`Self::stash_restore`] repairs everything. If it dies before the id is written down, [`Self::stash_find`] knows
    /// the id by the `message`, which must be unique.
    ///
    /// Left alone: the contents of submodules and nested repositories. A file that is only marked to be added
    /// (`git add -N`) comes back untracked.
    ///
    /// # Errors
    ///
    /// `Unborn`, `Unmerged`, `IndexLocked` and those of [`Self::snapshot`]; nothing was stashed then.
    pub fn stash_save(&self, message: &str) -> Result<Option<String>> {
        let repository = self.open()?;
        self.refuse_lock()?;
        let Some(head) = self.head_of(&repository)? else {
            return Err(RepositoryError::Unborn(self.root.clone()));
        };
        let save = |state: &State| -> std::result::Result<Option<Oid>, git2::Error> {
            let head = repository.find_commit(head)?;
            let clean = head.tree_id();
            if state.staged == clean && state.tracked == clean && state.untracked.is_none() {
                return Ok(None);
            }
            push(&repository, &head, state, message).map(Some)
        };
        let state = self.state()?;
        let id = save(&state).map_err(|error| self.not_written(error))?;
        Ok(id.map(|id| id.to_string()))
    }

    /// Makes the work tree and the index clean, after [`Self::stash_save`] returned `id`. Ignored files stay.
    ///
    /// # Errors
    ///
    /// `Changed` if anything is not as in the stash, `StashGone`, `IndexLocked`; nothing was removed then.
    pub fn stash_clean(&self, id: &str) -> Result<()> {
        let repository = self.open()?;
        self.refuse_lock()?;
        self.stash_position(id)?;
        let stash = Stash::load(&repository, id).map_err(|error| self.git(error))?;
        if self.state()? != stash.state() {
            return Err(RepositoryError::Changed(self.root.clone()));
        }
        let clean = || -> std::result::Result<(), git2::Error> {
            // First, so that a process that is killed leaves files that `stash_restore` knows to be those of the stash.
            set_index(&repository, &stash.staged, &stash.base)?;
            let mut target = Index::new()?;
            target.read_tree(&stash.base)?;
            let mut paths = changed_paths(&repository, Some(&stash.base), Some(&stash.tracked))?;
            paths.extend(changed_paths(&repository, None, stash.untracked.as_ref())?);
            self.rewrite(&repository, &mut target, &paths)
        };
        clean().map_err(|error| self.git(error))
    }

    /// Returns the id of the newest stash with this message.
    ///
    /// # Errors
    ///
    /// `Gone`, `Git`.
    pub fn stash_find(&self, message: &str) -> Result<Option<String>> {
        let end = format!(": {message}");
        let list = self.stash_list()?;
        let found = list.into_iter().find(|(_, text)| text.ends_with(&end));
        Ok(found.map(|(id, _)| id.to_string()))
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

    /// Refuses while another git command writes the index, before anything is touched.
    pub(crate) fn refuse_lock(&self) -> Result<()> {
        let lock = self.git_dir.join("index.lock");
        match lock.symlink_metadata() {
            Ok(_) => Err(RepositoryError::IndexLocked(lock)),
            Err(_) => Ok(()),
        }
    }

    /// Writes the three trees that a stash consists of, and nothing else.
    pub(crate) fn state(&self) -> Result<State> {
        // Handles of its own: a repository hands out one index, and what is added to it here must not be written.
        let repository = self.open()?;
        let mut index = self.read_index(&repository)?;
        if let Some(paths) = conflicts(&index).map_err(|error| self.git(error))? {
            return Err(RepositoryError::Unmerged {
                root: self.root.clone(),
                paths: name_paths(&paths, NAMED_PATHS),
            });
        }
        let staged = index
            .write_tree()
            .map_err(|error| self.not_written(error))?;
        let dirty = self.dirty(&repository, &index)?;
        let (untracked, tracked): (Vec<Dirty>, Vec<Dirty>) =
            dirty.into_iter().partition(|dirty| dirty.is_untracked);
        self.add_all(&repository, &mut index, &tracked)?;
        let tracked = index
            .write_tree()
            .map_err(|error| self.not_written(error))?;
        let second = self.open()?;
        let mut others = second.index().map_err(|error| self.git(error))?;
        others.clear().map_err(|error| self.git(error))?;
        // Nested repositories stay where they are.
        let files = untracked.iter().filter(|dirty| {
            let metadata = self.root.join(&dirty.path).symlink_metadata();
            metadata.is_ok_and(|metadata| !metadata.is_dir())
        });
        self.add_all(&second, &mut others, files)?;
        let untracked = match others.is_empty() {
            true => None,
            false => Some(
                others
                    .write_tree()
                    .map_err(|error| self.not_written(error))?,
            ),
        };
        Ok(State {
            staged,
            tracked,
            untracked,
        })
    }
}

/// What is in a work tree, as ids of trees.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// The index.
    pub staged: Oid,
    /// What the work tree has of the files that the index has.
    pub tracked: Oid,
    /// Files that are neither in the index nor ignored.
    pub untracked: Option<Oid>,
}

/// The trees of a stash's commit and its parents, see git-stash(1), section "Discussion".
pub(crate) struct Stash<'a> {
    pub base: Tree<'a>,
    pub staged: Tree<'a>,
    pub tracked: Tree<'a>,
    pub untracked: Option<Tree<'a>>,
}

impl<'a> Stash<'a> {
    pub(crate) fn load(
        repository: &'a Repository,
        id: &str,
    ) -> std::result::Result<Self, git2::Error> {
        let commit = repository.find_commit(Oid::from_str(id)?)?;
        let untracked = match commit.parent_count() {
            3 => Some(commit.parent(2)?.tree()?),
            _ => None,
        };
        Ok(Self {
            base: commit.parent(0)?.tree()?,
            staged: commit.parent(1)?.tree()?,
            tracked: commit.tree()?,
            untracked,
        })
    }

    pub(crate) fn state(&self) -> State {
        State {
            staged: self.staged.id(),
            tracked: self.tracked.id(),
            untracked: self.untracked.as_ref().map(Tree::id),
        }
    }
}

/// Makes the commits of a stash and puts it on top.
fn push(
    repository: &Repository,
    head: &Commit<'_>,
    state: &State,
    message: &str,
) -> std::result::Result<Oid, git2::Error> {
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
    let branch = match current.is_branch() {
        true => String::from_utf8_lossy(current.shorthand_bytes()).into_owned(),
        false => "(no branch)".to_owned(),
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
    // Git logs only branches by itself, and the log is the list.
    repository.reference_ensure_log(STASH)?;
    repository.reference(STASH, stash.id(), true, &text)?;
    Ok(stash.id())
}

/// Makes the index have what `to` has instead of `from`. Other entries keep their times and flags.
pub(crate) fn set_index(
    repository: &Repository,
    from: &Tree<'_>,
    to: &Tree<'_>,
) -> std::result::Result<(), git2::Error> {
    let mut index = repository.index()?;
    let paths = changed_paths(repository, Some(from), Some(to))?;
    let (present, missing): (Vec<_>, Vec<_>) = paths
        .into_iter()
        .map(|path| (lookup(to, &path), path))
        .partition(|(found, _)| found.is_some());
    for (_, path) in missing {
        index.remove_path(&path)?;
    }
    for (found, path) in present {
        if let Some((id, mode)) = found {
            index.add(&entry(&path, id, mode))?;
        }
    }
    index.write()
}

/// Returns the id and mode of a file or submodule in a tree.
pub(crate) fn lookup(tree: &Tree<'_>, path: &Path) -> Option<(Oid, u32)> {
    let entry = tree.get_path(path).ok()?;
    let mode = u32::try_from(entry.filemode()).ok()?;
    (entry.kind() != Some(ObjectType::Tree)).then_some((entry.id(), mode))
}

/// Returns the paths that two trees do not have in common; without a tree, all of the other.
pub(crate) fn changed_paths(
    repository: &Repository,
    one: Option<&Tree<'_>>,
    two: Option<&Tree<'_>>,
) -> std::result::Result<Vec<PathBuf>, git2::Error> {
    let diff = repository.diff_tree_to_tree(one, two, None)?;
    let mut paths: Vec<PathBuf> = diff
        .deltas()
        .filter_map(|delta| delta.new_file().path_bytes())
        .map(|bytes| as_path(bytes).to_owned())
        .collect();
    paths.sort_unstable();
    paths.dedup();
    Ok(paths)
}

/// Returns the paths in conflict, or nothing if there are none.
pub(crate) fn conflicts(index: &Index) -> std::result::Result<Option<Vec<PathBuf>>, git2::Error> {
    if !index.has_conflicts() {
        return Ok(None);
    }
    let mut paths = Vec::new();
    for conflict in index.conflicts()? {
        let conflict = conflict?;
        let entry = conflict.our.or(conflict.their).or(conflict.ancestor);
        paths.extend(entry.map(|entry| as_path(&entry.path).to_owned()));
    }
    Ok(Some(paths))
}
