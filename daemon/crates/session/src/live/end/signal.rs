//! Signals to the program in the foreground.

use crate::live::error::SessionError;
use crate::live::session::Session;
use ccd_protocol::session::SessionSignalParams;
use rustix::process::{Pid, Signal, kill_process_group};
use rustix::termios::tcgetpgrp;

/// Signals by name, without the prefix SIG.
const SIGNALS: &[(&str, Signal)] = &[
    ("HUP", Signal::HUP),
    ("INT", Signal::INT),
    ("QUIT", Signal::QUIT),
    ("KILL", Signal::KILL),
    ("USR1", Signal::USR1),
    ("USR2", Signal::USR2),
    ("PIPE", Signal::PIPE),
    ("ALRM", Signal::ALARM),
    ("TERM", Signal::TERM),
    ("CHLD", Signal::CHILD),
    ("CONT", Signal::CONT),
    ("STOP", Signal::STOP),
    ("TSTP", Signal::TSTP),
    ("TTIN", Signal::TTIN),
    ("TTOU", Signal::TTOU),
    ("WINCH", Signal::WINCH),
    ("ABRT", Signal::ABORT),
    ("SEGV", Signal::SEGV),
];

impl Session {
    /// Sends a signal to the foreground process group of the terminal.
    pub fn signal(&self, params: &SessionSignalParams) -> Result<(), SessionError> {
        let signal = signal_named(&params.signal)?;
        self.require_alive()?;
        if signal == Signal::INT {
            self.half_line.interrupted();
        }
        let taken_over = self.taken_over();
        let acting = taken_over.as_deref().unwrap_or(self);
        let foreground = acting
            .input
            .master()
            .and_then(|master| tcgetpgrp(&*master).ok());
        let group = foreground.or_else(|| Pid::from_raw(acting.facts.pid));
        match group.map(|group| kill_process_group(group, signal)) {
            Some(Ok(())) => Ok(()),
            Some(Err(error)) => Err(SessionError::Terminal(error.into())),
            None => self.require_alive(),
        }
    }
}

fn signal_named(text: &str) -> Result<Signal, SessionError> {
    let upper = text.to_ascii_uppercase();
    let name = upper.strip_prefix("SIG").unwrap_or(&upper);
    let by_name = SIGNALS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|known| known.1);
    let by_number = || Signal::from_named_raw(text.parse().ok()?);
    by_name.or_else(by_number).ok_or_else(|| {
        let names: Vec<&str> = SIGNALS.iter().map(|known| known.0).collect();
        SessionError::InvalidArgument(format!(
            "{text:?} is not a signal that can be sent: give a number from 1 to 31 or one of {}",
            names.join(" ")
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_names_and_numbers() {
        for text in ["int", "SIGINT", "INT", "2"] {
            assert_eq!(signal_named(text).unwrap(), Signal::INT, "{text}");
        }
        for text in ["", "SIG", "0", "-9", "99", "BREAK"] {
            assert!(signal_named(text).is_err(), "{text}");
        }
    }
}
