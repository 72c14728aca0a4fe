//! The end of the process.

use std::num::NonZeroU32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
}

impl Exit {
    /// Returns its exit code, unless a signal ended it.
    #[must_use]
    pub fn code(self) -> Option<i32> {
        match self {
            Self::Code(code) => Some(code),
            Self::Signal(_) => None,
        }
    }
}

/// Why the daemon ended the process, if it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    TimeLimit {
        limit_s: u64,
    },
    /// It had printed nothing for the time of `stall_timeout`.
    Stalled {
        limit_s: u64,
    },
    Cancelled,
    /// It had printed its result, and did not exit within the grace.
    Grace,
    /// A run of an earlier daemon, which could not be adopted.
    DaemonRestarted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending<'a> {
    pub exit: Exit,
    pub cause: Option<Cause>,
    /// The end of standard error is enough.
    pub stderr: &'a str,
    /// The run's own limit, to name it.
    pub max_turns: Option<NonZeroU32>,
}
