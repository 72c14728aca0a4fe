//! `ccctl session expect` and `ccctl session wait`.

use super::value::{count, milliseconds, timeout};
use ccd_protocol::Timeout;
use clap::Args;

/// Arguments of `session expect`.
#[derive(Debug, Args)]
pub(crate) struct ExpectArgs {
    /// Id, name, or unique prefix of an id
    pub(crate) session: String,
    /// Regular expressions; the one that matches earliest wins
    #[arg(required_unless_present = "eof", value_name = "PATTERN")]
    pub(crate) patterns: Vec<String>,
    /// Patterns are plain text
    #[arg(long)]
    pub(crate) exact: bool,
    /// The end of the program is a match too
    #[arg(long)]
    pub(crate) eof: bool,
    /// Start at this offset, and leave the session's cursor alone
    #[arg(long, value_name = "OFFSET", allow_negative_numbers = true, value_parser = count)]
    pub(crate) from: Option<u64>,
    /// Match control sequences too
    #[arg(long)]
    pub(crate) raw: bool,
    /// Seconds to wait, or none [default: the session's]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
}

/// Arguments of `session wait`.
#[derive(Debug, Args)]
pub(crate) struct WaitArgs {
    /// Id, name, or unique prefix of an id
    pub(crate) session: String,
    #[command(flatten)]
    pub(crate) condition: WaitCondition,
    /// Seconds to wait, or none [default: none for --exit, else the session's]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
}

/// What `session wait` waits for.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct WaitCondition {
    /// The program has ended
    #[arg(long)]
    pub(crate) exit: bool,
    /// No output for so many milliseconds
    #[arg(long, value_name = "MS", allow_negative_numbers = true, value_parser = milliseconds)]
    pub(crate) idle: Option<f64>,
    /// The program waits for input and shows a prompt
    #[arg(long)]
    pub(crate) prompt: bool,
    /// The program waits for input
    #[arg(long)]
    pub(crate) input: bool,
}
