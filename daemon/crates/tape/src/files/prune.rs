//! `tape.prune`, and `data.forget` for tapes.

use super::folder::{TapeFolder, problem};
use crate::index::{IndexedTape, Stamp, TapeId};
use ccd_protocol::data::{DataForgetParams, DataPart, DataSelected};
use ccd_protocol::tape::{TapeProblem, TapePruneParams, TapePruneReply};
use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Maximum number of tapes in one reply that could not be removed.
const MAX_PROBLEMS: usize = 1_000;

/// Removes tapes that were never played. Without `unused`, or with `dry_run`, it only lists them.
pub fn prune(folder: &TapeFolder, params: &TapePruneParams) -> TapePruneReply {
    let is_done = params.unused && !params.dry_run;
    let mut reply = TapePruneReply {
        root: folder.path().display().to_string(),
        is_done,
        ..TapePruneReply::default()
    };
    let mut unused = folder.index.tapes_by_id();
    unused.retain(|tape| folder.root.used(&tape.id).is_none() && is_old(tape, params.older_than_s));
    if is_done {
        reply.problems = remove_all(folder, &mut unused);
    }
    for tape in unused {
        reply.bytes += tape.stamp.bytes;
        reply.tapes.push(tape.id.to_string());
    }
    reply
}

/// Carries out `data.forget` for the tapes of a directory; returns those that are gone.
pub fn forget(folder: &TapeFolder, which: &DataForgetParams) -> (DataSelected, Vec<TapeId>) {
    let (project, before) = (which.project.as_ref(), which.before.as_ref());
    let mut tapes = folder.index.tapes_by_id();
    tapes.retain(|tape| {
        project.is_none_or(|project| Path::new(&tape.meta.cwd).starts_with(project))
            && before.is_none_or(|before| recorded_at(tape) < *before)
    });
    let (mut problems, mut gone) = (Vec::new(), Vec::new());
    if !which.dry_run {
        problems = remove_all(folder, &mut tapes);
        gone.extend(tapes.iter().map(|tape| tape.id.clone()));
    }
    let oldest = tapes.iter().map(|tape| recorded_at(tape)).min();
    let count = tapes.len() as u64;
    let mut selected = DataSelected::of(DataPart::Tapes, count, ("tape", "tapes"), oldest);
    let failed = problems
        .iter()
        .map(|one| format!("{}: {}", one.path, one.message));
    selected.failed = failed.collect();
    (selected, gone)
}

/// Removes tapes, and from the list those that could not be removed.
fn remove_all(folder: &TapeFolder, tapes: &mut Vec<&IndexedTape>) -> Vec<TapeProblem> {
    let (mut removed, mut problems) = (BTreeSet::new(), Vec::new());
    tapes.retain(|tape| {
        let path = folder.index.path(&tape.id);
        if let Err(error) = remove(&path, tape, folder.path()) {
            if problems.len() < MAX_PROBLEMS {
                problems.push(problem(&path, &error));
            }
            return false;
        }
        removed.insert(path)
    });
    // Once for all tapes, because the cost depends on the size of the root.
    folder.root.refresh_files(&removed);
    problems
}

/// Returns when a tape was recorded; one without a date is as old as its file.
fn recorded_at(tape: &IndexedTape) -> String {
    ccd_base::clock::normal(&tape.meta.created_at).unwrap_or_else(|| {
        let modified = Duration::from_nanos(u64::try_from(tape.stamp.modified_ns).unwrap_or(0));
        ccd_base::clock::at(SystemTime::UNIX_EPOCH + modified)
    })
}

fn is_old(tape: &IndexedTape, older_than_s: Option<f64>) -> bool {
    let age_s = || ccd_base::clock::age_s(&recorded_at(tape)).unwrap_or_default();
    older_than_s.is_none_or(|wanted_s| age_s() > wanted_s)
}

/// Removes a file if it has not changed since it was indexed, and the directories that become empty.
fn remove(path: &Path, tape: &IndexedTape, root: &Path) -> io::Result<()> {
    let now = match std::fs::metadata(path) {
        Ok(meta) => Stamp::from(&meta),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if now != tape.stamp {
        return Err(io::Error::other(
            "it has just been changed, so it is not deleted",
        ));
    }
    std::fs::remove_file(path)?;
    let folders = path.ancestors().skip(1);
    for folder in folders.take_while(|folder| *folder != root && folder.starts_with(root)) {
        // If a directory is not empty, it is kept with all those above it.
        if std::fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(())
}
