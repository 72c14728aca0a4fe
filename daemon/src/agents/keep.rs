//! The agents on disk, so that the next process of the daemon knows them: one file beside the socket, written whole.

use ccd_agents::Entry;
use ccd_base::whole_file::{Durability, replace};
use ccd_store::own_file;
use std::path::Path;

/// A file that is larger was not written by a daemon.
const MAX_BYTES: u64 = 16 << 20;

/// Returns the agents that an earlier process knew; none if the file is missing or of another version.
pub(super) fn load(path: &Path) -> Vec<Entry> {
    let read = own_file::document(path, MAX_BYTES).ok();
    let entries = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    entries.unwrap_or_default()
}

/// Writes them. What is lost with this file is guessed from screens and transcripts.
pub(super) fn save(path: &Path, entries: &[Entry]) {
    let written = serde_json::to_vec(entries)
        .map_err(std::io::Error::from)
        .and_then(|bytes| replace(path, &bytes, 0o600, Durability::Later));
    if let Err(error) = written {
        tracing::warn!(%error, "could not write the list of agents");
    }
}
