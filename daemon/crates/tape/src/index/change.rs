//! Makes an index from an earlier one and the changes.

use super::build::{LoadResult, load_all, load_file, note};
use super::find::{Index, Tables, TapeEntries, by_age};
use super::tape::{IndexedTape, TapeId};
use super::walk::WalkResult;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// If more than one in this many tapes changes, all tables are made again.
const FEW: usize = 8;

impl Index {
    /// Reads single tapes again; `None` if nothing has changed.
    pub(crate) fn with_files(&self, ids: &BTreeSet<TapeId>) -> Option<Self> {
        let files = ids
            .iter()
            .map(|id| (Arc::clone(id), load_file(&self.root, id)));
        self.with(files.collect())
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
        let mut cleared = self.clone();
        let mut problems = (*self.problems).clone();
        let paths: HashSet<_> = found.tapes.iter().map(|file| self.path(&file.id)).collect();
        problems.retain(|path, _| paths.contains(Path::new(&**path)));
        for (path, error) in &found.problems {
            note(&mut problems, error.problem(path));
        }
        let has_cleared = problems != *self.problems;
        cleared.problems = Arc::new(problems);
        let changed = cleared.with(files);
        changed.or_else(|| {
            cleared.generation += 1;
            has_cleared.then_some(cleared)
        })
    }

    /// Replaces tapes and problems, or adds them; `None` if nothing has changed.
    fn with(&self, files: Vec<(TapeId, Option<LoadResult>)>) -> Option<Self> {
        let mut changed = HashMap::new();
        let mut problems = (*self.problems).clone();
        for (id, loaded) in files {
            let old = self.tape(&id);
            problems.remove(self.path(&id).to_string_lossy().as_ref());
            match loaded {
                Some(Ok(tape)) if old.is_some_and(|old| **old == *tape) => {}
                Some(Ok(tape)) => drop(changed.insert(id, Some(tape))),
                None if old.is_none() => {}
                None => drop(changed.insert(id, None)),
                Some(Err(problem)) => {
                    if old.is_some() {
                        changed.insert(id, None);
                    }
                    note(&mut problems, problem);
                }
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
        let next = self;
        let is_large = changed.len() > 1 + old.slots.len() / FEW;
        let (mut removed, mut added) = (TapeEntries::default(), TapeEntries::default());
        let mut free: Vec<usize> = (0..next.slots.len())
            .rev()
            .filter(|slot| next.slots[*slot].is_none())
            .collect();
        for (id, tape) in changed {
            let slot = match old.slot(&id) {
                Some(slot) => slot as usize,
                None => free.pop().unwrap_or_else(|| {
                    next.slots.push(None);
                    next.slots.len() - 1
                }),
            };
            let number = u32::try_from(slot).unwrap_or(u32::MAX);
            if !is_large {
                let entries = |tape: &Option<Arc<IndexedTape>>| {
                    let tape = tape.as_ref();
                    tape.map(|tape| tape.entries(number)).unwrap_or_default()
                };
                removed.append(entries(&next.slots[slot]));
                added.append(entries(&tape));
            }
            next.slots[slot] = tape;
        }
        let entries = added.exact.len() + old.exchanges();
        if is_large || old.tables.exact.has_outgrown(entries) {
            next.tables = Tables::of(&next.slots);
            return;
        }
        let age = by_age(&next.slots);
        let tables = &old.tables;
        next.tables = Tables {
            exact: tables.exact.changed(&removed.exact, &added.exact, &age),
            states: tables.states.changed(&removed.states, &added.states, &age),
            loose: tables.loose.changed(&removed.loose, &added.loose, &age),
            ends: tables.ends.changed(&removed.ends, &added.ends, &age),
            ids: tables.ids.changed(&removed.ids, &added.ids, &age),
        };
    }
}
