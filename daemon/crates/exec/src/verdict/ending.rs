//! The end of the process.

use ccd_terminal::supervised::ProgramEnd;
use std::num::NonZeroU32;

/// Returns the exit code of a process, unless a signal ended it.
pub(crate) fn exit_code(exit: ProgramEnd) -> Option<i32> {
    match exit {
        ProgramEnd::Code(code) => Some(code),
        ProgramEnd::Signal(_) => None,
    }
}

/// Why the daemon ended the process, if it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndCause {
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
pub(crate) struct RunEnding<'a> {
    pub(crate) exit: ProgramEnd,
    pub(crate) cause: Option<EndCause>,
    /// The end of standard error is enough.
    pub(crate) stderr: &'a str,
    /// The run's own limit, to name it.
    pub(crate) max_turns: Option<NonZeroU32>,
}
