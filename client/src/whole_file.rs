//! Writing of files that are either complete or unchanged.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter};
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Replaces the file at `path` with `content`. If it is not a regular file, for example a pipe, it is written to.
/// On an error, the file is unchanged.
pub(crate) fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    write_by(path, None, |out| out.write_all(content), |error| error).map(drop)
}

/// Replaces the file at `path` with what `fill` writes, as [`write()`]. A new file gets `mode`. Returns its length.
/// On an error, the file is unchanged.
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
    let created = create(&new, mode.unwrap_or(0o666)).map_err(&failed);
    let written = created.and_then(|(file, has_name)| {
        if let Some(there) = there {
            file.set_permissions(there.permissions()).map_err(&failed)?;
        }
        let file = filled(file, fill, &failed)?;
        let len = file.metadata().map_err(&failed)?.len();
        let named = if has_name { Ok(()) } else { name(&file, &new) };
        let renamed = named.and_then(|()| fs::rename(&new, &target));
        renamed.map(|()| len).map_err(&failed)
    });
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

/// Creates a file, and says whether it has its name yet: until it has one, nothing is left of it if this process is killed.
fn create(new: &Path, mode: u32) -> io::Result<(File, bool)> {
    #[cfg(target_os = "linux")]
    {
        let folder = new.parent().filter(|folder| *folder != Path::new(""));
        let flag = rustix::fs::OFlags::TMPFILE.bits().cast_signed();
        let mut options = File::options();
        options.write(true).custom_flags(flag).mode(mode);
        // Some file systems cannot do it.
        if let Ok(file) = options.open(folder.unwrap_or(Path::new("."))) {
            return Ok((file, false));
        }
    }
    let mut options = File::options();
    options.write(true).create_new(true).mode(mode);
    options.open(new).map(|file| (file, true))
}

#[cfg(target_os = "linux")]
fn name(file: &File, new: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    let open = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, open, CWD, new, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn name(_: &File, _: &Path) -> io::Result<()> {
    Ok(())
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
        let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        write(&file, b"one").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        write(&link, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(mode(&file), 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn until_it_is_complete_a_file_has_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let (_, has_name) = create(&folder.path().join("b"), 0o600).unwrap();
        if has_name {
            return; // this file system cannot do it
        }
        let file = folder.path().join("a");
        let fill = |out: &mut dyn io::Write| {
            out.write_all(b"x")?;
            out.flush()?;
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
            Ok(())
        };
        let len = write_by(&file, Some(0o600), fill, |error| error);
        assert_eq!(len.unwrap(), 1);
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_is_refused_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |path: &Path| write(path, b"x").unwrap_err().kind();
        assert_eq!(refused(folder.path()), io::ErrorKind::IsADirectory);
        let nowhere = folder.path().join("no/a");
        assert_eq!(refused(&nowhere), io::ErrorKind::NotFound);
        let dangling = folder.path().join("dangling");
        symlink("nowhere", &dangling).unwrap();
        assert_eq!(refused(&dangling), io::ErrorKind::NotFound);
        assert!(dangling.is_symlink());
        fs::remove_file(dangling).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        write(Path::new("/dev/null"), b"x").unwrap();
    }
}
