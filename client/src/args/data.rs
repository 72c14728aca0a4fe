//! `ccctl data`.

use super::value::{named, time, word};
use ccd_protocol::data::DataPart;
use clap::{Args, Subcommand, ValueHint};

/// Arguments of `ccctl data`.
#[derive(Debug, Args)]
pub(crate) struct DataArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<DataVerb>,
}

/// Commands for what is kept.
#[derive(Debug, Subcommand)]
pub(crate) enum DataVerb {
    /// Delete what ccd keeps, after a preview
    Forget(DataForgetArgs),
}

/// Arguments of `data forget`.
#[derive(Debug, Args)]
pub(crate) struct DataForgetArgs {
    /// Delete only these parts [default: all]
    #[arg(value_name = "PART", ignore_case = true, value_parser = word(DataPart::ALL.map(DataPart::name), named::<DataPart>))]
    pub(crate) parts: Vec<DataPart>,
    /// Delete only the data of this directory
    #[arg(long, value_name = "DIR")]
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) project: Option<String>,
    /// Delete only what is older: 90d, 2026-01-31 (UTC) or 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) before: Option<String>,
    /// Show what would be deleted, without deleting it
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// Delete without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
}
