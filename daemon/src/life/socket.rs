//! The listening socket: passed in by systemd or launchd, or created by the daemon.

use super::lock::{PATIENCE, PAUSE};
use rustix::fs::{Mode, chmod};
use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Debug, thiserror::Error)]
pub(crate) enum SocketError {
    #[error("{path:?} is in the way of the socket and was not created by ccd: move it away")]
    InTheWay { path: PathBuf },
    #[error("another process listens on {path:?}")]
    InUse { path: PathBuf },
    #[error("could not listen on {path:?}: {source}")]
    Bind { path: PathBuf, source: io::Error },
    #[error("the socket from the service manager cannot be used: {0}")]
    Passed(io::Error),
}

impl SocketError {
    fn bind(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::Bind { path, source }
    }
}

/// The socket, and its path if this process must remove it.
#[derive(Debug)]
pub(crate) struct Socket {
    pub(crate) listener: UnixListener,
    pub(crate) own_path: Option<OwnPath>,
}

/// A path that is removed when this is dropped, even if the daemon never serves.
#[derive(Debug)]
pub(crate) struct OwnPath(PathBuf);

impl OwnPath {
    /// Takes the path of a socket that this process must remove.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Returns the path, without removing it.
    #[cfg(portable)]
    pub(crate) fn into_path(mut self) -> PathBuf {
        std::mem::take(&mut self.0)
    }
}

impl Drop for OwnPath {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Socket {
    /// Takes the socket that the service manager passed in, else binds `path` with mode 0600.
    /// The socket of a killed daemon is replaced; one that answers is not.
    pub(crate) fn open(path: &Path, passed: Option<RawFd>) -> Result<Self, SocketError> {
        if let Some(descriptor) = passed {
            // SAFETY: the service manager passed this descriptor to this process, and nothing else in it owns it.
            let owned = unsafe { OwnedFd::from_raw_fd(descriptor) };
            rustix::io::fcntl_setfd(&owned, rustix::io::FdFlags::CLOEXEC)
                .map_err(|error| SocketError::Passed(error.into()))?;
            let listener = UnixListener::from(owned);
            listener
                .set_nonblocking(true)
                .map_err(SocketError::Passed)?;
            listener.local_addr().map_err(SocketError::Passed)?;
            return Ok(Self {
                listener,
                own_path: None,
            });
        }
        Ok(Self {
            listener: listen(path)?,
            own_path: Some(OwnPath(path.to_owned())),
        })
    }
}

/// Returns whether no client can connect to `path`, because somebody has removed the socket or put something in its place.
pub(super) async fn is_dead(path: &Path) -> bool {
    // A queue that is full is an error too, but of another kind.
    let connected = tokio::net::UnixStream::connect(path).await;
    connected.is_err_and(|error| {
        matches!(
            error.kind(),
            io::ErrorKind::NotFound
                | io::ErrorKind::NotADirectory
                | io::ErrorKind::ConnectionRefused
        )
    })
}

/// Binds `path` with mode 0600, in place of a socket on which nobody listens.
pub(super) fn listen(path: &Path) -> Result<UnixListener, SocketError> {
    clear(path)?;
    let bind = || -> io::Result<UnixListener> {
        let listener = UnixListener::bind(path)?;
        chmod(path, Mode::RUSR | Mode::WUSR)?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    };
    bind().map_err(|source| SocketError::bind(path, source))
}

/// Removes the socket of a daemon that has ended. Only called with the lock held.
/// A daemon that was killed may have released its locks a moment before its socket.
fn clear(path: &Path) -> Result<(), SocketError> {
    let meta = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        meta => meta.map_err(|source| SocketError::bind(path, source))?,
    };
    if !meta.file_type().is_socket() || meta.uid() != rustix::process::geteuid().as_raw() {
        let path = path.to_owned();
        return Err(SocketError::InTheWay { path });
    }
    let deadline = Instant::now() + PATIENCE;
    while UnixStream::connect(path).is_ok() {
        if Instant::now() > deadline {
            let path = path.to_owned();
            return Err(SocketError::InUse { path });
        }
        std::thread::sleep(PAUSE);
    }
    std::fs::remove_file(path).map_err(|source| SocketError::bind(path, source))
}

/// The first socket that the service manager passed in, if any.
pub(crate) fn passed_in() -> Option<RawFd> {
    #[cfg(target_os = "macos")]
    let first = super::launchd::passed_in();
    #[cfg(not(target_os = "macos"))]
    let first = sd_notify::listen_fds().ok().and_then(|mut all| all.next());
    first
}
