//! `ccctl job`.

use super::offer::NameKind;
use super::value::{count, seconds};
use clap::Subcommand;

/// Commands for jobs.
#[derive(Debug, Subcommand)]
pub(crate) enum JobVerb {
    /// List jobs, newest first
    #[command(visible_alias = "ls")]
    List {
        /// List at most N jobs [default: 100]
        #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
        limit: Option<u64>,
    },
    /// Show a job
    #[command(visible_alias = "show")]
    Get {
        /// Job id, or a unique prefix of one
        #[arg(add = NameKind::Jobs)]
        job: String,
        /// Wait up to SECONDS for the job to end
        #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
        wait: Option<f64>,
    },
    /// Cancel a job
    Cancel {
        /// Job id, or a unique prefix of one
        #[arg(add = NameKind::Jobs)]
        job: String,
    },
    /// Print a job each time it changes, until it ends
    #[command(visible_alias = "tail")]
    Subscribe {
        /// Job id, or a unique prefix of one
        #[arg(add = NameKind::Jobs)]
        job: String,
    },
}
