//! Runs this program again, for commands that take over the terminal.

use crate::args::Global;
use std::io;
use std::process::{Command, ExitStatus};

/// Returns the global options as words, for another run with the same daemon.
pub(crate) fn options(global: &Global) -> Vec<String> {
    let mut words = Vec::new();
    if let Some(socket) = &global.socket {
        words.extend(["--socket".to_owned(), socket.clone()]);
    }
    if let Some(host) = &global.host {
        words.extend(["--host".to_owned(), host.clone()]);
    }
    if global.no_start {
        words.push("--no-start".to_owned());
    }
    words
}

/// Runs `ccctl` with these words in this terminal until it exits.
/// A separate process handles signals and the modes of the terminal by itself.
pub(crate) fn run(words: &[String]) -> io::Result<ExitStatus> {
    Command::new(std::env::current_exe()?).args(words).status()
}

/// As [`run`], for a command that shows a text in the pager: the pager stays until the user leaves it, even if everything
/// fits on the screen, because another screen follows.
pub(crate) fn run_paged(words: &[String]) -> io::Result<ExitStatus> {
    let mut command = Command::new(std::env::current_exe()?);
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", "R");
    }
    command.args(words).status()
}
