//! `ccctl top`.

use super::value::interval;
use clap::{Args, ValueEnum};
use std::time::Duration;

/// Arguments of `top`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl top
  ccctl top --all --sort idle --interval 5
  ccctl top --json | jq -c '[.sessions[] | select(.waiting_for_input.verdict == \"blocked\") | .name]'
  ccctl top --json --once

Keys: up and down choose a session; a or Enter attaches, r reads its last lines, p shows its screen below, s sends a
signal, c closes; / filters, o sorts, e shows ended ones too, ? tells more, q leaves.
With --json a document like that of session list comes each time, one a line, and no terminal is needed.")]
pub(crate) struct TopArgs {
    /// Ended ones too
    #[arg(short, long)]
    pub(crate) all: bool,
    /// Ask the daemon every so many seconds, 0.1 to 3600
    #[arg(short, long, value_name = "S", allow_negative_numbers = true, value_parser = interval, default_value = "1")]
    pub(crate) interval: Duration,
    /// What comes first
    #[arg(long, value_enum, default_value_t)]
    pub(crate) sort: Sort,
    /// Print the list once and leave
    #[arg(long)]
    pub(crate) once: bool,
}

/// What comes first in a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    /// The oldest
    #[default]
    Started,
    /// What waits for input
    Waits,
    /// What was used last
    Idle,
    /// What printed most
    Output,
    /// The first of the alphabet
    Name,
}

impl Sort {
    /// The one that follows, in a circle.
    pub(crate) fn next(self) -> Self {
        let all = Self::value_variants();
        let at = all.iter().position(|sort| *sort == self).unwrap_or(0);
        all[(at + 1) % all.len()]
    }

    /// Its name, as on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Sort::Started => "started",
            Sort::Waits => "waits",
            Sort::Idle => "idle",
            Sort::Output => "output",
            Sort::Name => "name",
        }
    }
}
