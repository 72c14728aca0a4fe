//! The file of a pipe and its two ends.

use ccd_protocol::{ErrorCode, Reportable, SessionId};
use ccd_store::folder::{FolderError, prepare_exclusive};
use rustix::fs::{FileType, FlockOperation, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, thiserror::Error)]
pub enum PipeError {
    #[error("no directory is safe for named pipes: {why}")]
    Folders { why: String },
    #[error("{} exists and was not created by ccd: remove it, or choose another pipe_dir", .path.display())]
    Foreign { path: PathBuf },
    #[error("another daemon writes to {}: choose another id for the session, or another pipe_dir", .path.display())]
    Taken { path: PathBuf },
    #[error("the named pipe {} cannot be created: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Folder(FolderError),
}

impl Reportable for PipeError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Taken { .. } => ErrorCode::SessionConflict,
            Self::Io { .. } => ErrorCode::Storage,
            Self::Folders { .. } | Self::Foreign { .. } | Self::Folder(_) => ErrorCode::Unavailable,
        }
    }
}

/// A FIFO that only this process writes to.
#[derive(Debug)]
pub(super) struct Fifo {
    pub(super) path: PathBuf,
    pub(super) inode: Inode,
    /// A reader in this process, so that writing works while no other process reads. It holds the lock by which other
    /// daemons see that the FIFO is in use.
    guard: Option<OwnedFd>,
    /// The end to write to; never blocks.
    pub(super) writer: Arc<OwnedFd>,
}

/// Device and inode number: distinguish a file from another one at the same path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Inode {
    device: u64,
    number: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum AtPath {
    Nothing,
    /// A FIFO that only this user can access.
    Fifo(Inode),
    Other,
}

impl Fifo {
    /// Creates the file; replaces one that a killed daemon has left, but no foreign one. Blocks.
    pub(super) fn make(path: PathBuf) -> Result<Self, PipeError> {
        match look(&path) {
            AtPath::Nothing => {}
            AtPath::Other => return Err(PipeError::Foreign { path }),
            AtPath::Fifo(_) => {
                locked_reader(&path)?;
                std::fs::remove_file(&path).map_err(failed(&path))?;
            }
        }
        make_file(&path)?;
        Self::open(path)
    }

    /// Opens the file that another worker created, or creates it if it is gone. Blocks.
    pub(super) fn reopen(path: PathBuf) -> Result<Self, PipeError> {
        match look(&path) {
            AtPath::Nothing => make_file(&path)?,
            AtPath::Fifo(_) => {}
            AtPath::Other => return Err(PipeError::Foreign { path }),
        }
        Self::open(path)
    }

    fn open(path: PathBuf) -> Result<Self, PipeError> {
        let (guard, inode) = locked_reader(&path)?;
        // The FIFO has a reader already, so this neither waits nor fails.
        let writer = open_end(&path, OFlags::WRONLY)?;
        if inode_of(&writer, &path)? != inode {
            return Err(PipeError::Foreign { path });
        }
        Ok(Self {
            path,
            inode,
            guard: Some(guard),
            writer: Arc::new(writer),
        })
    }

    /// Closes the reader in this process: from now on a write fails if nobody reads.
    pub(super) fn let_go_of_reader(&mut self) {
        self.guard = None;
    }
}

/// Returns the first of these folders that only this user can access; creates it if it does not exist. Blocks.
pub(super) fn folder(places: &[PathBuf]) -> Result<PathBuf, PipeError> {
    let mut reasons = Vec::new();
    for folder in places {
        match prepare_exclusive(folder) {
            Err(error) => reasons.push(error.to_string()),
            Ok(()) => {
                if !reasons.is_empty() {
                    let why = reasons.join("; ");
                    tracing::warn!(why, used = %folder.display(), "the directory for named pipes is not safe");
                }
                return Ok(folder.clone());
            }
        }
    }
    let why = reasons.join("; ");
    Err(PipeError::Folders { why })
}

/// Returns the folders for pipes, each for the case that those before it are not safe. Any user can make the second one.
pub(super) fn places(pipe_dir: PathBuf, runtime: &Path) -> [PathBuf; 3] {
    let user = rustix::process::geteuid().as_raw();
    let own = PathBuf::from(format!("/tmp/claudecontrol-{user}"));
    [pipe_dir, own, runtime.join("pipes")]
}

/// Returns the path of a session's pipe. An id is safe as a file name.
pub(super) fn path_in(folder: &Path, id: &SessionId) -> PathBuf {
    folder.join(format!("{id}.pipe"))
}

/// Checks what exists at a path; follows and opens nothing.
pub(super) fn look(path: &Path) -> AtPath {
    match rustix::fs::lstat(path) {
        Err(Errno::NOENT) => AtPath::Nothing,
        Ok(facts) if is_ours(&facts) => AtPath::Fifo(inode(&facts)),
        _ => AtPath::Other,
    }
}

/// Removes a FIFO if it still has this inode. Blocks.
pub(super) fn remove(path: &Path, inode: Inode) -> io::Result<()> {
    match look(path) {
        AtPath::Fifo(found) if found == inode => std::fs::remove_file(path),
        _ => Ok(()),
    }
}

/// Removes a FIFO that a killed daemon has left. Blocks.
pub(super) fn remove_stray(path: &Path) {
    if let AtPath::Fifo(_) = look(path)
        && locked_reader(path).is_ok()
    {
        let _ = std::fs::remove_file(path);
    }
}

fn make_file(path: &Path) -> Result<(), PipeError> {
    let name =
        CString::new(path.as_os_str().as_bytes()).map_err(|error| failed(path)(error.into()))?;
    // SAFETY: `name` is a NUL-terminated string, and mkfifo keeps no part of it.
    match unsafe { libc::mkfifo(name.as_ptr(), 0o600) } {
        0 => Ok(()),
        _ => Err(failed(path)(io::Error::last_os_error())),
    }
}

/// Opens the reading end and takes the lock of the file.
fn locked_reader(path: &Path) -> Result<(OwnedFd, Inode), PipeError> {
    let reader = open_end(path, OFlags::RDONLY)?;
    let inode = inode_of(&reader, path)?;
    match rustix::fs::flock(&reader, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => Err(PipeError::Taken {
            path: path.to_owned(),
        }),
        // Not every system supports locks on FIFOs.
        _ => Ok((reader, inode)),
    }
}

fn open_end(path: &Path, end: OFlags) -> Result<OwnedFd, PipeError> {
    let flags = end | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).map_err(|error| failed(path)(error.into()))
}

/// Returns the inode of the opened file, not of the path, where the file could be replaced.
fn inode_of(end: impl AsFd, path: &Path) -> Result<Inode, PipeError> {
    let facts = rustix::fs::fstat(end).map_err(|error| failed(path)(error.into()))?;
    if !is_ours(&facts) {
        return Err(PipeError::Foreign {
            path: path.to_owned(),
        });
    }
    Ok(inode(&facts))
}

#[expect(
    clippy::unnecessary_cast,
    reason = "the types differ from system to system"
)]
fn inode(facts: &Stat) -> Inode {
    Inode {
        device: facts.st_dev as u64,
        number: facts.st_ino as u64,
    }
}

fn is_ours(facts: &Stat) -> bool {
    let mode = facts.st_mode;
    FileType::from_raw_mode(mode) == FileType::Fifo
        && facts.st_uid == rustix::process::geteuid().as_raw()
        && Mode::from_raw_mode(mode).bits() & 0o077 == 0
}

fn failed(path: &Path) -> impl Fn(io::Error) -> PipeError + '_ {
    move |source| PipeError::Io {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::time::{Duration, Instant};

    fn permissions(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    /// Tries again: a process that another test is starting has copies of the descriptors until it runs its program.
    fn soon<T>(mut attempt: impl FnMut() -> Option<T>) -> T {
        let began = Instant::now();
        loop {
            if let Some(value) = attempt() {
                return value;
            }
            assert!(began.elapsed() < Duration::from_secs(20));
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_fifo_is_ours_alone_and_is_removed_only_while_it_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pipe");
        let fifo = Fifo::make(path.clone()).unwrap();
        assert_eq!(permissions(&path), 0o600);
        assert_eq!(look(&path), AtPath::Fifo(fifo.inode));
        assert!(matches!(
            Fifo::make(path.clone()),
            Err(PipeError::Taken { .. })
        ));
        fs::rename(&path, folder.path().join("b.pipe")).unwrap();
        let other = Fifo::make(path.clone()).unwrap();
        remove(&path, fifo.inode).unwrap();
        assert!(path.exists());
        remove(&path, other.inode).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn what_a_killed_daemon_left_is_replaced_and_what_is_no_fifo_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pipe");
        make_file(&path).unwrap();
        drop(Fifo::make(path.clone()).unwrap());
        let again = soon(|| Fifo::reopen(path.clone()).ok());
        assert_eq!(look(&path), AtPath::Fifo(again.inode));
        remove_stray(&path);
        assert!(path.exists(), "it is in use");
        drop(again);
        soon(|| {
            remove_stray(&path);
            (!path.exists()).then_some(())
        });
        let target = folder.path().join("target");
        fs::write(&target, "kept").unwrap();
        symlink(&target, &path).unwrap();
        for made in [Fifo::make(path.clone()), Fifo::reopen(path.clone())] {
            assert!(matches!(made, Err(PipeError::Foreign { .. })));
        }
        remove_stray(&path);
        assert!(path.is_symlink());
        fs::remove_file(&path).unwrap();
        fs::write(&path, "kept").unwrap();
        assert!(Fifo::make(path.clone()).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
    }

    #[test]
    fn a_folder_that_others_can_look_into_is_not_used() {
        let base = tempfile::tempdir().unwrap();
        let fresh = base.path().join("fresh/pipes");
        assert_eq!(folder(std::slice::from_ref(&fresh)).unwrap(), fresh);
        assert_eq!(permissions(&fresh), 0o700);
        let open = base.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
        let link = base.path().join("link");
        symlink(&fresh, &link).unwrap();
        let why = folder(&[open.clone(), link.clone()])
            .unwrap_err()
            .to_string();
        assert!(why.contains("/open ") && why.contains("/link "), "{why}");
        assert_eq!(folder(&[open.clone(), link, fresh.clone()]).unwrap(), fresh);
        assert_eq!(permissions(&open), 0o755, "it is not altered");
    }

    #[test]
    fn writing_needs_no_reader_until_the_guard_goes() {
        let folder = tempfile::tempdir().unwrap();
        let mut fifo = Fifo::make(folder.path().join("a.pipe")).unwrap();
        assert_eq!(rustix::io::write(&*fifo.writer, b"x"), Ok(1));
        fifo.let_go_of_reader();
        soon(|| (rustix::io::write(&*fifo.writer, b"x") == Err(Errno::PIPE)).then_some(()));
    }
}
