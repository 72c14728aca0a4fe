//! Raw mode and the alternate screen, put back on every way out.

use rustix::fd::AsFd as _;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use std::io;
use std::sync::{Mutex, Once, PoisonError};

/// The other screen, without cursor, and without wrapping: a character that is wider than thought moves no other line.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?25l\x1b[?7l";
const LEAVE: &[u8] = b"\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";

/// Size of a terminal that does not tell.
const DEFAULT_SIZE: (usize, usize) = (24, 80);

/// How the terminal was; `None` while it is that way. There is one terminal, and a panic must find it.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// The whole terminal; dropping it gives it back.
#[derive(Debug)]
pub(super) struct Guard(());

impl Guard {
    /// Takes the terminal.
    ///
    /// # Errors
    ///
    /// Those of the terminal.
    pub(super) fn enter() -> io::Result<Self> {
        static HOOK: Once = Once::new();
        // What is told of a panic must not be lost with the other screen.
        HOOK.call_once(|| {
            let tell = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                give_back();
                tell(info);
            }));
        });
        let screen = Self(());
        screen.take()?;
        Ok(screen)
    }

    /// Takes the terminal once more, after [`Guard::pause`] or after somebody else had it.
    ///
    /// # Errors
    ///
    /// Those of the terminal.
    pub(super) fn take(&self) -> io::Result<()> {
        let stdin = io::stdin();
        let now = tcgetattr(&stdin)?;
        let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut raw = before.get_or_insert(now).clone();
        raw.make_raw();
        tcsetattr(&stdin, OptionalActions::Drain, &raw)?;
        drop(before);
        write(ENTER)
    }

    /// Gives the terminal back for a while.
    #[expect(
        clippy::unused_self,
        reason = "only who has the terminal can give it back"
    )]
    pub(super) fn pause(&self) {
        give_back();
    }

    /// Writes to the terminal.
    ///
    /// # Errors
    ///
    /// Those of the terminal.
    #[expect(
        clippy::unused_self,
        reason = "only who has the terminal may write there"
    )]
    pub(super) fn write(&self, text: &str) -> io::Result<()> {
        write(text.as_bytes())
    }

    /// Rows and columns of the terminal.
    #[expect(clippy::unused_self, reason = "it is about the terminal that is held")]
    pub(super) fn size(&self) -> (usize, usize) {
        match tcgetwinsize(io::stdout()) {
            Ok(size) if size.ws_row > 0 && size.ws_col > 0 => {
                (usize::from(size.ws_row), usize::from(size.ws_col))
            }
            _ => DEFAULT_SIZE,
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        give_back();
    }
}

/// Puts the terminal back as it was, once. One that has gone needs nothing.
fn give_back() {
    let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(before) = before {
        let _ = write(LEAVE);
        // Keys typed but not read stay for the shell.
        let _ = tcsetattr(io::stdin(), OptionalActions::Drain, &before);
    }
}

/// Past the buffer of standard output, which a panic may find locked.
fn write(mut bytes: &[u8]) -> io::Result<()> {
    let stdout = io::stdout();
    while !bytes.is_empty() {
        match rustix::io::write(stdout.as_fd(), bytes) {
            Ok(len) => bytes = &bytes[len..],
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
