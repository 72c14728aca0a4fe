//! How a session that has ended used tapes.

use ccd_protocol::tape::TapeUse;
use ccd_store::own_file;
use serde::{Deserialize, Serialize};
use std::io::{self, Write as _};
use std::path::Path;

/// File in the folder of a session that has ended, with its use of tapes.
const PAST: &str = "tape.json";

/// A larger file was not written by ccd.
const MAX_PAST_BYTES: u64 = 64 << 20;

/// The use of tapes by a session that has ended, stored in its folder.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PastTape {
    pub is_replay: bool,
    /// The program ended because the tape options asked for an error.
    #[serde(default)]
    pub has_injected_end: bool,
    pub uses: TapeUse,
}

impl PastTape {
    /// Writes the file in a session's folder. Blocks.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        own_file::replace(&folder.join(PAST))?.write_all(&serde_json::to_vec(self)?)
    }

    /// Reads the file in a session's folder. Blocks.
    pub fn read(folder: &Path) -> Option<Self> {
        let bytes = own_file::content(&folder.join(PAST), MAX_PAST_BYTES).ok()?;
        let mut past: Self = serde_json::from_slice(&bytes).ok()?;
        if past.uses.new.is_empty() {
            // Written by a version that knew only this name.
            past.uses.new.clone_from(&past.uses.written);
        }
        Some(past)
    }
}
