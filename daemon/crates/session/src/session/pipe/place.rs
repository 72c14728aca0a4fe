//! How much output a pipe has written, for the next worker.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;

/// A file of eight bytes next to the session's ring file.
#[derive(Debug)]
pub(super) struct PipeProgress {
    file: Option<File>,
    /// The offset that was saved last.
    pub(super) saved: Option<u64>,
}

impl PipeProgress {
    /// Opens or creates the file; without one the next worker starts at the end of the output. Blocks.
    pub(super) fn open(path: &Path) -> Self {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let opened = options.mode(0o600).open(path);
        if let Err(error) = &opened {
            tracing::warn!(path = %path.display(), %error, "could not note how much of a named pipe has been written");
        }
        let file = opened.ok();
        let mut bytes = [0; 8];
        let read = file.as_ref().map(|file| file.read_exact_at(&mut bytes, 0));
        let saved = matches!(read, Some(Ok(()))).then(|| u64::from_le_bytes(bytes));
        Self { file, saved }
    }

    /// Saves that the output before `offset` was written.
    pub(super) fn save(&mut self, offset: u64) {
        if self.saved == Some(offset) {
            return;
        }
        self.saved = Some(offset);
        if let Some(file) = &self.file {
            let _ = file.write_all_at(&offset.to_le_bytes(), 0);
        }
    }
}

/// Removes the file, if it exists.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_offset_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pipe");
        let mut place = PipeProgress::open(&path);
        assert_eq!(place.saved, None);
        place.save(7);
        place.save(u64::MAX);
        assert_eq!(PipeProgress::open(&path).saved, Some(u64::MAX));
        remove(&path).unwrap();
        remove(&path).unwrap();
        assert_eq!(PipeProgress::open(Path::new("/nowhere/a")).saved, None);
    }
}
