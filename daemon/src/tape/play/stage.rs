//! The far side of a session's terminal, where a tape prints in place of a program.

use super::stand_in;
use crate::piped::MarkWriter;
use crate::tape::format::Stream;
use ccd_protocol::tape::TapeExit;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::termios::{LocalModes, OptionalActions, OutputModes, Termios, tcgetattr, tcsetattr};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// How the terminal treats what is typed, as far as a recorded program had it so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct InputModes {
    /// Lines are not echoed.
    pub(crate) hidden: bool,
    /// The program reads keys.
    pub(crate) keys: bool,
}

/// The far side, while the tape plays.
#[derive(Debug)]
pub(crate) struct Stage {
    master: Arc<OwnedFd>,
    far_side: AsyncFd<Arc<OwnedFd>>,
    /// Of a session between pipes.
    marks: Option<MarkWriter>,
}

impl Stage {
    /// Opens it. Call it inside the runtime. Where a tape goes on, the terminal treats input as it did.
    ///
    /// # Errors
    ///
    /// The kernel's error: the terminal is gone.
    pub(crate) fn open(master: Arc<OwnedFd>, is_new: bool) -> io::Result<Self> {
        let name = rustix::pty::ptsname(&*master, Vec::new())?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let far_side = rustix::fs::open(&*name, flags, Mode::empty())?;
        let stage = Self {
            master,
            far_side: crate::readiness::watch(Arc::new(far_side), Interest::WRITABLE)?,
            marks: None,
        };
        if is_new {
            stage.set_modes(InputModes::default());
        }
        Ok(stage)
    }

    /// Likewise, with marks of standard error from an offset of the session's output on.
    ///
    /// # Errors
    ///
    /// The file of marks cannot be opened.
    pub(crate) fn marking(self, path: &Path, offset: u64) -> io::Result<Self> {
        let marks = Some(MarkWriter::open(path, offset)?);
        Ok(Self { marks, ..self })
    }

    /// Has the terminal treat input as the recorded program had it. Output passes as it is: it was processed when it
    /// was recorded.
    pub(crate) fn set_modes(&self, modes: InputModes) {
        self.change(|line| {
            line.output_modes.remove(OutputModes::OPOST);
            line.local_modes.set(LocalModes::ICANON, !modes.keys);
            let echoes = !modes.keys && !modes.hidden;
            line.local_modes.set(LocalModes::ECHO, echoes);
        });
    }

    /// Prints all of it, at the pace at which the session takes it.
    ///
    /// # Errors
    ///
    /// The terminal is gone.
    pub(crate) async fn print(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        if let Some(marks) = &mut self.marks {
            marks.before(stream, bytes.len());
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            match rustix::io::write(self.far_side.get_ref(), rest) {
                Ok(len) => rest = &rest[len..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => self.far_side.writable().await?.clear_ready(),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Has the stand-in end, after what was printed.
    pub(crate) fn end(self, exit: TapeExit) -> io::Result<()> {
        self.change(Termios::make_raw);
        // Else the terminal would still be open when the stand-in has gone.
        drop(self.far_side);
        let order = stand_in::order(exit);
        match rustix::io::write(&*self.master, &order) {
            Ok(len) if len == order.len() => Ok(()),
            Ok(_) => Err(io::ErrorKind::WriteZero.into()),
            Err(error) => Err(error.into()),
        }
    }

    fn change(&self, change: impl FnOnce(&mut Termios)) {
        // A terminal that has hung up has no modes, and needs none.
        if let Ok(mut modes) = tcgetattr(self.far_side.get_ref()) {
            change(&mut modes);
            let _ = tcsetattr(self.far_side.get_ref(), OptionalActions::Now, &modes);
        }
    }
}
