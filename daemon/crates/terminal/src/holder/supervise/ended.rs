//! How a daemon ended.

use super::super::ring::Exit;

#[derive(Debug)]
pub enum DaemonEnd {
    /// With its worker, which was asked to end or never served.
    Worker(Exit),
    /// After this many workers in a row that did not serve, the last of which ended like this.
    TooManyRestarts(u32, Exit),
    /// For an unknown reason.
    Lost,
}

impl std::fmt::Display for DaemonEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Worker(exit) => write!(f, "the worker ended with {exit}"),
            Self::TooManyRestarts(count, exit) => write!(
                f,
                "{count} workers in a row ended before they served; the last one with {exit}"
            ),
            Self::Lost => write!(f, "contact with the worker was lost"),
        }
    }
}
