//! The user's terminal while it is a session's, given back as it was on every way out.

use crate::terminal::{RawMode, terminal_size};
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use std::io;

/// Undoes what programs set: alternate screen, margins, origin, insert, newline and wrap mode, keypad and cursor keys,
/// reverse video, mouse, focus, paste, synchronized output, extended keys, colours, links, charsets, cursor.
const RESET: &str = concat!(
    "\x1b[?1049l\x1b[?47l\x1b[r\x1b[?6l\x1b[4l\x1b[20l\x1b[?7h",
    "\x1b[?1l\x1b>\x1b[?5l\x1b[?9;1000;1002;1003;1005;1006;1015;1016l\x1b[?1004;2004;2026l",
    "\x1b[=0;1u\x1b[>4m\x1b]104\x07\x1b]110\x07\x1b]111\x07\x1b]112\x07\x1b]8;;\x07",
    "\x1b(B\x1b)B\x0f\x1b[m\x1b[?25h\x1b[0 q",
);

/// xterm keeps titles on a stack.
const SAVE_TITLE: &str = "\x1b[22;0t";
const RESTORE_TITLE: &str = "\x1b[23;0t";

/// The user's terminal in a session's hands; dropping it gives it back.
#[derive(Debug)]
pub(super) struct UserScreen {
    raw: Option<RawMode>,
}

impl UserScreen {
    /// Hands the terminal over. What it shows goes up into its scrollback.
    ///
    /// # Errors
    ///
    /// The terminal's.
    pub(super) fn enter() -> io::Result<Self> {
        let raw = RawMode::enter()?;
        let screen = Self { raw: Some(raw) };
        let rows = terminal_size().map_or(24, |size| size.rows);
        let up = "\n".repeat(usize::try_from(rows).unwrap_or(0));
        write(format!("{SAVE_TITLE}\x1b[{rows};1H{up}").as_bytes())?;
        Ok(screen)
    }

    /// Shows output.
    ///
    /// # Errors
    ///
    /// The terminal's.
    pub(super) fn show(&mut self, bytes: &[u8]) -> io::Result<()> {
        write(bytes)
    }

    /// Gives the terminal back.
    pub(super) fn leave(&mut self) {
        if let Some(raw) = self.raw.take() {
            // Behind the last line of what is shown. If the terminal has gone nobody will see it.
            let _ = write(format!("{RESET}\x1b[999;1H\r\n{RESTORE_TITLE}").as_bytes());
            drop(raw);
        }
    }

    /// Takes it again after [`leave`](Self::leave).
    ///
    /// # Errors
    ///
    /// The terminal's.
    pub(super) fn enter_again(&mut self) -> io::Result<()> {
        *self = Self::enter()?;
        Ok(())
    }
}

impl Drop for UserScreen {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Writes to the terminal, past the lock of standard output, which another thread holds for its results.
fn write(mut bytes: &[u8]) -> io::Result<()> {
    let out = rustix::stdio::stdout();
    while !bytes.is_empty() {
        match rustix::io::write(out, bytes) {
            Ok(len) => bytes = &bytes[len..],
            Err(Errno::INTR) => {}
            // Somebody else who has the terminal has made it so.
            Err(Errno::AGAIN) => {
                let mut room = [PollFd::new(&out, PollFlags::OUT)];
                rustix::event::poll(&mut room, None)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
