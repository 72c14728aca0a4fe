//! In the folder of a session that is recorded: where its journal is, for a daemon that comes after a kill.

use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

const NAME: &str = "recording.json";

/// A recording that no tape was made of yet.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Note {
    pub root: PathBuf,
    pub journal: PathBuf,
}

impl Note {
    /// Leaves it in a session's folder. Blocks.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = options.open(folder.join(NAME))?;
        file.write_all(&serde_json::to_vec(self)?)
    }

    /// The one that a session's folder has. Blocks.
    pub fn of(folder: &Path) -> Option<Self> {
        let bytes = std::fs::read(folder.join(NAME)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// The tape is made. Blocks.
    pub fn remove(folder: &Path) {
        // At worst the next start finds no journal.
        let _ = std::fs::remove_file(folder.join(NAME));
    }
}
