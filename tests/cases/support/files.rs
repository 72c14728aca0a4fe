//! Texts that are in files, or must not be.

use memchr::memmem;
use std::path::{Path, PathBuf};

/// Returns all files in a directory and its subdirectories.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => folders.push(entry.path()),
                kind if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found
}

/// Returns the files in a directory and its subdirectories that contain `needle`.
pub(crate) fn files_with(folder: &Path, needle: &[u8]) -> Vec<PathBuf> {
    let has_it = |path: &PathBuf| {
        let bytes = std::fs::read(path).unwrap_or_default();
        memmem::find(&bytes, needle).is_some()
    };
    files(folder).into_iter().filter(has_it).collect()
}

/// Asserts that no file in a directory and its subdirectories contains a text.
#[track_caller]
pub(crate) fn assert_in_no_file(folder: &Path, text: &str) {
    let found = files_with(folder, text.as_bytes());
    assert!(found.is_empty(), "{text:?} is in {found:?}");
}
