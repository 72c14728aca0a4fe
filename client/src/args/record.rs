//! `ccctl rec`, `play` and `proxy`.

use super::session_output::LeavingArgs;
use super::tape_options::TapeArgs;
use super::value::{Size, size, timeout, variable};
use ccd_protocol::Timeout;
use clap::Args;

/// Arguments of `rec`, `play` and `proxy`: a program, and how tapes are used.
#[derive(Debug, Args)]
pub(crate) struct RecordArgs {
    #[command(flatten)]
    pub(crate) tape: TapeArgs,
    /// Template of a new tape's name: {program}, {tag}, {verb}, {time}, {random} [default: {program}/{tag}-{time}-{random}]
    #[arg(long, value_name = "TEMPLATE", help_heading = "Tape options")]
    pub(crate) name: Option<String>,
    /// Seconds after which the program is ended, or none [default: none]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
    /// Working directory [default: this one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Set a variable; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Start from a clean environment instead of this one
    #[arg(long)]
    pub(crate) clean_env: bool,
    /// ROWSxCOLS [default: this terminal's, else 24x80]
    #[arg(long, value_parser = size, value_name = "ROWSxCOLS")]
    pub(crate) size: Option<Size>,
    #[command(flatten)]
    pub(crate) leaving: LeavingArgs,
    /// The program and its arguments, passed on as they are
    #[arg(trailing_var_arg = true, required = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<String>,
}
