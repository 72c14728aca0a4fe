//! A second terminal for one command, so that output of earlier background jobs is not mixed in.

use crate::live::error::SessionError;
use crate::live::session::Session;
use ccd_terminal::probe::LineModes;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

const READ_BYTES: usize = 64 << 10;

/// The terminal; its far side is kept open, so that it never reports an end.
pub(super) struct SecondTerminal {
    master: AsyncFd<Arc<OwnedFd>>,
    /// Path of the far side, for the shell to open.
    pub(super) path: PathBuf,
    _far_side: pty_process::blocking::Pts,
}

impl SecondTerminal {
    /// Opens a terminal of the session's size.
    pub(super) fn open(session: &Session) -> Result<Self, SessionError> {
        Self::try_open(session).map_err(SessionError::Terminal)
    }

    fn try_open(session: &Session) -> io::Result<Self> {
        let (pty, pts) = pty_process::blocking::open().map_err(io::Error::other)?;
        let (rows, cols) = session.size();
        let size = pty_process::Size::new(rows, cols);
        pty.resize(size).map_err(io::Error::other)?;
        let master = OwnedFd::from(pty);
        let name = rustix::pty::ptsname(&master, Vec::new())?;
        let flags = fcntl_getfl(&master)?;
        fcntl_setfl(&master, flags | OFlags::NONBLOCK)?;
        Ok(Self {
            master: ccd_terminal::readiness::watch(Arc::new(master), Interest::READABLE)?,
            path: PathBuf::from(name.to_string_lossy().into_owned()),
            _far_side: pts,
        })
    }

    pub(super) fn line(&self) -> LineModes {
        LineModes::read(self.master.get_ref().as_fd())
    }

    /// Waits for output; forever if there is no terminal.
    pub(super) async fn read(terminal: Option<&mut Self>) -> Result<Vec<u8>, SessionError> {
        let Some(terminal) = terminal else {
            return std::future::pending().await;
        };
        let mut bytes = vec![0; READ_BYTES];
        loop {
            let mut ready = terminal
                .master
                .readable()
                .await
                .map_err(SessionError::Terminal)?;
            match rustix::io::read(ready.get_inner(), &mut bytes) {
                Ok(len) => {
                    bytes.truncate(len);
                    return Ok(bytes);
                }
                Err(Errno::AGAIN) => ready.clear_ready(),
                Err(Errno::INTR) => {}
                Err(error) => return Err(SessionError::Terminal(error.into())),
            }
        }
    }
}
