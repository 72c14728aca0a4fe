//! A note beside a recorded session that says where its journal is, for the daemon that starts after a kill.

use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

const NAME: &str = "recording.json";

/// A recording of which no tape was made yet.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RecordingNote {
    pub root: PathBuf,
    pub journal: PathBuf,
}

impl RecordingNote {
    /// Writes the note to a session's directory. Blocks.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = options.open(folder.join(NAME))?;
        file.write_all(&serde_json::to_vec(self)?)
    }

    /// Reads the note from a session's directory. Blocks.
    pub fn read(folder: &Path) -> Option<Self> {
        let bytes = std::fs::read(folder.join(NAME)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Removes the note, once the tape is made. Blocks.
    pub fn remove(folder: &Path) {
        // If this fails, the next start finds a note without a journal.
        let _ = std::fs::remove_file(folder.join(NAME));
    }
}
