//! What is left to index.

use ccd_protocol::conversation::{Indexing, UnreadableFiles};
use std::sync::atomic::{AtomicU64, Ordering};

/// What is left to index, for those who do not wait for it.
#[derive(Debug, Default)]
pub(crate) struct Left {
    files: AtomicU64,
    bytes: AtomicU64,
}

impl Left {
    pub(crate) fn begin(&self, files: u64, bytes: u64) {
        self.files.store(files, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    /// Notes what was indexed. Only one thread may call it.
    pub(crate) fn done(&self, is_last_of_file: bool, bytes: u64) {
        let now = self.now();
        self.begin(
            now.files_left.saturating_sub(u64::from(is_last_of_file)),
            now.bytes_left.saturating_sub(bytes),
        );
    }

    pub(crate) fn now(&self) -> Indexing {
        Indexing {
            files_left: self.files.load(Ordering::Relaxed),
            bytes_left: self.bytes.load(Ordering::Relaxed),
        }
    }
}

/// Returns what a reply says of files that cannot be read: `failed` are their paths, each with the reason.
pub(super) fn unreadable<'a>(
    mut failed: impl Iterator<Item = (String, &'a String)>,
) -> Option<UnreadableFiles> {
    let (file, error) = failed.next()?;
    Some(UnreadableFiles {
        file,
        error: error.clone(),
        count: 1 + failed.count() as u64,
    })
}
