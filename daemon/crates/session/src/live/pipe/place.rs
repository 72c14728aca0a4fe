//! How much output a pipe has written, for the next worker.

use ccd_store::own_file;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// A small file next to the session's ring file: an offset up to which the output was written, and, of a raw pipe, one
/// up to which it is being written.
#[derive(Debug)]
pub(super) struct PipeProgress {
    file: Option<File>,
    pub(super) saved: Option<u64>,
    /// Output from `saved` up to here may have been written as well.
    pub(super) begun: u64,
}

impl PipeProgress {
    /// Opens or creates the file; without one the next worker starts at the end of the output. Blocks.
    pub(super) fn open(path: &Path) -> Self {
        let opened = own_file::update(path);
        if let Err(error) = &opened {
            tracing::warn!(path = %path.display(), %error, "could not note how much of a named pipe has been written");
        }
        let file = opened.ok();
        let number_at = |place: u64| {
            let mut bytes = [0; 8];
            let read = file.as_ref()?.read_exact_at(&mut bytes, place);
            read.ok().map(|()| u64::from_le_bytes(bytes))
        };
        let saved = number_at(0);
        let begun = number_at(BEGUN_PLACE).or(saved).unwrap_or(0);
        Self { file, saved, begun }
    }

    /// Saves that the output before `offset` was written.
    pub(super) fn save(&mut self, offset: u64) {
        if self.saved == Some(offset) && self.begun == offset {
            return;
        }
        (self.saved, self.begun) = (Some(offset), offset);
        self.write(&[offset.to_le_bytes(); 2].concat(), 0);
    }

    /// Saves that the output up to `offset` is about to be written.
    pub(super) fn begin(&mut self, offset: u64) {
        self.begun = offset;
        self.write(&offset.to_le_bytes(), BEGUN_PLACE);
    }

    fn write(&self, bytes: &[u8], place: u64) {
        if let Some(file) = &self.file {
            let _ = file.write_all_at(bytes, place);
        }
    }
}

/// Where the second number is in the file.
const BEGUN_PLACE: u64 = 8;

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
        let found = PipeProgress::open(&path);
        assert_eq!((found.saved, found.begun), (Some(u64::MAX), u64::MAX));
        place.save(8);
        place.begin(12);
        let found = PipeProgress::open(&path);
        assert_eq!((found.saved, found.begun), (Some(8), 12));
        place.save(8); // nothing was written
        assert_eq!(PipeProgress::open(&path).begun, 8);
        remove(&path).unwrap();
        remove(&path).unwrap();
        assert_eq!(PipeProgress::open(Path::new("/nowhere/a")).saved, None);
    }
}
