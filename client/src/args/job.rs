//! `ccctl job`.

use super::value::{count, seconds};
use clap::Subcommand;

/// What to do with jobs.
#[derive(Debug, Subcommand)]
pub(crate) enum JobVerb {
    /// List jobs, newest first
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  ccctl job list
  ccctl job list --limit 10 --json"
    )]
    List {
        /// At most so many [default: 100]
        #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
        limit: Option<u64>,
    },
    /// Show a job
    #[command(
        visible_alias = "show",
        after_help = "Examples:
  ccctl job show 7f3c
  ccctl job get 7f3c --wait 60 --json"
    )]
    Get {
        /// The job's id
        job: String,
        /// Wait so many seconds for its end
        #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = seconds)]
        wait: Option<f64>,
    },
    /// Ask a job to stop
    #[command(after_help = "Examples:
  ccctl job cancel 7f3c")]
    Cancel {
        /// The job's id
        job: String,
    },
    /// Show a job whenever it changes, until it ends
    #[command(
        visible_alias = "tail",
        after_help = "Examples:
  ccctl job subscribe 7f3c --json"
    )]
    Subscribe {
        /// The job's id
        job: String,
    },
}
