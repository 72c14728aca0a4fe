//! Writing of files that are either complete or unchanged.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Replaces the file at `path` with `content`. If it is not a regular file, for example a pipe, it is written to.
///
/// # Errors
///
/// Errors of the file system; the file is then unchanged.
pub(crate) fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    write_by(path, None, |out| out.write_all(content), |error| error).map(drop)
}

/// Replaces the file at `path` with what `fill` writes, as [`write()`]. A new file gets `mode`. Returns its length.
///
/// # Errors
///
/// Errors of `fill`, and errors of the file system by `failed`; the file is then unchanged.
pub(crate) fn write_by<E>(
    path: &Path,
    mode: Option<u32>,
    fill: impl FnOnce(&mut dyn io::Write) -> Result<(), E>,
    failed: impl Fn(io::Error) -> E,
) -> Result<u64, E> {
    let (target, there) = target(path).map_err(&failed)?;
    if there.as_ref().is_some_and(|there| !there.is_file()) {
        let file = File::options().write(true).open(&target);
        return filled(file.map_err(&failed)?, fill, &failed)
            .map(drop)
            .map(|()| 0);
    }
    let new = beside(&target).map_err(&failed)?;
    let mut options = File::options();
    options.write(true).create_new(true);
    if let Some(mode) = mode {
        options.mode(mode);
    }
    let written = options.open(&new).map_err(&failed).and_then(|file| {
        if let Some(there) = there {
            file.set_permissions(there.permissions()).map_err(&failed)?;
        }
        let file = filled(file, fill, &failed)?;
        let len = file.metadata().map(|metadata| metadata.len());
        len.and_then(|len| fs::rename(&new, &target).map(|()| len))
            .map_err(&failed)
    });
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

/// Returns the file to replace, and what it is if it exists. If the path is a link, that is its target, not the link.
fn target(path: &Path) -> io::Result<(PathBuf, Option<Metadata>)> {
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
    match fs::metadata(&target) {
        Ok(there) => Ok((target, Some(there))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((target, None)),
        Err(error) => Err(error),
    }
}

fn filled<E>(
    file: File,
    fill: impl FnOnce(&mut dyn io::Write) -> Result<(), E>,
    failed: impl Fn(io::Error) -> E,
) -> Result<File, E> {
    let mut out = BufWriter::new(file);
    fill(&mut out)?;
    out.into_inner().map_err(|error| failed(error.into_error()))
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
