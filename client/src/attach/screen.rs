//! The user's terminal while it shows a session; it is restored however this exits.

use crate::render::printable;
use crate::terminal::{RawMode, terminal_size};
use crate::writer::raw_stdout;
use std::io::{self, Write as _};

/// Undoes the modes that programs set.
const RESET: &str = concat!(
    // VT52 mode; left and right margins, margins, origin, locked keyboard, insert, local echo, newline and wrap mode.
    "\x1b<\x1b[?69l\x1b[r\x1b[?6l\x1b[2l\x1b[4l\x1b[12h\x1b[20l\x1b[?7h",
    // Cursor keys, keypad, reverse video, changes of columns; mouse; reports of focus, theme, size, paste;
    // synchronized output.
    "\x1b[?1l\x1b>\x1b[?5l\x1b[?40l\x1b[?9;1000;1002;1003;1005;1006;1007;1015;1016l",
    "\x1b[?1004;2031;2048;2004;5522;2026l",
    // Extended keys; colours, the pointer, links.
    "\x1b[=0;1u\x1b[>4m\x1b]104\x07\x1b]110\x07\x1b]111\x07\x1b]112\x07\x1b]117\x07\x1b]119\x07",
    "\x1b]22;\x07\x1b]8;;\x07",
    // The alternate screen; leaving it restores the cursor position.
    "\x1b[?1049l\x1b[?47l",
    // Charsets, style, cursor.
    "\x1b(B\x1b)B\x1b*B\x1b+B\x0f\x1b[m\x1b[0\"q\x1b[?25h\x1b[0 q",
);

/// Modes whose default is the user's choice, which xterm and similar terminals can save and restore: Backspace, 8 bits,
/// Meta, repeating keys.
const SAVE_MODES: &str = "\x1b[?67;1034;1036;1039;8s";
const RESTORE_MODES: &str = "\x1b[?67;1034;1036;1039;8r";

const TAB_COLS: i64 = 8;

/// xterm keeps titles on a stack.
const SAVE_TITLE: &str = "\x1b[22;0t";
const RESTORE_TITLE: &str = "\x1b[23;0t";

/// The user's terminal while it shows a session; dropping it restores the terminal.
#[derive(Debug)]
pub(crate) struct UserScreen {
    raw: Option<RawMode>,
    title: String,
}

/// Where the shell continues after the terminal is restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Below {
    /// After the last row, which may be in use.
    All,
    /// After this many rows.
    Rows(u16),
    /// This many rows below the cursor.
    Under(u16),
    /// At the cursor position from before the alternate screen.
    Cursor,
    Here,
}

/// DECSC and DECRC; everything that they restore besides the cursor is reset.
const SAVE_CURSOR: &str = "\x1b7";
const RESTORE_CURSOR: &str = "\x1b8\x1b[m\x1b(B\x0f\x1b[?25h";

impl UserScreen {
    /// Takes the terminal. Its content is scrolled into its scrollback; the title says what it shows now.
    pub(crate) fn enter(title: String) -> io::Result<Self> {
        let raw = Some(RawMode::enter()?);
        let screen = Self { raw, title };
        let rows = terminal_size().map_or(24, |size| size.rows);
        let up = "\n".repeat(usize::try_from(rows).unwrap_or(0));
        let title = printable(&screen.title);
        let start = format!("{SAVE_TITLE}\x1b]2;{title}\x07{SAVE_MODES}\x1b[{rows};1H{up}");
        raw_stdout().write_all(start.as_bytes())?;
        Ok(screen)
    }

    pub(crate) fn show(&mut self, bytes: &[u8]) -> io::Result<()> {
        raw_stdout().write_all(bytes)
    }

    pub(crate) fn leave(&mut self, below: Below) {
        if let Some(raw) = self.raw.take() {
            let place = match below {
                Below::All => "\x1b[999;1H\r\n".to_owned(),
                Below::Rows(0) => "\x1b[H".to_owned(),
                Below::Rows(rows) => format!("\x1b[{rows};1H\r\n"),
                Below::Under(rows) => {
                    format!("{RESTORE_CURSOR}\r{}", "\n".repeat(usize::from(rows)))
                }
                Below::Cursor => "\r\n".to_owned(),
                Below::Here => RESTORE_CURSOR.to_owned(),
            };
            let start = match below {
                Below::Here | Below::Under(_) => SAVE_CURSOR,
                _ => "",
            };
            // If the terminal was closed, nobody will see this.
            let tabs = tab_stops(terminal_size().map_or(80, |size| size.cols));
            let end = format!("{start}{tabs}{RESET}{RESTORE_MODES}{place}{RESTORE_TITLE}");
            let _ = raw_stdout().write_all(end.as_bytes());
            drop(raw);
        }
    }

    /// Takes the terminal again after [`leave`](Self::leave), or after another program used it.
    pub(crate) fn enter_again(&mut self) -> io::Result<()> {
        match &self.raw {
            Some(raw) => raw.again(),
            None => {
                *self = Self::enter(std::mem::take(&mut self.title))?;
                Ok(())
            }
        }
    }
}

impl Drop for UserScreen {
    fn drop(&mut self) {
        self.leave(Below::All);
    }
}

/// Sets the usual tab stops, which programs may have changed.
fn tab_stops(cols: i64) -> String {
    let count = usize::try_from((cols - 1) / TAB_COLS).unwrap_or(0);
    format!("\x1b[3g\r{}", "\x1b[8C\x1bH".repeat(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tab_stops_lie_within_the_terminal() {
        assert_eq!(tab_stops(8), "\x1b[3g\r");
        assert_eq!(tab_stops(17), "\x1b[3g\r\x1b[8C\x1bH\x1b[8C\x1bH");
        assert_eq!(tab_stops(80).matches("\x1bH").count(), 9);
    }
}
