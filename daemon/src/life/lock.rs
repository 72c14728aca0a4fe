//! Locks that allow one daemon per socket and per base directory.

use rustix::fs::{FlockOperation, flock};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Another daemon is running, or the lock cannot be taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LockError {
    #[error("a daemon is already running here: {holder}")]
    Held { holder: String },
    #[error("the lock {path:?} could not be taken: {source}")]
    Io { path: PathBuf, source: io::Error },
}

/// How long to try to get a lock. A killed daemon keeps it until the kernel has taken the process down, which takes time on
/// a busy machine; and if it was just starting a program, that process keeps it until it executes the program.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

/// How long to try while nobody listens on the socket: a daemon that has disconnected its clients is about to end.
const LEAVE_PATIENCE: Duration = Duration::from_secs(4);

/// How long to wait until a daemon on whose socket nobody listens is asked to check it.
const ASK_AFTER: Duration = Duration::from_millis(200);

/// Precedes the socket in the file of a lock.
const SOCKET_MARK: &str = ", socket ";

/// Pause between two attempts.
pub(super) const PAUSE: Duration = Duration::from_millis(5);

/// A lock that is held during its lifetime, and released however the process ends.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl From<Lock> for OwnedFd {
    fn from(lock: Lock) -> Self {
        lock.file.into()
    }
}

impl Lock {
    /// Takes the lock and writes down who holds it.
    ///
    /// # Errors
    ///
    /// [`LockError::Held`] names the other daemon's process and socket.
    pub(crate) fn take(path: &Path, socket: &Path) -> Result<Self, LockError> {
        let io_error = |source| LockError::Io {
            path: path.to_owned(),
            source,
        };
        let mut file = ccd_store::own_file::update(path).map_err(io_error)?;
        if !is_taken_in_time(&file).map_err(io_error)? {
            let holder = holder_of(&file).map_err(io_error)?;
            let holder = match holder.trim() {
                "" => "it is just starting",
                holder => holder,
            };
            return Err(LockError::Held {
                holder: holder.to_owned(),
            });
        }
        let note = format!(
            "pid {}{SOCKET_MARK}{}\n",
            crate::daemon::own_pid(),
            socket.display()
        );
        let noted = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(note.as_bytes()));
        match noted {
            // The lock is taken without it, and sessions can be read and deleted to make room.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::StorageFull | io::ErrorKind::FileTooLarge
                ) => {}
            noted => noted.map_err(io_error)?,
        }
        Ok(Self { file })
    }
}

fn is_taken_in_time(file: &File) -> io::Result<bool> {
    let begun = Instant::now();
    // Whether the daemon that has the lock was found not to listen, and was asked to; `None` before that is checked.
    let mut has_asked = None;
    while flock(file, FlockOperation::NonBlockingLockExclusive).is_err() {
        let waited = begun.elapsed();
        let may_be_ending = waited <= PATIENCE && has_asked != Some(true);
        if waited > LEAVE_PATIENCE || (!may_be_ending && serves(&holder_of(file)?)) {
            return Ok(false);
        }
        if waited > ASK_AFTER && has_asked.is_none() {
            let holder = holder_of(file)?;
            let is_deaf = !listens(&holder);
            if is_deaf {
                ask_to_listen(&holder);
            }
            has_asked = Some(is_deaf);
        }
        std::thread::sleep(PAUSE);
    }
    Ok(true)
}

/// Returns what the holder of the lock has written about itself.
fn holder_of(mut file: &File) -> io::Result<String> {
    let mut holder = String::new();
    file.rewind()?;
    file.read_to_string(&mut holder)?;
    Ok(holder)
}

/// Sends SIGHUP to the daemon that has the lock, whose socket may have been removed; unless the process is another one.
fn ask_to_listen(holder: &str) {
    if let Some(pid) = daemon_of(holder) {
        // It may have ended just now.
        let _ = kill_process(pid, Signal::HUP);
    }
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
