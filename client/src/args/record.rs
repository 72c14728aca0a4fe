//! `ccctl rec`, `play` and `proxy`.

use super::session_create::CallerArgs;
use super::session_output::DetachArgs;
use super::tape_options::TapeArgs;
use super::value::{Size, size, timeout};
use ccd_protocol::Timeout;
use clap::Args;

/// Arguments of `rec`, `play` and `proxy`. What a command has no use for is hidden from its help.
#[derive(Debug, Args)]
pub(crate) struct RecordArgs {
    /// End the program, or its replay, after S seconds; none: no limit [default: none]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
    #[command(flatten)]
    pub(crate) caller: CallerArgs,
    /// Terminal size [default: the size of this terminal, or 24x80]
    #[arg(long, value_parser = size, value_name = "ROWSxCOLS")]
    pub(crate) size: Option<Size>,
    #[command(flatten)]
    pub(crate) detach: DetachArgs,
    /// Program and its arguments, used unchanged
    #[arg(trailing_var_arg = true, required = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<String>,
    #[command(flatten)]
    pub(crate) tape: TapeArgs,
    /// Name a new tape by this template of {program}, {tag}, {verb} (the first argument), {time} and {random} [default: configuration key replay.name]
    #[arg(long, value_name = "TEMPLATE", help_heading = "Tape options")]
    pub(crate) name: Option<String>,
}
