//! What the worker and the supervisor say to each other.

use crate::process_settings::ProcessSettings;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The first argument of a supervisor.
pub(super) const ARGUMENT: &str = "--supervise";

/// A program to be started, passed as a file in memory with the first message. Its standard output and error are those of
/// the supervisor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupervisedProgram {
    /// Absolute.
    pub path: String,
    pub arguments: Vec<String>,
    pub cwd: std::path::PathBuf,
    /// The whole environment.
    pub env: Vec<(String, String)>,
    pub settings: ProcessSettings,
}

/// How a program is asked to end: INT at once, TERM and KILL later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum EndPace {
    /// TERM after 5 s, KILL after 7 s: it can finish what it writes.
    Patient,
    /// TERM after 1 s, KILL after 2 s.
    Quick,
}

impl EndPace {
    /// Returns the time until TERM, and until KILL.
    pub(super) fn times(self) -> [Duration; 2] {
        let seconds = match self {
            Self::Patient => [5, 7],
            Self::Quick => [1, 2],
        };
        seconds.map(Duration::from_secs)
    }
}

/// What the supervisor reports, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Report {
    Started {
        pid: i32,
    },
    /// The kernel's error number. Nothing follows.
    NotStarted {
        errno: i32,
    },
    Exited(ProgramEnd),
    /// Everything that the program has started has ended; `left` processes could not be killed within a few seconds.
    Gone {
        left: u32,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProgramEnd {
    Code(i32),
    Signal(i32),
}
