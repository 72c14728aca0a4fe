//! The directory of throw-away folders.

use std::path::{Path, PathBuf};

/// Returns the directory of the throw-away folders of all copies, in the daemon's base directory.
pub fn folder_of(base: &Path) -> PathBuf {
    base.join("run").join("discover")
}

/// Removes folders of copies that a daemon left that was killed.
pub fn remove_strays(base: &Path) {
    let _ = std::fs::remove_dir_all(folder_of(base));
}
