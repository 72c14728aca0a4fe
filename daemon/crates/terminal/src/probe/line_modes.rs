//! The terminal's line discipline, as far as sessions need it.

use std::os::fd::BorrowedFd;

use rustix::termios::{LocalModes, OutputModes, tcgetattr};

/// The current modes of a terminal for input and output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct LineModes {
    /// Input is passed on line by line, after editing keys are applied.
    pub canonical: bool,
    /// Input is echoed.
    pub echo: bool,
    /// Each printed `\n` arrives as `\r\n`.
    pub opost_onlcr: bool,
}

impl LineModes {
    /// Returns the modes of the terminal of `master`; costs one `tcgetattr`.
    /// If they cannot be read (the terminal has hung up, or the platform forbids it), all modes are off. That is taken
    /// for raw mode, in which input is only recorded once the terminal has shown it: the safe choice.
    pub fn read(master: BorrowedFd<'_>) -> Self {
        let Ok(modes) = tcgetattr(master) else {
            return Self::default();
        };
        Self {
            canonical: modes.local_modes.contains(LocalModes::ICANON),
            echo: modes.local_modes.contains(LocalModes::ECHO),
            opost_onlcr: modes
                .output_modes
                .contains(OutputModes::OPOST | OutputModes::ONLCR),
        }
    }

    /// Returns whether a program has taken over the terminal, or hides input.
    #[cfg(not(portable))]
    pub(super) fn is_changed(&self) -> bool {
        !(self.canonical && self.echo)
    }

    /// Returns whether the program hides input, as a password prompt does.
    /// Echo off alone is not enough: line editors and full-screen programs turn it off together with canonical mode.
    pub fn hides_input(&self) -> bool {
        self.canonical && !self.echo
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use rustix::termios::{OptionalActions, tcsetattr};

    use super::*;

    #[test]
    fn a_line_follows_the_terminal() {
        let (pty, _pts) = pty_process::blocking::open().unwrap();
        let mut modes = tcgetattr(pty.as_fd()).unwrap();
        let assert_is = |canonical, echo, opost_onlcr| {
            let line = LineModes::read(pty.as_fd());
            let expected = LineModes {
                canonical,
                echo,
                opost_onlcr,
            };
            assert_eq!(line, expected);
            assert_eq!(line.hides_input(), canonical && !echo);
        };
        assert_is(true, true, true);
        modes.local_modes.remove(LocalModes::ECHO);
        modes.output_modes.remove(OutputModes::ONLCR);
        tcsetattr(pty.as_fd(), OptionalActions::Now, &modes).unwrap();
        assert_is(true, false, false);
        modes.make_raw();
        tcsetattr(pty.as_fd(), OptionalActions::Now, &modes).unwrap();
        assert_is(false, false, false);
    }

    #[test]
    fn what_is_no_terminal_reads_as_raw() {
        let file = std::fs::File::open("/dev/null").unwrap();
        assert_eq!(LineModes::read(file.as_fd()), LineModes::default());
    }
}
