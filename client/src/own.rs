//! This program once more, for verbs that take the terminal over.

use crate::args::Global;
use std::io;
use std::process::{Command, ExitStatus};

/// Returns the global options as they would be typed, for another run on the same daemon.
pub(crate) fn options(global: &Global) -> Vec<String> {
    let mut words = Vec::new();
    if let Some(socket) = &global.socket {
        words.extend(["--socket".to_owned(), socket.clone()]);
    }
    if global.no_start {
        words.push("--no-start".to_owned());
    }
    words
}

/// Runs `ccctl` with these words on this terminal until it ends.
///
/// A process of its own has the signals and the modes of the terminal to itself.
///
/// # Errors
///
/// Those of the system when it cannot be started.
pub(crate) fn run(words: &[String]) -> io::Result<ExitStatus> {
    Command::new(std::env::current_exe()?).args(words).status()
}
