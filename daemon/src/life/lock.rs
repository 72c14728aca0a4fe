//! Locks that allow one daemon per socket and per base directory.

use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Debug, thiserror::Error)]
pub(crate) enum LockError {
    #[error("a daemon is already running here: {holder}")]
    Held { holder: String },
    #[error("the lock {path:?} could not be taken: {source}")]
    Io { path: PathBuf, source: io::Error },
}

impl LockError {
    fn io(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |source| Self::Io {
            path: path.to_owned(),
            source,
        }
    }
}

/// The file in the base directory that says who has its lock.
const NOTE: &str = "ccd.lock";

/// How long to try to get a lock. A killed daemon keeps it until the kernel has taken the process down, which takes time on
/// a busy machine; and if it was just starting a program, that process keeps it until it executes the program.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

/// How long to try while nobody listens on the socket: a daemon that has disconnected its clients is about to end.
const LEAVE_PATIENCE: Duration = Duration::from_secs(4);

/// How long to wait until a daemon on whose socket nobody listens is asked to check it.
const ASK_AFTER: Duration = Duration::from_millis(200);

/// Precedes the socket in the file of a lock.
const SOCKET_MARK: &str = ", socket ";

pub(super) const PAUSE: Duration = Duration::from_millis(5);

/// A lock that is held during its lifetime, and released however the process ends.
#[derive(Debug)]
pub(crate) struct Lock {
    /// Says who has the lock. It may be deleted.
    file: File,
    /// The base directory, which exists as long as what is in it.
    folder: Option<File>,
}

impl From<Lock> for OwnedFd {
    fn from(lock: Lock) -> Self {
        let Some(folder) = lock.folder else {
            return lock.file.into();
        };
        // Locked for builds that do not lock the directory, as long as this process lives.
        std::mem::forget(lock.file);
        folder.into()
    }
}

impl Lock {
    /// Takes the lock of a base directory, and writes down who has it.
    pub(crate) fn of_base(base: &Path, socket: &Path) -> Result<Self, LockError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(base, flags, Mode::empty());
        let folder = folder.map_err(|error| LockError::io(base)(error.into()))?;
        Self::take(&base.join(NOTE), Some(folder.into()), socket)
    }

    /// Takes the lock of a socket, and writes down who has it.
    pub(crate) fn of_socket(socket: &Path) -> Result<Self, LockError> {
        let mut path = socket.as_os_str().to_owned();
        path.push(".lock");
        Self::take(path.as_ref(), None, socket)
    }

    fn take(path: &Path, folder: Option<File>, socket: &Path) -> Result<Self, LockError> {
        let io_error = LockError::io(path);
        let file = ccd_store::own_file::update(path).map_err(&io_error)?;
        let lock = Self { file, folder };
        if !lock.is_taken_in_time().map_err(&io_error)? {
            let holder = match (lock.note().map_err(&io_error)?, lock.locker()) {
                (note, None) if note.is_empty() => "it is just starting".to_owned(),
                (note, Some(pid)) if note.is_empty() => format!("pid {pid}"),
                (note, _) => note,
            };
            return Err(LockError::Held { holder });
        }
        match write_note(&lock.file, crate::daemon::own_pid(), socket) {
            // The lock is taken without it, and sessions can be read and deleted to make room.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::StorageFull
                        | io::ErrorKind::QuotaExceeded
                        | io::ErrorKind::FileTooLarge
                ) => {}
            noted => noted.map_err(io_error)?,
        }
        Ok(lock)
    }

    fn is_taken_in_time(&self) -> io::Result<bool> {
        let begun = Instant::now();
        // Whether the daemon that has the lock was found not to listen, and was asked to; `None` before that is checked.
        let mut has_asked = None;
        while !self.is_taken() {
            let waited = begun.elapsed();
            let may_be_ending = waited <= PATIENCE && has_asked != Some(true);
            if waited > LEAVE_PATIENCE || (!may_be_ending && serves(&self.note()?)) {
                return Ok(false);
            }
            if waited > ASK_AFTER && has_asked.is_none() {
                let note = self.note()?;
                let is_deaf = !listens(&note);
                if is_deaf && let Some(pid) = daemon_of(&note).or_else(|| self.locker()) {
                    // Its socket and its note may have been removed, and it may have ended just now.
                    let _ = kill_process(pid, Signal::HUP);
                }
                has_asked = Some(is_deaf);
            }
            std::thread::sleep(PAUSE);
        }
        Ok(true)
    }

    fn is_taken(&self) -> bool {
        let lock = |file: &File| flock(file, FlockOperation::NonBlockingLockExclusive);
        // Not every file system can lock a directory.
        let is_held = |folder| lock(folder) == Err(Errno::WOULDBLOCK);
        !self.folder.as_ref().is_some_and(is_held) && lock(&self.file).is_ok()
    }

    /// Returns what the holder of the lock has written about itself.
    fn note(&self) -> io::Result<String> {
        let mut note = String::new();
        (&self.file).rewind()?;
        (&self.file).read_to_string(&mut note)?;
        Ok(note.trim().to_owned())
    }

    /// Returns the daemon that has locked the directory, even if its note is gone.
    fn locker(&self) -> Option<Pid> {
        let inode = self.folder.as_ref()?.metadata().ok()?.ino();
        let locks = std::fs::read_to_string("/proc/locks").ok()?;
        let lockers = locks.lines().filter_map(|line| {
            let mut fields = line.split_ascii_whitespace().skip(1);
            let (kind, pid, place) = (fields.next()?, fields.nth(2)?, fields.next()?);
            let is_it = kind == "FLOCK" && place.rsplit(':').next()?.parse() == Ok(inode);
            Pid::from_raw(pid.parse().ok()?).filter(|_| is_it)
        });
        let mut daemons = lockers.filter(|pid| ccd_terminal::holder::is_daemon(*pid));
        daemons.next()
    }
}

/// Writes the note of the daemon that has the lock of a base directory again, if somebody has removed it.
pub(super) fn renew_note(base: &Path, holder: i32, socket: &Path) -> io::Result<()> {
    let file = ccd_store::own_file::update(&base.join(NOTE))?;
    // A daemon that tries to start may have made it.
    match file.metadata()?.len() {
        0 => write_note(&file, holder, socket),
        _ => Ok(()),
    }
}

fn write_note(mut file: &File, holder: i32, socket: &Path) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    let note = format!("pid {holder}{SOCKET_MARK}{}\n", socket.display());
    file.write_all(note.as_bytes())
}

/// Returns the process that has written this, unless it is another one by now.
fn daemon_of(holder: &str) -> Option<Pid> {
    let pid = holder.strip_prefix("pid ")?.split(',').next()?;
    let pid = pid.parse().ok().and_then(Pid::from_raw)?;
    ccd_terminal::holder::is_daemon(pid).then_some(pid)
}

/// Returns whether the daemon that has written this runs and listens. The socket of one that was killed can be connected to
/// until the kernel has taken its last thread down.
fn serves(holder: &str) -> bool {
    daemon_of(holder).is_some() && listens(holder)
}

fn listens(holder: &str) -> bool {
    let socket = holder.trim().split_once(SOCKET_MARK);
    socket.is_some_and(|(_, socket)| UnixStream::connect(socket).is_ok())
}
