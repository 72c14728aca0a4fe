//! `ccctl rec` and `play`.

use super::session_create::CallerArgs;
use super::session_output::DetachArgs;
use super::tape_options::NamedTapeArgs;
use super::value::{Size, size, timeout};
use ccd_protocol::Timeout;
use clap::{Args, ValueHint};

/// Arguments of `rec` and `play`. What a command has no use for is hidden from its help.
#[derive(Debug, Args)]
pub(crate) struct RecordArgs {
    /// End the program, or its replay, after SECONDS; none: no limit [default: none]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
    #[command(flatten)]
    pub(crate) caller: CallerArgs,
    /// Terminal size [default: the size of this terminal, or 80x24]
    #[arg(long, value_parser = size, value_name = "COLSxROWS")]
    pub(crate) size: Option<Size>,
    #[command(flatten)]
    pub(crate) detach: DetachArgs,
    /// Program and its arguments, used unchanged
    #[arg(trailing_var_arg = true, required = true, value_name = "PROGRAM")]
    #[arg(value_hint = ValueHint::CommandWithArguments)]
    pub(crate) program: Vec<String>,
    #[command(flatten)]
    pub(crate) tape: NamedTapeArgs,
}
