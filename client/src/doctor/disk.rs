//! Free space where the daemon writes.

use super::places::Places;
use crate::check::{Check, checks as found};
use rustix::fs::statvfs;
use serde_json::{Value, json};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

const MIB: u64 = 1 << 20;

/// With less than this, output may soon be lost; the log of one session alone may have 100 MiB.
const LOW_BYTES: u64 = 1024 * MIB;

/// The runtime directory is often in memory. It needs a few MiB for each session.
const RUNTIME_LOW_BYTES: u64 = 128 * MIB;

/// With less than this in any of them, the daemon may not even start.
const FULL_BYTES: u64 = 16 * MIB;

/// A file system has room for at least so many files, unless it does not count them.
const LOW_FILES: u64 = 1000;

#[derive(Debug)]
struct Space {
    device: u64,
    parts: Vec<&'static str>,
    low_bytes: u64,
    free_bytes: u64,
    total_bytes: u64,
    /// `None` if files are not counted.
    free_files: Option<u64>,
}

pub(super) fn checks(places: &Places) -> Vec<Check> {
    let parts = [
        ("base", places.base.as_deref(), LOW_BYTES),
        ("tapes", places.tapes.as_deref(), LOW_BYTES),
        ("coach", places.coach.as_deref(), LOW_BYTES),
        ("runtime", places.runtime(), RUNTIME_LOW_BYTES),
    ];
    let mut spaces: Vec<Space> = Vec::new();
    for (part, path, low_bytes) in parts {
        let Some(found) = path.and_then(|path| Space::of(path, part, low_bytes)) else {
            continue;
        };
        match spaces.iter_mut().find(|space| space.device == found.device) {
            Some(space) => {
                space.parts.push(part);
                space.low_bytes = space.low_bytes.max(low_bytes);
            }
            None => spaces.push(found),
        }
    }
    found("disk", spaces.iter().map(Space::facts).collect())
}

impl Space {
    /// The file system of a path, or of the directory in which it will be made.
    fn of(path: &Path, part: &'static str, low_bytes: u64) -> Option<Self> {
        let existing = path.ancestors().find(|path| path.exists())?;
        let found = statvfs(existing).ok()?;
        Some(Self {
            device: existing.metadata().ok()?.dev(),
            parts: vec![part],
            low_bytes,
            free_bytes: found.f_bavail.saturating_mul(found.f_frsize),
            total_bytes: found.f_blocks.saturating_mul(found.f_frsize),
            free_files: (found.f_files > 0).then_some(found.f_favail),
        })
    }

    fn facts(&self) -> Value {
        json!({
            "parts": self.parts,
            "free": self.free_bytes,
            "total": self.total_bytes,
            "files": self.free_files,
            "is_full": self.free_bytes < FULL_BYTES || self.free_files == Some(0),
            "is_low": self.free_bytes < self.low_bytes,
            "has_few_files": self.free_files.is_some_and(|files| files < LOW_FILES),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::CheckState;

    #[test]
    fn little_space_is_a_warning_and_none_is_wrong() {
        for (free_bytes, free_files, low_bytes, state) in [
            (1 << 31, None, LOW_BYTES, CheckState::Ok),
            (1 << 29, None, LOW_BYTES, CheckState::Warning),
            (1 << 29, Some(9999), RUNTIME_LOW_BYTES, CheckState::Ok),
            (1 << 31, Some(9), LOW_BYTES, CheckState::Warning),
            (1 << 31, Some(0), LOW_BYTES, CheckState::Wrong),
            (1 << 20, None, LOW_BYTES, CheckState::Wrong),
        ] {
            let space = Space {
                device: 1,
                parts: vec!["base"],
                low_bytes,
                free_bytes,
                total_bytes: 1 << 40,
                free_files,
            };
            assert_eq!(
                found("disk", space.facts())[0].state,
                state,
                "{free_bytes} {free_files:?}"
            );
        }
    }

    #[test]
    fn directories_on_one_file_system_are_one_check() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places {
            socket: Ok(folder.path().join("run/s")),
            base: Some(folder.path().to_owned()),
            coach: None,
            tapes: Some(folder.path().join("not/yet")),
            socket_is_named: false,
        };
        let checks = checks(&places);
        assert_eq!(checks.len(), 1, "{checks:?}");
        let text = &checks[0].text;
        assert!(text.contains("(base, tapes, runtime)"), "{text}");
    }
}
