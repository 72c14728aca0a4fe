//! Finds the daemon's socket and connects to it.

use super::start;
use crate::Exit;
use ccd_protocol::socket::{SocketPathError, socket_path};
use std::ffi::OsString;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

/// Why there is no connection to a daemon.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    #[error(transparent)]
    Path(#[from] SocketPathError),
    #[error("no daemon is running at {}; ccctl daemon start starts one", .socket.display())]
    NoDaemon { socket: PathBuf },
    #[error(
        "the daemon has ended, and the session {session} with it; ccctl session read {session} still prints its output"
    )]
    Gone { session: String },
    #[error("could not connect to {}: {source}", .socket.display())]
    Socket { socket: PathBuf, source: io::Error },
    #[error(transparent)]
    Start(#[from] start::StartError),
}

impl ConnectError {
    /// The exit status for this error.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            ConnectError::Path(_) => Exit::Usage,
            _ => Exit::NoDaemon,
        }
    }
}

/// Where the daemon is, and whether it may be started.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) socket: PathBuf,
    /// True if the socket was named on the command line; a daemon that is started then gets it as an option.
    pub(crate) is_explicit: bool,
    pub(crate) may_start: bool,
}

impl Place {
    /// Returns the place that `--socket`, `--no-start` and the environment ask for.
    ///
    /// # Errors
    ///
    /// [`ConnectError::Path`] if there is no usable path.
    pub(crate) fn find(
        socket: Option<&str>,
        no_start: bool,
        env: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, ConnectError> {
        let forbidden = env("CCD_NO_START").is_some_and(|value| !value.is_empty() && value != "0");
        Ok(Self {
            may_start: !no_start && !forbidden,
            is_explicit: socket.is_some(),
            socket: socket_path(socket, env)?,
        })
    }

    /// The same place, where no daemon is started.
    pub(crate) fn without_start(self) -> Self {
        Self {
            may_start: false,
            ..self
        }
    }

    /// Connects, after starting a daemon if none is running and that is allowed.
    ///
    /// # Errors
    ///
    /// [`ConnectError`], except [`ConnectError::Path`].
    pub(crate) fn connect(&self) -> Result<UnixStream, ConnectError> {
        match self.try_connect()? {
            Some(stream) => Ok(stream),
            None if self.may_start => Ok(start::start(self)?),
            None => Err(ConnectError::NoDaemon {
                socket: self.socket.clone(),
            }),
        }
    }

    /// Connects to a running daemon; `None` if nobody listens.
    ///
    /// # Errors
    ///
    /// [`ConnectError::Socket`] if the socket exists but cannot be used.
    pub(crate) fn try_connect(&self) -> Result<Option<UnixStream>, ConnectError> {
        match UnixStream::connect(&self.socket) {
            Ok(stream) => Ok(Some(stream)),
            Err(error) if nobody_listens(&error) => Ok(None),
            Err(source) => Err(ConnectError::Socket {
                socket: self.socket.clone(),
                source,
            }),
        }
    }
}

#[cfg(test)]
impl Place {
    /// A place at which a test listens, as long as the directory exists.
    pub(crate) fn listening() -> (Self, std::os::unix::net::UnixListener, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let place = Self {
            socket,
            is_explicit: true,
            may_start: false,
        };
        (place, listener, folder)
    }
}

/// True if there is no socket file, or only one that a killed daemon left.
fn nobody_listens(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    fn place(socket: &std::path::Path, env: &[(&str, &str)]) -> Place {
        let lookup = |name: &str| {
            let pair = env.iter().find(|(key, _)| *key == name)?;
            Some(pair.1.into())
        };
        Place::find(socket.to_str(), false, lookup).unwrap()
    }

    #[test]
    fn a_missing_and_a_left_over_socket_are_no_daemon() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let place = place(&path, &[("CCD_NO_START", "1")]);
        for _ in 0..2 {
            let error = place.connect().unwrap_err();
            assert!(matches!(error, ConnectError::NoDaemon { .. }), "{error}");
            assert_eq!(error.exit(), Exit::NoDaemon);
            drop(UnixListener::bind(&path)); // the file remains
        }
    }

    #[test]
    fn zero_and_empty_do_not_forbid_a_start() {
        let path = std::path::Path::new("/s");
        for (value, may_start) in [("1", false), ("yes", false), ("0", true), ("", true)] {
            let place = place(path, &[("CCD_NO_START", value)]);
            assert_eq!(place.may_start, may_start, "{value:?}");
        }
        assert!(place(path, &[]).may_start);
    }
}
