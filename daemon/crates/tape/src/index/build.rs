//! Makes an index from files.

use super::find::{Index, by_age};
use super::problem::{LoadError, MAX_TAPE_BYTES};
use super::table::Table;
use super::tape::{IndexedTape, Stamp, TapeId};
use super::walk::{FoundTape, WalkResult, check_kind};
use crate::format::file::open;
use crate::format::outline;
use crate::key::Invocation;
use ccd_protocol::tape::TapeProblem;
use std::collections::{BTreeMap, HashSet};
use std::io::Read as _;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Maximum number of problems that are kept for a root.
pub(super) const MAX_PROBLEMS: usize = 10_000;

const THREADS: usize = 2;

/// The result of reading a file that may be a tape.
pub(super) type LoadResult = Result<Arc<IndexedTape>, TapeProblem>;

/// Reads the tape with this id; `None` if there is no such file.
pub(super) fn load_file(root: &Path, id: &TapeId) -> Option<LoadResult> {
    load_with(root, id, &mut Vec::new())
}

fn load_with(root: &Path, id: &TapeId, buffer: &mut Vec<u8>) -> Option<LoadResult> {
    let path = root.join(format!("{id}.json5"));
    match read_tape(&path, id, buffer) {
        Ok(tape) => Some(Ok(Arc::new(tape))),
        Err(LoadError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            // A symbolic link exists, even if its target does not.
            let is_link = path.is_symlink();
            is_link.then(|| Err(LoadError::Link.problem(&path)))
        }
        Err(error) => Some(Err(error.problem(&path))),
    }
}

fn read_tape(path: &Path, id: &TapeId, buffer: &mut Vec<u8>) -> Result<IndexedTape, LoadError> {
    let mut file = open(path)?;
    let before = file.metadata()?;
    check_kind(&before)?;
    if before.len() > MAX_TAPE_BYTES {
        return Err(LoadError::TooLarge {
            bytes: before.len(),
        });
    }
    buffer.clear();
    // One more byte shows whether the file has grown.
    (&mut file).take(before.len() + 1).read_to_end(buffer)?;
    let stamp = Stamp::from(&before);
    if buffer.len() as u64 != before.len() || Stamp::from(&file.metadata()?) != stamp {
        return Err(LoadError::Moving);
    }
    let outline = outline(buffer)?;
    Ok(IndexedTape::new(Arc::clone(id), stamp, outline))
}

/// Reads the tapes that a walk has found, on a few threads; tapes in `known` are not read again.
pub(super) fn load_all(
    root: &Path,
    found: &[FoundTape],
    known: impl Fn(&FoundTape) -> Option<Arc<IndexedTape>> + Sync,
) -> Vec<(TapeId, LoadResult)> {
    let next = AtomicUsize::new(0);
    let work = || {
        let (mut loaded, mut buffer) = (Vec::new(), Vec::new());
        while let Some(file) = found.get(next.fetch_add(1, Ordering::Relaxed)) {
            let tape = known(file).map(Ok);
            let tape = tape.or_else(|| load_with(root, &file.id, &mut buffer));
            if let Some(tape) = tape {
                loaded.push((Arc::clone(&file.id), tape));
            }
        }
        loaded
    };
    if found.len() < 2 {
        return work();
    }
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..THREADS).map(|_| scope.spawn(work)).collect();
        let mut loaded = work();
        for other in others {
            loaded.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        loaded
    })
}

impl Index {
    /// Reads all tapes that a walk has found in `root`; tapes in `known` are not read again.
    pub fn build(
        root: &Path,
        generation: u64,
        found: WalkResult,
        known: impl Fn(&TapeId, &Stamp) -> Option<Arc<IndexedTape>> + Sync,
    ) -> Self {
        let loaded = load_all(root, &found.tapes, |file| known(&file.id, &file.stamp));
        let mut problems = BTreeMap::new();
        for (path, error) in found.problems {
            note(&mut problems, error.problem(&path));
        }
        let mut tapes = Vec::with_capacity(loaded.len());
        for (_, tape) in loaded {
            match tape {
                Ok(tape) => tapes.push(tape),
                Err(problem) => note(&mut problems, problem),
            }
        }
        Self::from_tapes(root, generation, tapes, problems)
    }

    pub(super) fn from_tapes(
        root: &Path,
        generation: u64,
        mut tapes: Vec<Arc<IndexedTape>>,
        problems: BTreeMap<TapeId, TapeProblem>,
    ) -> Self {
        share_invocations(&mut tapes);
        let slots: Vec<_> = tapes.into_iter().map(Some).collect();
        Self {
            root: root.into(),
            generation,
            table: table_of(&slots),
            slots,
            problems: Arc::new(problems),
        }
    }
}

pub(super) fn table_of(slots: &[Option<Arc<IndexedTape>>]) -> Table {
    let tapes = (0..)
        .zip(slots)
        .filter_map(|(slot, tape)| Some((slot, tape.as_ref()?)));
    let entries = tapes.flat_map(|(slot, tape)| tape.entries(slot));
    Table::new(&entries.collect::<Vec<_>>(), &by_age(slots))
}

/// Shares equal invocations between tapes.
pub(super) fn share_invocations(tapes: &mut [Arc<IndexedTape>]) {
    let mut known: HashSet<Arc<Invocation>> = HashSet::new();
    for tape in tapes {
        match known.get(&tape.invocation) {
            None => drop(known.insert(Arc::clone(&tape.invocation))),
            // Only for a tape that nobody else refers to yet; others share theirs already.
            Some(shared) if !Arc::ptr_eq(shared, &tape.invocation) => {
                if let Some(tape) = Arc::get_mut(tape) {
                    tape.invocation = Arc::clone(shared);
                }
            }
            Some(_) => {}
        }
    }
}

/// Adds a problem, if there are not too many.
pub(super) fn note(problems: &mut BTreeMap<TapeId, TapeProblem>, problem: TapeProblem) {
    if problems.len() < MAX_PROBLEMS {
        problems.insert(problem.path.as_str().into(), problem);
    }
}
