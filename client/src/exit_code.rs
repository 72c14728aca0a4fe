//! Exit statuses of ccctl.

use ccd_protocol::{Category, ErrorCode};
use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done,
    Failed,
    /// The command line, or a value in it, is wrong.
    Usage,
    NoDaemon,
    NotFound,
    /// Refused because of a limit, a conflict or a policy.
    Refused,
    TimedOut,
    Internal,
    /// The reader of standard output has closed it.
    BrokenPipe,
    /// The exit status of the program that was run.
    Program(u8),
}

/// A shell reports a program killed by signal N as this number plus N.
const SIGNAL_BASE: i32 = 128;
const SIGPIPE: u8 = 13;

impl Exit {
    /// The number, and the word for programs.
    fn code_and_kind(self) -> (u8, &'static str) {
        match self {
            Exit::Done => (0, "done"),
            Exit::Failed => (1, "failed"),
            Exit::Usage => (2, "usage"),
            Exit::NoDaemon => (3, "no_daemon"),
            Exit::NotFound => (4, "not_found"),
            Exit::Refused => (5, "refused"),
            Exit::TimedOut => (124, "timed_out"),
            Exit::Internal => (125, "internal"),
            Exit::BrokenPipe => (128 + SIGPIPE, "broken_pipe"),
            Exit::Program(code) => (code, "program"),
        }
    }

    pub(crate) fn code(self) -> u8 {
        self.code_and_kind().0
    }

    pub(crate) fn kind(self) -> &'static str {
        self.code_and_kind().1
    }

    pub(crate) fn of_success(is_success: bool) -> Self {
        if is_success { Exit::Done } else { Exit::Failed }
    }

    /// The status that a shell would report for a program that exited by itself or was killed by `signal`.
    /// If both are missing, because the daemon was killed, it is [`Exit::Internal`].
    pub(crate) fn of_program(exitstatus: Option<i32>, signal: Option<i32>) -> Self {
        let code = exitstatus.or(signal.map(|signal| SIGNAL_BASE + signal));
        match code.and_then(|code| u8::try_from(code).ok()) {
            Some(code) => Exit::Program(code),
            None => Exit::Internal,
        }
    }

    /// As [`Self::of_program`], of a record with the status or the signal of an end.
    pub(crate) fn of_end(end: &Value) -> Self {
        let number = |name: &str| {
            end[name]
                .as_i64()
                .and_then(|number| i32::try_from(number).ok())
        };
        let status = number("exitstatus").or_else(|| number("exit_code"));
        Self::of_program(status, number("signal"))
    }

    pub(crate) fn of_error(code: ErrorCode) -> Self {
        match code.category() {
            Category::Failed => Exit::Failed,
            Category::Usage => Exit::Usage,
            Category::NotFound => Exit::NotFound,
            Category::Refused => Exit::Refused,
            Category::TimedOut => Exit::TimedOut,
            Category::Internal => Exit::Internal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_fails_with_a_documented_status() {
        for &code in ErrorCode::ALL {
            let status = Exit::of_error(code).code();
            assert!([1, 2, 4, 5, 124, 125].contains(&status), "{code:?}");
        }
    }

    #[test]
    fn programs_are_told_as_shells_do() {
        assert_eq!(Exit::of_program(Some(7), None).code(), 7);
        assert_eq!(Exit::of_program(None, Some(15)).code(), 143);
        assert_eq!(Exit::of_program(None, None), Exit::Internal);
    }
}
