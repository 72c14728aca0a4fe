//! The modes of a copy's terminal.

use rustix::termios::{LocalModes, OutputModes, Termios, tcgetattr};
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// A terminal, which stays open as long as this lives.
#[derive(Debug, Clone)]
pub struct Terminal(Arc<OwnedFd>);

impl Terminal {
    pub(super) fn new(master: Arc<OwnedFd>) -> Self {
        Self(master)
    }

    /// Returns whether the program is given whole lines, not keys.
    pub fn is_canonical(&self) -> bool {
        self.modes()
            .is_some_and(|modes| modes.local_modes.contains(LocalModes::ICANON))
    }

    /// Returns whether a shell could go on here as if the program had never run: lines, their echo, and line ends.
    pub fn is_restored(&self) -> bool {
        self.modes().is_none_or(|modes| {
            modes
                .local_modes
                .contains(LocalModes::ICANON | LocalModes::ECHO)
                && modes
                    .output_modes
                    .contains(OutputModes::OPOST | OutputModes::ONLCR)
        })
    }

    fn modes(&self) -> Option<Termios> {
        tcgetattr(&self.0).ok()
    }
}
