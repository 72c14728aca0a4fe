//! `ccctl expect` and `ccctl wait`.

use super::offer::NameKind;
use super::value::{count, milliseconds, timeout};
use ccd_protocol::Timeout;
use clap::Args;

/// Arguments of `expect`.
#[derive(Debug, Args)]
pub(crate) struct ExpectArgs {
    /// Id, name, or unique prefix of an id
    #[arg(add = NameKind::LiveSessions)]
    pub(crate) session: String,
    /// Regular expressions; the one that matches earliest in the output wins
    #[arg(required_unless_present = "eof", value_name = "PATTERN")]
    pub(crate) patterns: Vec<String>,
    /// Treat patterns as plain text
    #[arg(long)]
    pub(crate) exact: bool,
    /// Also succeed when the program exits
    #[arg(long)]
    pub(crate) eof: bool,
    /// Start at this byte offset in the output instead of the session's read position, and do not move that position
    #[arg(long, value_name = "OFFSET", allow_negative_numbers = true, value_parser = count)]
    pub(crate) from: Option<u64>,
    /// Include control sequences in the text that is matched
    #[arg(long)]
    pub(crate) raw: bool,
    /// Wait up to SECONDS; none: no limit [default: the session's timeout]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
}

/// Arguments of `wait`.
#[derive(Debug, Args)]
pub(crate) struct WaitArgs {
    /// Id, name, or unique prefix of an id
    #[arg(add = NameKind::Sessions)]
    pub(crate) session: String,
    #[command(flatten)]
    pub(crate) condition: WaitCondition,
    /// Wait up to SECONDS; none: no limit [default: none with --exit, otherwise the session's timeout]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
}

/// The condition of `wait`.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct WaitCondition {
    /// Wait until the program exits
    #[arg(long)]
    pub(crate) exit: bool,
    /// Wait until there has been no output for MS milliseconds
    #[arg(long, value_name = "MS", allow_negative_numbers = true, value_parser = milliseconds)]
    pub(crate) idle: Option<f64>,
    /// Wait until the program waits for input and shows a prompt
    #[arg(long)]
    pub(crate) prompt: bool,
    /// Wait until the program waits for input
    #[arg(long)]
    pub(crate) input: bool,
    /// Wait until there is output after this byte offset
    #[arg(long, value_name = "OFFSET", allow_negative_numbers = true, value_parser = count)]
    pub(crate) output: Option<u64>,
}
