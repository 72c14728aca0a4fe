//! `tape.prune`.

use super::which::{Folder, problem};
use crate::index::{IndexedTape, Stamp};
use ccd_protocol::tape::{TapePruneParams, TapePruneReply};
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// Maximum number of tapes in one reply that could not be removed.
const MAX_PROBLEMS: usize = 1_000;

/// Removes tapes that were never played. Without `unused`, or with `dry_run`, it only lists them.
pub fn prune(folder: &Folder, params: &TapePruneParams) -> TapePruneReply {
    let is_done = params.unused && !params.dry_run;
    let mut reply = TapePruneReply {
        root: folder.path().display().to_string(),
        is_done,
        ..TapePruneReply::default()
    };
    let tapes = folder.index.tapes().map(AsRef::as_ref);
    let is_unused = |tape: &&IndexedTape| folder.root.used(&tape.id).is_none();
    let mut unused: Vec<&IndexedTape> = tapes
        .filter(is_unused)
        .filter(|tape| is_old(tape, params.older_than_s))
        .collect();
    unused.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    let mut removed = BTreeSet::new();
    for tape in unused {
        let path = folder.index.path(&tape.id);
        if is_done && let Err(error) = remove(&path, tape, folder.path()) {
            if reply.problems.len() < MAX_PROBLEMS {
                reply.problems.push(problem(&path, &error));
            }
            continue;
        }
        if is_done {
            removed.insert(path);
        }
        reply.bytes += tape.stamp.bytes;
        reply.tapes.push(tape.id.to_string());
    }
    // Once for all tapes, because the cost depends on the size of the root.
    folder.root.refresh_files(&removed);
    reply
}

/// Returns whether a tape is old enough to be removed; a tape without a date is as old as its file.
fn is_old(tape: &IndexedTape, older_than_s: Option<f64>) -> bool {
    let Some(wanted_s) = older_than_s else {
        return true;
    };
    let age_s = ccd_text::clock::age_s(&tape.meta.created_at).unwrap_or_else(|| {
        let now = time::OffsetDateTime::now_utc().unix_timestamp_nanos();
        (now - i128::from(tape.stamp.modified_ns)) as f64 / 1e9
    });
    age_s > wanted_s
}

/// Removes a file if it has not changed since it was indexed, and the directories that become empty.
fn remove(path: &Path, tape: &IndexedTape, root: &Path) -> io::Result<()> {
    let now = match std::fs::metadata(path) {
        Ok(meta) => Stamp::of(&meta),
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
