//! The socket of a daemon on this host.

use super::connect_error::ConnectError;
use super::failure::Failure;
use super::obstacle::{foreign_folder_above, no_folder_above};
use super::peer::{self, Foreign};
use super::request::pinged;
use super::start_files::where_else;
use std::fmt::Display;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

/// How often a daemon of root is asked whether it serves this user: one that is about to exit does not reply, the next does.
const MAX_ASKS: u32 = 5;

#[derive(Debug, Clone)]
pub(super) struct LocalSocket {
    pub(super) path: PathBuf,
    /// True if the socket was named on the command line; a daemon that is started then gets it as an option.
    pub(super) is_explicit: bool,
    /// True if the user named it at all, so its directory is not the daemon's own.
    pub(super) is_named: bool,
}

impl LocalSocket {
    /// Connects to a running daemon that serves this user; `None` if nobody listens.
    /// Where root listens, only a request shows whether it does so for a daemon of this user, as a service manager of the
    /// system may, or for its own, which closes the connections of other users without a word.
    pub(super) fn connect(&self) -> Result<Option<UnixStream>, ConnectError> {
        let mut asks = 0;
        loop {
            let Some(stream) = self.open()? else {
                return Ok(None);
            };
            let Ok(Some(foreign)) = peer::foreign(&stream) else {
                return Ok(Some(stream));
            };
            asks += 1;
            match pinged(stream) {
                Ok(stream) => return Ok(Some(stream)),
                Err(Failure::Lost { .. }) if asks < MAX_ASKS => {}
                Err(Failure::Lost { .. }) => {
                    let why = format!(
                        "the daemon does not serve this user: {foreign}; choose another socket"
                    );
                    return Err(ConnectError::Failed(why));
                }
                // It is at a limit, or hangs: the request that follows says so.
                Err(_) => return self.open(),
            }
        }
    }

    pub(super) fn open(&self) -> Result<Option<UnixStream>, ConnectError> {
        let connected = UnixStream::connect(&self.path);
        match connected.and_then(|stream| peer::check(&stream).map(|()| stream)) {
            Ok(stream) => Ok(Some(stream)),
            Err(source) => match no_folder_above(&self.path) {
                Some(found) => Err(self.unusable(found, where_else(self.is_named))),
                None if nobody_listens(&source) => Ok(None),
                None => Err(self.closed(&source)),
            },
        }
    }

    fn closed(&self, source: &io::Error) -> ConnectError {
        let is_foreign = source.get_ref().is_some_and(|why| why.is::<Foreign>());
        let is_closed = source.kind() == io::ErrorKind::PermissionDenied;
        match foreign_folder_above(&self.path).filter(|_| is_closed) {
            Some(folder) => self.unusable(folder, where_else(self.is_named)),
            None if is_foreign => self.unusable(source, "choose another socket, or run ccctl as the user it belongs to"),
            None if is_closed => self.unusable(source, "a daemon serves only its own user: choose another socket, or run ccctl as the daemon's user"),
            None => ConnectError::Socket(format!("{}: {source}", self.path.display())),
        }
    }

    fn unusable(&self, why: impl Display, advice: &str) -> ConnectError {
        ConnectError::Socket(format!("{}: {why}; {advice}", self.path.display()))
    }

    #[cfg(test)]
    pub(super) fn named(path: PathBuf) -> Self {
        Self {
            path,
            is_explicit: true,
            is_named: true,
        }
    }
}

/// True if there is no socket file, or only one that a killed daemon left.
fn nobody_listens(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
    )
}
