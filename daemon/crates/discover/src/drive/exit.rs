//! How a program ended.

use rustix::process::Signal;

/// Signals that ask a program to end.
const REQUESTS: [Signal; 4] = [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM];

/// The exit status of a program, or the signal that ended it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exit {
    pub code: Option<i32>,
    pub signal: Option<i32>,
}

impl Exit {
    /// Returns the status as shells report it: 128 + N after signal N.
    pub fn status(self) -> i32 {
        match (self.code, self.signal) {
            (Some(code), _) => code,
            (None, Some(signal)) => 128 + signal,
            (None, None) => 0,
        }
    }

    /// Returns the name of the signal that ended it.
    pub fn signal_name(self) -> Option<String> {
        self.signal.map(signal_name)
    }

    /// Returns whether a fault of the program ended it, rather than somebody who asked it to end.
    pub fn is_crash(self) -> bool {
        let is_request = |signal| REQUESTS.iter().any(|request| request.as_raw() == signal);
        self.signal.is_some_and(|signal| !is_request(signal))
    }
}

/// Returns the name of a signal, for example `SIGSEGV`.
pub fn signal_name(signal: i32) -> String {
    let name = signal_hook::low_level::signal_name(signal);
    name.map_or_else(|| format!("signal {signal}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_to_end_is_no_crash() {
        let by = |signal| Exit {
            code: None,
            signal: Some(signal),
        };
        assert!(by(11).is_crash() && by(6).is_crash() && by(9).is_crash());
        assert!(!by(2).is_crash() && !by(15).is_crash());
        assert_eq!(by(11).signal_name().as_deref(), Some("SIGSEGV"));
        assert_eq!(
            (
                by(2).status(),
                Exit {
                    code: Some(3),
                    signal: None
                }
                .status()
            ),
            (130, 3)
        );
        assert_eq!(signal_name(40), "signal 40");
    }
}
