//! Directories that are safe for sessions.

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::fs::{DirBuilder, File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

const PRIVATE_MODE: u32 = 0o700;
const STICKY: u32 = 0o1000;
const WRITABLE_BY_OTHERS: u32 = 0o022;

#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("the directory {} is a symbolic link or not a directory: move it away or choose another", .path.display())]
    NotAFolder { path: PathBuf },
    #[error("the directory {} belongs to user {owner}, not to user {us}: choose another", .path.display())]
    Foreign { path: PathBuf, owner: u32, us: u32 },
    #[error("the directory {} is writable by others (mode {mode:04o}): choose another or run chmod go-w on it", .path.display())]
    Shared { path: PathBuf, mode: u32 },
    #[error("the directory {} is accessible to others (mode {mode:04o}): choose another or run chmod go= on it", .path.display())]
    Open { path: PathBuf, mode: u32 },
    #[error("the directory {} cannot be used: {source}", .path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// Makes sure that `path` is a directory that only this user can access: it is created with mode 0700, or restricted to
/// that.
pub fn prepare_private(path: &Path) -> Result<(), FolderError> {
    create(path)?;
    let (folder, metadata) = open_own(path)?;
    let mode = metadata.mode() & 0o7777;
    if mode & STICKY != 0 {
        // A sticky directory is meant for many users; restricting it would shut them out.
        return Err(FolderError::Shared {
            path: path.to_owned(),
            mode,
        });
    }
    if mode & 0o077 != 0 {
        folder
            .set_permissions(Permissions::from_mode(PRIVATE_MODE))
            .map_err(failed(path))?;
    }
    Ok(())
}

/// Sets aside what is at `path` if it is not a directory; returns where to. For sessions that must not end because of it:
/// otherwise, preparing the directory is an error.
pub fn set_aside_replaced(path: &Path) -> Result<Option<PathBuf>, FolderError> {
    let found = std::fs::symlink_metadata(path);
    if found.map_or(true, |found| found.is_dir()) {
        return Ok(None);
    }
    let mut aside = path.as_os_str().to_owned();
    aside.push(crate::open::aside_suffix());
    std::fs::rename(path, &aside).map_err(failed(path))?;
    Ok(Some(aside.into()))
}

/// Makes sure that `path` is a directory that only this user can change; an existing one is never altered.
/// For directories that the user named and that may contain other files.
/// An error also when others may write to it.
pub fn prepare_named(path: &Path) -> Result<(), FolderError> {
    create(path)?;
    let mode = open_own(path)?.1.mode() & 0o7777;
    if mode & WRITABLE_BY_OTHERS != 0 {
        return Err(FolderError::Shared {
            path: path.to_owned(),
            mode,
        });
    }
    Ok(())
}

/// Makes sure that `path` is a directory that only this user can read; an existing one is never altered.
/// An error also when anybody else may look into it.
pub fn prepare_exclusive(path: &Path) -> Result<(), FolderError> {
    create(path)?;
    let mode = open_own(path)?.1.mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(FolderError::Open {
            path: path.to_owned(),
            mode,
        });
    }
    Ok(())
}

fn create(path: &Path) -> Result<(), FolderError> {
    DirBuilder::new()
        .recursive(true)
        .mode(PRIVATE_MODE)
        .create(path)
        .or_else(|error| match error.kind() {
            // A file or a broken link: opening it returns a better error.
            io::ErrorKind::AlreadyExists => Ok(()),
            _ => Err(failed(path)(error)),
        })
}

/// Opens the directory before it is checked, so that it cannot be replaced in between.
fn open_own(path: &Path) -> Result<(File, Metadata), FolderError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(folder) => File::from(folder),
        Err(Errno::LOOP | Errno::NOTDIR) => {
            return Err(FolderError::NotAFolder {
                path: path.to_owned(),
            });
        }
        Err(error) => return Err(failed(path)(error.into())),
    };
    let metadata = folder.metadata().map_err(failed(path))?;
    let us = rustix::process::geteuid().as_raw();
    if metadata.uid() != us {
        return Err(FolderError::Foreign {
            path: path.to_owned(),
            owner: metadata.uid(),
            us,
        });
    }
    Ok((folder, metadata))
}

fn failed(path: &Path) -> impl Fn(io::Error) -> FolderError + '_ {
    move |source| FolderError::Io {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    fn with_mode(path: &Path, mode: u32) {
        fs::create_dir_all(path).unwrap();
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn folders_are_made_and_tightened_for_us_alone() {
        let folder = tempfile::tempdir().unwrap();
        let new = folder.path().join("a/b");
        prepare_private(&new).unwrap();
        assert_eq!((mode(&new), mode(&folder.path().join("a"))), (0o700, 0o700));
        let open = folder.path().join("open");
        with_mode(&open, 0o775);
        prepare_private(&open).unwrap();
        assert_eq!(mode(&open), 0o700);
    }

    #[test]
    fn links_files_and_shared_folders_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        symlink(folder.path(), path("link")).unwrap();
        symlink(path("nowhere"), path("dangling")).unwrap();
        fs::write(path("file"), "").unwrap();
        with_mode(&path("sticky"), 0o1777);
        for name in ["link", "dangling", "file", "sticky"] {
            let error = prepare_private(&path(name)).unwrap_err().to_string();
            assert!(error.contains(&path(name).display().to_string()), "{error}");
        }
        assert_eq!(mode(&path("sticky")), 0o1777);
    }

    #[test]
    fn a_named_folder_is_checked_and_never_altered() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("named");
        with_mode(&path, 0o755);
        prepare_named(&path).unwrap();
        assert_eq!(mode(&path), 0o755);
        with_mode(&path, 0o777);
        let error = prepare_named(&path).unwrap_err();
        assert!(
            matches!(error, FolderError::Shared { mode: 0o777, .. }),
            "{error}"
        );
    }

    #[test]
    fn a_folder_of_somebody_else_is_refused() {
        // Root owns everything that a test can count on, so another owner is set first.
        let folder = tempfile::tempdir().unwrap();
        let foreign = if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(folder.path(), Some(12_345), None).unwrap();
            folder.path()
        } else {
            Path::new("/")
        };
        for prepared in [prepare_private(foreign), prepare_named(foreign)] {
            assert!(matches!(prepared, Err(FolderError::Foreign { .. })));
        }
    }
}
