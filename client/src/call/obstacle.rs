//! What is in the way to a path.

use rustix::fs::{Access, access};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Names the file or dangling link that is where `path` needs a directory.
pub(super) fn no_folder_above(path: &Path) -> Option<String> {
    let mut folders = path.ancestors().skip(1);
    let lowest = folders.find(|folder| folder.symlink_metadata().is_ok())?;
    let what = match lowest.metadata() {
        Ok(there) if !there.is_dir() => "not a directory",
        Err(error) if error.kind() == ErrorKind::NotFound => "a link to nothing",
        _ => return None,
    };
    Some(format!("{} is {what}", lowest.display()))
}

/// Returns which directory of another user is the first on the way to `path` that this one may not enter; this user cannot
/// change its mode.
pub(crate) fn foreign_folder_above(path: &Path) -> Option<String> {
    let us = rustix::process::geteuid().as_raw();
    let folders: Vec<&Path> = path.ancestors().skip(1).collect();
    let closed = folders.into_iter().rev().find_map(|folder| {
        // Whose a directory is can be read even if it is closed.
        let owner = folder.metadata().ok()?.uid();
        access(folder, Access::EXEC_OK)
            .is_err()
            .then_some((folder.display(), owner))
    });
    let (path, owner) = closed.filter(|(_, owner)| *owner != us)?;
    Some(format!(
        "the directory {path} belongs to user {owner}, not to user {us}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_directory_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        std::fs::write(base.join("file"), "").unwrap();
        std::os::unix::fs::symlink(base.join("gone"), base.join("link")).unwrap();
        for (path, why) in [
            ("file/run/s", Some("file is not a directory")),
            ("link/run/s", Some("link is a link to nothing")),
            ("new/run/s", None),
            ("s", None),
        ] {
            let found = no_folder_above(&base.join(path));
            let expected = why.map(|why| format!("{}/{why}", base.display()));
            assert_eq!(found, expected, "{path}");
        }
    }
}
