//! `ccctl top`.

use super::value::interval;
use clap::{Args, ValueEnum};
use std::time::Duration;

/// Arguments of `top`.
#[derive(Debug, Args)]
pub(crate) struct TopArgs {
    /// Include ended sessions
    #[arg(short, long)]
    pub(crate) all: bool,
    /// Refresh interval in seconds, 0.1 to 3600
    #[arg(short, long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = interval, default_value = "1")]
    pub(crate) interval: Duration,
    /// Sort order
    #[arg(long, value_enum, default_value_t)]
    pub(crate) sort: Sort,
    /// Print the list once and exit
    #[arg(long)]
    pub(crate) once: bool,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    /// Oldest first
    #[default]
    Started,
    /// Waiting for input first
    Waits,
    /// Most recently used first
    Idle,
    /// Most output first
    Output,
    /// Alphabetical by name
    Name,
}

impl Sort {
    /// The next order, in a circle.
    pub(crate) fn next(self) -> Self {
        let all = Self::value_variants();
        let at = all.iter().position(|sort| *sort == self).unwrap_or(0);
        all[(at + 1) % all.len()]
    }

    /// The name on the command line.
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}
