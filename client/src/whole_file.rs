//! Writing of files that are either complete or unchanged.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Replaces the file at `path` with `content`. If it is not a regular file, for example a pipe, it is written to.
///
/// # Errors
///
/// Errors of the file system; the file is then unchanged.
pub(crate) fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    // If the path is a link, its target is replaced, not the link.
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.is_symlink() => {
            return Err(io::Error::new(
                error.kind(),
                "a link to a file that does not exist",
            ));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    let there = match fs::metadata(&target) {
        Ok(there) => Some(there),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if there.as_ref().is_some_and(|there| !there.is_file()) {
        return File::options()
            .write(true)
            .open(&target)?
            .write_all(content);
    }
    let new = beside(&target)?;
    let written = File::create_new(&new).and_then(|mut file| {
        if let Some(there) = there {
            file.set_permissions(there.permissions())?;
        }
        file.write_all(content)?;
        fs::rename(&new, &target)
    });
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

/// An unused name in the same directory.
fn beside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    let mut new = std::ffi::OsString::from(".");
    new.push(name);
    new.push(format!(".{}", std::process::id()));
    Ok(path.with_file_name(new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    #[test]
    fn a_file_is_replaced_and_keeps_its_place_and_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a.svg"), folder.path().join("link"));
        write(&file, b"one").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        write(&link, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o640
        );
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn what_cannot_be_written_is_refused_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |path: &Path| write(path, b"x").unwrap_err().kind();
        assert_eq!(refused(folder.path()), io::ErrorKind::IsADirectory);
        assert_eq!(
            refused(&folder.path().join("no/a")),
            io::ErrorKind::NotFound
        );
        let dangling = folder.path().join("dangling");
        symlink("nowhere", &dangling).unwrap();
        assert_eq!(refused(&dangling), io::ErrorKind::NotFound);
        assert!(dangling.is_symlink());
        fs::remove_file(dangling).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        write(Path::new("/dev/null"), b"x").unwrap();
    }
}
