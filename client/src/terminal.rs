//! The user's own terminal: its size, and raw mode that is always restored.

use crate::args::Size;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use signal_hook::consts::{
    SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP, SIGUSR1,
    SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
};
use std::io::{self, IsTerminal as _};

/// Signals that end a program which does not handle them. A program that has changed the terminal must handle them.
/// Signals that report a bug are not among them, because nothing can be relied on after one.
pub(crate) const ENDING_SIGNALS: [i32; 15] = [
    SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP, SIGUSR1,
    SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
];

/// Most bytes that are sent at once: less than a terminal keeps of a line, 4,096 bytes on Linux and 1,024 elsewhere. A
/// longer line would be refused; input of a person is truncated by the program's terminal, as by any terminal.
pub(crate) const MAX_KEYS_LEN: usize = if cfg!(target_os = "linux") {
    4000
} else {
    1000
};

/// Raw mode of standard input; dropping this restores the former mode.
#[derive(Debug)]
pub(crate) struct RawMode {
    before: Termios,
}

impl RawMode {
    /// Switches to raw mode: each key goes to the program, and only its output is shown.
    pub(crate) fn enter() -> io::Result<Self> {
        let mode = Self {
            before: tcgetattr(io::stdin())?,
        };
        mode.again()?;
        Ok(mode)
    }

    /// Switches to raw mode again, after another program has changed the terminal.
    pub(crate) fn again(&self) -> io::Result<()> {
        let mut raw = self.before.clone();
        raw.make_raw();
        Ok(tcsetattr(io::stdin(), OptionalActions::Drain, &raw)?)
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        // Unread keys are left for the shell.
        let _ = tcsetattr(io::stdin(), OptionalActions::Drain, &self.before);
    }
}

/// True if standard input and output are a terminal that can be drawn on.
pub(crate) fn can_draw() -> bool {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb
}

/// Returns the number of columns of the terminal on standard output; `None` if it reports no size.
pub(crate) fn output_columns() -> Option<usize> {
    let size = tcgetwinsize(io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|&columns| columns > 0)
}

/// Returns the size of the terminal on standard output, error or input, whichever is one.
pub(crate) fn terminal_size() -> Option<Size> {
    let size = tcgetwinsize(io::stdout())
        .or_else(|_| tcgetwinsize(io::stderr()))
        .or_else(|_| tcgetwinsize(io::stdin()))
        .ok()?;
    // A terminal without a size reports 0.
    (size.ws_row > 0 && size.ws_col > 0).then(|| Size {
        rows: i64::from(size.ws_row),
        cols: i64::from(size.ws_col),
    })
}
