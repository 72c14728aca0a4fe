//! Raw mode and the alternate screen, restored however the process exits.

use crate::writer::raw_stdout;
use parking_lot::Mutex;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use std::io::{self, Write as _};
use std::sync::Once;

/// The alternate screen, without a cursor and without wrapping: a character that is wider than expected moves no other
/// line.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?25l\x1b[?7l";
const LEAVE: &[u8] = b"\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";

/// Size of a terminal that does not report one.
const DEFAULT_SIZE: (usize, usize) = (24, 80);

/// The modes to restore; `None` if the terminal has them. A static, because there is one terminal and a panic hook
/// needs it.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// Exclusive use of the terminal; dropping this restores it.
#[derive(Debug)]
pub(super) struct Guard(());

impl Guard {
    pub(super) fn enter() -> io::Result<Self> {
        static HOOK: Once = Once::new();
        // The report of a panic must not be lost with the alternate screen.
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

    /// Takes the terminal again, after [`Guard::pause`] or after another program used it.
    pub(super) fn take(&self) -> io::Result<()> {
        let stdin = io::stdin();
        let now = tcgetattr(&stdin)?;
        let mut before = BEFORE.lock();
        let mut raw = before.get_or_insert(now).clone();
        raw.make_raw();
        tcsetattr(&stdin, OptionalActions::Drain, &raw)?;
        drop(before);
        raw_stdout().write_all(ENTER)
    }

    pub(super) fn pause(&self) {
        give_back();
    }

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

/// Restores the terminal, once. Errors of a closed terminal do not matter.
fn give_back() {
    let before = BEFORE.lock().take();
    if let Some(before) = before {
        let _ = raw_stdout().write_all(LEAVE);
        // Unread keys are left for the shell.
        let _ = tcsetattr(io::stdin(), OptionalActions::Drain, &before);
    }
}
