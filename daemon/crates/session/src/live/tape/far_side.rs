//! The far side of a session's terminal, to which a tape replays in place of a program.

use ccd_protocol::tape::{Stream, TapeExit};
use ccd_tape::play::{FarSide, InputModes};
use ccd_terminal::alarm::Alarm;
use ccd_terminal::piped::MarkWriter;
use ccd_terminal::placeholder;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::termios::{LocalModes, OptionalActions, OutputModes, Termios, tcgetattr, tcsetattr};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

#[derive(Debug)]
pub(super) struct TerminalFarSide {
    master: Arc<OwnedFd>,
    descriptor: AsyncFd<Arc<OwnedFd>>,
    /// Set for a session over pipes.
    marks: Option<MarkWriter>,
    alarm: Alarm,
}

impl TerminalFarSide {
    /// Opens the far side; must be called inside the runtime. If a replay continues after a handover (`is_new` is
    /// false), the terminal's modes are kept.
    pub(super) fn open(master: Arc<OwnedFd>, is_new: bool) -> io::Result<Self> {
        let name = rustix::pty::ptsname(&*master, Vec::new())?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let descriptor = rustix::fs::open(&*name, flags, Mode::empty())?;
        let far_side = Self {
            master,
            descriptor: ccd_terminal::readiness::watch(Arc::new(descriptor), Interest::WRITABLE)?,
            marks: None,
            alarm: Alarm::default(),
        };
        if is_new {
            far_side.set_modes(InputModes::default());
        }
        Ok(far_side)
    }

    /// Returns the same, with marks of standard error from an offset of the session's output on.
    pub(super) fn marking(self, path: &Path, offset: u64) -> io::Result<Self> {
        let marks = Some(MarkWriter::open(path, offset)?);
        Ok(Self { marks, ..self })
    }

    fn change(&self, change: impl FnOnce(&mut Termios)) {
        // A terminal that has hung up has no modes and needs none.
        if let Ok(mut modes) = tcgetattr(self.descriptor.get_ref()) {
            change(&mut modes);
            let _ = tcsetattr(self.descriptor.get_ref(), OptionalActions::Now, &modes);
        }
    }
}

impl FarSide for TerminalFarSide {
    async fn wait_until(&mut self, time: Instant) {
        self.alarm.wait_until(time).await;
    }

    /// Turns output processing off: the output was processed when it was recorded.
    fn set_modes(&self, modes: InputModes) {
        self.change(|line| {
            line.output_modes.remove(OutputModes::OPOST);
            line.local_modes.set(LocalModes::ICANON, !modes.keys);
            let echoes = !modes.keys && !modes.hidden;
            line.local_modes.set(LocalModes::ECHO, echoes);
        });
    }

    async fn print(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        if let Some(marks) = &mut self.marks {
            marks.before(stream, bytes.len());
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            match rustix::io::write(self.descriptor.get_ref(), rest) {
                Ok(len) => rest = &rest[len..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => self.descriptor.writable().await?.clear_ready(),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn end(self, exit: TapeExit) -> io::Result<()> {
        self.change(Termios::make_raw);
        // Otherwise the terminal would still be open after the placeholder has exited.
        drop(self.descriptor);
        let order = placeholder::order(exit);
        match rustix::io::write(&*self.master, &order) {
            Ok(len) if len == order.len() => Ok(()),
            Ok(_) => Err(io::ErrorKind::WriteZero.into()),
            Err(error) => Err(error.into()),
        }
    }
}
