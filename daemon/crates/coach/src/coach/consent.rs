//! Whether the coach records: a file in the base directory that says since when.

use ccd_protocol::coach::{NOT_RECORDING, RECORDING_FILE};
use ccd_store::own_file;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

const MAX_BYTES: u64 = 64;

/// `ccctl hooks install` makes the file, and so does the first payload of a hook. `ccctl hooks uninstall` writes a
/// refusal to it, which only `hooks install` or the configuration lifts.
#[derive(Debug)]
pub(super) struct Consent {
    path: PathBuf,
}

impl Consent {
    pub(super) fn in_base(base: &Path) -> Self {
        Self {
            path: base.join(RECORDING_FILE),
        }
    }

    /// Returns since when the coach records; `None` if it does not.
    pub(super) fn since(&self) -> Option<String> {
        self.text().filter(|text| text != NOT_RECORDING)
    }

    /// Returns whether the user has uninstalled the hooks.
    pub(super) fn is_refused(&self) -> bool {
        self.text().is_some_and(|text| text == NOT_RECORDING)
    }

    fn text(&self) -> Option<String> {
        let text = own_file::content(&self.path, MAX_BYTES).ok()?;
        Some(String::from_utf8_lossy(&text).trim().to_owned())
    }

    /// Notes that it records from now on, unless it does already, or the user has said no.
    pub(super) fn give(&self) {
        if self.path.exists() {
            return;
        }
        let written = own_file::create(&self.path)
            .and_then(|mut file| file.write_all(ccd_base::clock::now().as_bytes()));
        if let Err(error) = written {
            tracing::warn!(%error, path = %self.path.display(), "it cannot be noted that the coach records");
        }
    }

    /// The same, whatever was said before.
    pub(super) fn give_anew(&self) {
        if self.is_refused() {
            self.withdraw();
        }
        self.give();
    }

    pub(super) fn withdraw(&self) {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(%error, path = %self.path.display(), "it cannot be noted that the coach does not record");
            }
            _ => {}
        }
    }
}
