//! Makes an index from an earlier one and the changes.

use super::build::{LoadResult, load_all, load_file, note, table_of};
use super::find::{Index, by_age};
use super::tape::{IndexedTape, TapeId};
use super::walk::WalkResult;
use ccd_protocol::tape::TapeProblem;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// If more than one in this many tapes changes, the table is made again.
const FEW: usize = 8;

impl Index {
    /// Reads single tapes again; `None` if nothing has changed.
    pub(crate) fn with_files(&self, ids: &BTreeSet<TapeId>) -> Option<Self> {
        let files = ids
            .iter()
            .map(|id| (Arc::clone(id), load_file(&self.root, id)));
        self.with(files.collect(), (*self.problems).clone())
    }

    /// Reads the tapes of a walk that have changed, and in any case those in `touched`; `None` if nothing has changed.
    pub(crate) fn with_found(&self, found: WalkResult, touched: &BTreeSet<TapeId>) -> Option<Self> {
        let there: HashSet<&TapeId> = found.tapes.iter().map(|file| &file.id).collect();
        let gone = self.tapes().filter(|tape| !there.contains(&tape.id));
        let mut files: Vec<_> = gone.map(|tape| (Arc::clone(&tape.id), None)).collect();
        let loaded = load_all(&self.root, &found.tapes, |file| {
            let tape = self.tape(&file.id)?;
            let is_same = tape.stamp == file.stamp && !touched.contains(&file.id);
            is_same.then(|| Arc::clone(tape))
        });
        files.extend(loaded.into_iter().map(|(id, tape)| (id, Some(tape))));
        // Removes problems that the walk found itself, and those of removed files.
        let mut problems = (*self.problems).clone();
        let paths: HashSet<_> = found.tapes.iter().map(|file| self.path(&file.id)).collect();
        problems.retain(|path, _| paths.contains(Path::new(&**path)));
        for (path, error) in &found.problems {
            note(&mut problems, error.problem(path));
        }
        self.with(files, problems)
    }

    /// Replaces tapes, or adds them, with their problems to `problems`; `None` if nothing has changed.
    fn with(
        &self,
        files: Vec<(TapeId, Option<LoadResult>)>,
        mut problems: BTreeMap<TapeId, TapeProblem>,
    ) -> Option<Self> {
        let mut changed = HashMap::new();
        for (id, loaded) in files {
            let old = self.tape(&id);
            problems.remove(self.path(&id).to_string_lossy().as_ref());
            let new = match loaded.transpose() {
                Ok(new) => new,
                Err(problem) => {
                    note(&mut problems, problem);
                    None
                }
            };
            if new.as_ref() != old {
                changed.insert(id, new);
            }
        }
        if changed.is_empty() && problems == *self.problems {
            return None;
        }
        let mut next = self.clone();
        next.generation += 1;
        next.problems = Arc::new(problems);
        next.apply(changed, self);
        Some(next)
    }

    /// Puts tapes that are new, changed or removed in place of those of `old`.
    fn apply(&mut self, changed: HashMap<TapeId, Option<Arc<IndexedTape>>>, old: &Self) {
        let (mut removed, mut added) = (Vec::new(), Vec::new());
        let is_large = changed.len() > 1 + old.slots.len() / FEW;
        let slots = (0..self.slots.len()).rev();
        let mut free: Vec<usize> = slots.filter(|slot| self.slots[*slot].is_none()).collect();
        for (id, tape) in changed {
            let slot = match old.slot(&id) {
                Some(slot) => slot as usize,
                None => free.pop().unwrap_or_else(|| {
                    self.slots.push(None);
                    self.slots.len() - 1
                }),
            };
            let number = u32::try_from(slot).unwrap_or(u32::MAX);
            let before = std::mem::replace(&mut self.slots[slot], tape.clone());
            removed.extend(before.iter().flat_map(|tape| tape.entries(number)));
            added.extend(tape.iter().flat_map(|tape| tape.entries(number)));
        }
        self.table = if is_large || old.table.outgrows(added.len()) {
            table_of(&self.slots)
        } else {
            old.table.changed(&removed, &added, &by_age(&self.slots))
        };
    }
}
