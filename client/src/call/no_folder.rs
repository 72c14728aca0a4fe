//! Files and links to nothing where a path needs a directory.

use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub(super) enum NoFolder {
    #[error("{} is not a directory", .0.display())]
    File(PathBuf),
    #[error("{} is a link to nothing", .0.display())]
    Link(PathBuf),
}

impl NoFolder {
    /// Returns the first one on the way to `path`.
    pub(super) fn above(path: &Path) -> Option<Self> {
        let mut folders = path.ancestors().skip(1);
        let lowest = folders.find(|folder| folder.symlink_metadata().is_ok())?;
        match lowest.metadata() {
            Ok(there) if there.is_dir() => None,
            Ok(_) => Some(Self::File(lowest.to_owned())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Some(Self::Link(lowest.to_owned()))
            }
            Err(_) => None,
        }
    }
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
            let found = NoFolder::above(&base.join(path)).map(|found| found.to_string());
            let expected = why.map(|why| format!("{}/{why}", base.display()));
            assert_eq!(found, expected, "{path}");
        }
    }
}
