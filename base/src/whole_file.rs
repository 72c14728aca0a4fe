//! Files that are replaced at once: whoever reads one sees the old content or the new one.

use std::ffi::OsStr;
use std::fs::{self, DirEntry, File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

const SUFFIX: &str = ".new";

/// Characters between the dot and [`SUFFIX`] in the name of a file that is being written.
const NAME_LEN: usize = 16;

/// When the content has to be on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// When the system writes it: a power failure may leave an empty file.
    Later,
    /// When the call returns.
    Now,
}

/// Replaces the file at `path`, in a directory that exists. The new one has `mode`, whatever the umask is. On an error, the
/// old one is unchanged.
pub fn replace(path: &Path, content: &[u8], mode: u32, durability: Durability) -> io::Result<()> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(SUFFIX).rand_bytes(NAME_LEN);
    let mut new = builder.tempfile_in(folder)?;
    new.as_file()
        .set_permissions(Permissions::from_mode(mode))?;
    new.write_all(content)?;
    if durability == Durability::Now {
        new.as_file().sync_all()?;
    }
    let folder = match durability {
        Durability::Now => Some(File::open(folder)?),
        Durability::Later => None,
    };
    new.persist(path)?;
    if let Some(folder) = folder {
        // The new file is there, whatever the file system answers about its directory.
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Removes the files that processes which were killed had begun to write in a directory, at least `age` ago.
pub fn remove_strays(folder: &Path, age: Duration) {
    let is_old = |entry: &DirEntry| {
        let written = entry.metadata().and_then(|about| about.modified());
        age.is_zero() || written.is_ok_and(|at| at.elapsed().is_ok_and(|passed| passed >= age))
    };
    // A missing directory contains none.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_stray(&entry.file_name()) && is_old(&entry) {
            // The next start tries again.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_stray(name: &OsStr) -> bool {
    let name = name.to_str().and_then(|name| name.strip_prefix('.'));
    name.and_then(|name| name.strip_suffix(SUFFIX))
        .is_some_and(|name| {
            name.len() == NAME_LEN && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_with_its_mode_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for (content, mode, durability) in [
            ("one", 0o666, Durability::Later),
            ("two", 0o600, Durability::Now),
        ] {
            replace(&path, content.as_bytes(), mode, durability).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
            let found = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(found & 0o777, mode);
        }
        fs::create_dir(folder.path().join("b")).unwrap();
        let refused = replace(&folder.path().join("b"), b"x", 0o600, Durability::Now);
        assert!(refused.is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn only_files_that_were_being_written_are_strays() {
        let folder = tempfile::tempdir().unwrap();
        for name in [".0123456789abcdef.new", ".012345678.new", "a.new", ".new"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        for (age, left) in [(Duration::from_secs(60), 4), (Duration::ZERO, 3)] {
            remove_strays(folder.path(), age);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), left);
        }
    }
}
