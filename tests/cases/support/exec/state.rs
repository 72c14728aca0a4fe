//! What is in a directory, byte by byte.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// All that the executor may write: objects, and the file of its lock.
const MAY_CHANGE: [&str; 2] = [".git/objects", "ccd-exec.lock"];

/// The mode and the bytes of each file of a work tree, of its `.git` too, by path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WorkTreeFiles(BTreeMap<String, (u32, Vec<u8>)>);

impl WorkTreeFiles {
    pub(super) fn of(root: &Path) -> Self {
        let mut state = Self(BTreeMap::new());
        state.add(root, root);
        state
    }

    fn add(&mut self, root: &Path, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            let relative = path.strip_prefix(root).unwrap().as_os_str().as_bytes();
            let name = relative.escape_ascii().to_string();
            if MAY_CHANGE.iter().any(|end| name.ends_with(end)) {
                continue;
            }
            let metadata = fs::symlink_metadata(&path).unwrap();
            let kind = metadata.file_type();
            let content = if kind.is_dir() {
                self.add(root, &path);
                continue;
            } else if kind.is_symlink() {
                fs::read_link(&path)
                    .unwrap()
                    .into_os_string()
                    .into_encoded_bytes()
            } else {
                fs::read(&path).unwrap_or_default()
            };
            self.0.insert(name, (metadata.mode(), content));
        }
    }

    /// Returns the paths that differ, sorted.
    pub(super) fn changed(&self, after: &Self) -> Vec<String> {
        let names = self.0.keys().chain(after.0.keys());
        let mut changed: Vec<String> = names
            .filter(|name| self.0.get(*name) != after.0.get(*name))
            .cloned()
            .collect();
        changed.sort();
        changed.dedup();
        changed
    }
}
