//! The files of tapes: read whole and within limits, written whole or not at all. All functions block.

use super::fault::MAX_BYTES;
use ccd_protocol::{ErrorCode, Reportable};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::NamedTempFile;

/// How long a writer waits for another writer.
pub const LOCK_WAIT: Duration = Duration::from_secs(5);

/// How long it waits for several, one after the other.
const QUEUE_WAIT: Duration = Duration::from_secs(60);

/// Pause between two attempts to get a lock.
const PAUSE: Duration = Duration::from_millis(5);

/// How often a change is repeated if somebody else, such as an editor, writes the tape meanwhile without the lock.
const ATTEMPTS: usize = 5;

/// Maximum part of a tape's name in the name of its lock; a longer name would not be possible.
const LOCK_NAME_LEN: usize = 200;

/// The end of the names of temporary files, after a dot and letters and digits.
const TEMP_END: &str = ".tmp";
const TEMP_CHARS: usize = 16;

/// How old a temporary file without a writer must be to be removed.
const STRAY_AGE: Duration = Duration::from_secs(60);

#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("there is no tape {}", .path.display())]
    NotFound { path: PathBuf },
    #[error("{} is {what}, not a tape: move it away or give it another name", .path.display())]
    NotAFile { path: PathBuf, what: &'static str },
    #[error("{} is a dangling link: remove it, or restore its target", .path.display())]
    Dangling { path: PathBuf },
    #[error("{} is a link to itself: remove it", .path.display())]
    Loop { path: PathBuf },
    #[error("{} has {bytes} bytes: a tape may have at most {MAX_BYTES}; record it in several parts", .path.display())]
    TooLarge { path: PathBuf, bytes: u64 },
    #[error("{} exists already: a new tape never overwrites another", .path.display())]
    Exists { path: PathBuf },
    #[error("{} has been locked by another writer for more than {} s: try again", .path.display(), LOCK_WAIT.as_secs())]
    Locked { path: PathBuf },
    #[error("{} cannot be read: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} cannot be written: {source}", .path.display())]
    Write { path: PathBuf, source: io::Error },
}

impl Reportable for FileError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound { .. } => ErrorCode::TapeNotFound,
            Self::NotAFile { .. }
            | Self::Loop { .. }
            | Self::Dangling { .. }
            | Self::TooLarge { .. } => ErrorCode::TapeInvalid,
            Self::Exists { .. } => ErrorCode::TapeConflict,
            Self::Locked { .. } => ErrorCode::TapeLocked,
            Self::Read { .. } | Self::Write { .. } => ErrorCode::Storage,
        }
    }
}

impl FileError {
    fn read(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match Errno::from_io_error(&source) {
            Some(Errno::NOENT) if path.is_symlink() => Self::Dangling { path },
            Some(Errno::NOENT | Errno::NOTDIR) => Self::NotFound { path },
            Some(Errno::LOOP) => Self::Loop { path },
            _ => Self::Read { path, source },
        }
    }

    fn write(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::AlreadyExists => Self::Exists { path },
            _ => Self::Write { path, source },
        }
    }
}

/// Reads a tape's file whole.
pub fn load(path: &Path) -> Result<Vec<u8>, FileError> {
    load_with_state(path).map(|(bytes, _)| bytes)
}

/// Writes a new tape that only its owner can read; missing directories are created in the same way.
/// The file exists whole or not at all, whenever this process ends.
pub fn create_new(path: &Path, text: &str) -> Result<(), FileError> {
    let fail = |source| FileError::write(path, source);
    let folder = folder_of(path);
    make_folder(folder).map_err(|source| FileError::Write {
        path: folder.to_owned(),
        source,
    })?;
    match write_temp(path, text, 0o600)?.persist_noclobber(path) {
        Err(failed) if has_no_such_rename(&failed.error) => {
            // The file system supports neither way: between ccd processes, the lock is enough.
            let _lock = FileLock::take(path)?;
            if fs::symlink_metadata(path).is_ok() {
                return Err(FileError::Exists {
                    path: path.to_owned(),
                });
            }
            failed.file.persist(path)
        }
        renamed => renamed,
    }
    .map_err(|failed| fail(failed.error))?;
    sync_folder(folder).map_err(fail)
}

/// Creates a directory that only its owner can read, and those above it, if they are missing.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700).create(folder)
}

/// Changes a tape under its lock: `change` returns the new text for the old bytes, or `None` to keep them.
/// Returns whether it was changed. Whenever this process ends, the file is either the old or the new one, whole.
/// `change` is called again if somebody without the lock, such as an editor, writes the file meanwhile. If the path is
/// a symbolic link, the file that it points to is changed.
pub fn replace<E: From<FileError>>(
    path: &Path,
    mut change: impl FnMut(&[u8]) -> Result<Option<String>, E>,
) -> Result<bool, E> {
    let path = &fs::canonicalize(path).map_err(|source| FileError::read(path, source))?;
    let _lock = FileLock::take(path)?;
    for _ in 0..ATTEMPTS {
        let (bytes, before) = load_with_state(path)?;
        let Some(text) = change(&bytes)? else {
            return Ok(false);
        };
        let temp = write_temp(path, &text, before.permissions().mode() & 0o777)?;
        let now = fs::metadata(path).map_err(|source| FileError::read(path, source))?;
        if is_same(&before, &now) {
            let renamed = temp.persist(path).map_err(|failed| failed.error);
            let synced = renamed.and_then(|_| sync_folder(folder_of(path)));
            synced.map_err(|source| FileError::write(path, source))?;
            return Ok(true);
        }
    }
    let path = path.clone();
    Err(FileError::Locked { path }.into())
}

/// Removes the temporary files of killed writers from a directory.
pub fn sweep(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_temp(entry.file_name().as_bytes())) {
        let path = entry.path();
        let Ok(file) = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NOFOLLOW)
            .open(&path)
        else {
            continue;
        };
        let age = file.metadata().and_then(|metadata| metadata.modified());
        let is_old = age.is_ok_and(|time| time.elapsed().map_or(true, |age| age > STRAY_AGE));
        if is_old && flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            let _ = fs::remove_file(&path);
        }
    }
}

fn load_with_state(path: &Path) -> Result<(Vec<u8>, Metadata), FileError> {
    let fail = |source| FileError::read(path, source);
    let not_a_file = |what| FileError::NotAFile {
        path: path.to_owned(),
        what,
    };
    let mut file = match open(path) {
        Ok(file) => file,
        Err(source) => {
            let what = fs::metadata(path)
                .ok()
                .and_then(|metadata| other_than_file(&metadata));
            return Err(what.map_or_else(|| fail(source), not_a_file));
        }
    };
    let metadata = file.metadata().map_err(fail)?;
    if let Some(what) = other_than_file(&metadata) {
        return Err(not_a_file(what));
    }
    let mut bytes = Vec::new();
    if metadata.len() <= MAX_BYTES as u64 {
        bytes.reserve_exact(usize::try_from(metadata.len()).unwrap_or(0) + 1);
        let mut bounded = (&mut file).take(MAX_BYTES as u64 + 1);
        bounded.read_to_end(&mut bytes).map_err(fail)?;
    }
    let len = metadata.len().max(bytes.len() as u64);
    if len > MAX_BYTES as u64 {
        let path = path.to_owned();
        return Err(FileError::TooLarge { path, bytes: len });
    }
    Ok((bytes, metadata))
}

/// Opens a file for reading, without waiting for the writer of a named pipe.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    options.open(path)
}

fn other_than_file(metadata: &Metadata) -> Option<&'static str> {
    let kind = metadata.file_type();
    if kind.is_file() {
        None
    } else if kind.is_dir() {
        Some("a directory")
    } else {
        Some("a pipe, a socket or a device")
    }
}

fn is_same(before: &Metadata, now: &Metadata) -> bool {
    let state = |file: &Metadata| {
        let changed = [
            file.mtime(),
            file.mtime_nsec(),
            file.ctime(),
            file.ctime_nsec(),
        ];
        (file.dev(), file.ino(), file.len(), changed)
    };
    state(before) == state(now)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// A name is only durable once its directory is on disk too.
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Returns whether a file system has no rename, and no hard links, that fail if the name is taken.
fn has_no_such_rename(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    matches!(
        errno,
        Some(Errno::PERM | Errno::NOSYS | Errno::OPNOTSUPP | Errno::MLINK)
    )
}

/// Writes a temporary file beside a tape. It is removed unless it gets the tape's name. It is locked, so that [`sweep`]
/// leaves it.
fn write_temp(tape: &Path, text: &str, mode: u32) -> Result<NamedTempFile, FileError> {
    if text.len() > MAX_BYTES {
        let (path, bytes) = (tape.to_owned(), text.len() as u64);
        return Err(FileError::TooLarge { path, bytes });
    }
    let written = || {
        let mut names = tempfile::Builder::new();
        let names = names.prefix(".").suffix(TEMP_END).rand_bytes(TEMP_CHARS);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let mut temp = names.make_in(folder_of(tape), |path| options.open(path))?;
        let _ = flock(temp.as_file(), FlockOperation::NonBlockingLockExclusive);
        temp.as_file_mut().write_all(text.as_bytes())?;
        if mode != 0o600 {
            let permissions = fs::Permissions::from_mode(mode);
            temp.as_file().set_permissions(permissions)?;
        }
        temp.as_file().sync_all()?;
        Ok(temp)
    };
    written().map_err(|source| FileError::Write {
        path: tape.to_owned(),
        source,
    })
}

fn is_temp(name: &[u8]) -> bool {
    let chars = name
        .strip_prefix(b".")
        .and_then(|name| name.strip_suffix(TEMP_END.as_bytes()));
    chars.is_some_and(|chars| {
        chars.len() == TEMP_CHARS && chars.iter().all(u8::is_ascii_alphanumeric)
    })
}

/// Device and inode of the file of a lock, and when it was made: an inode may be used again.
type LockedFile = ((u64, u64), (i64, i64));

/// The right to change a tape, exclusive among all ccd processes.
/// The lock is a file beside the tape, because each change replaces the tape's own file.
struct FileLock {
    path: PathBuf,
    /// Holds the lock as long as it is open.
    _file: File,
}

impl FileLock {
    fn take(tape: &Path) -> Result<Self, FileError> {
        let name = tape.file_name().unwrap_or_default().as_bytes();
        let name = name.get(..LOCK_NAME_LEN).unwrap_or(name);
        let path = folder_of(tape).join(OsString::from_vec([b".", name, b".lock"].concat()));
        let began = Instant::now();
        let (mut holder, mut since) = (None, began);
        loop {
            let tried = Self::attempt(&path).map_err(|source| FileError::write(tape, source))?;
            let file = match tried {
                Ok(lock) => return Ok(lock),
                Err(file) => file,
            };
            // Each writer has a file of its own.
            if holder != Some(file) {
                (holder, since) = (Some(file), Instant::now());
            }
            if since.elapsed() >= LOCK_WAIT || began.elapsed() >= QUEUE_WAIT {
                return Err(FileError::Locked {
                    path: tape.to_owned(),
                });
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// The error of the inner result says which file another writer has locked.
    fn attempt(path: &Path) -> io::Result<Result<Self, LockedFile>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(path)?;
        let identity = |about: &Metadata| (about.dev(), about.ino());
        let ours = file.metadata()?;
        let locked = (identity(&ours), (ours.mtime(), ours.mtime_nsec()));
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK | Errno::INTR) => return Ok(Err(locked)),
            Err(error) => return Err(error.into()),
        }
        // The process that held it before may have removed the file; then a lock on it means nothing.
        let there = fs::symlink_metadata(path);
        let is_there = there.is_ok_and(|there| identity(&there) == identity(&ours));
        Ok(if is_there {
            Ok(Self {
                path: path.to_owned(),
                _file: file,
            })
        } else {
            Err(locked)
        })
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // The file is removed before the lock is released, so that a waiting process sees that it is gone.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
