//! What looks at a session's output: `read`, `screen`, `tail`, `history`.

use super::value::count;
use crate::detach_keys::{DetachKeys, detach_keys};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `session read`.
#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// Id, name, or unique prefix of an id
    pub(crate) session: String,
    /// Offset of the first byte
    #[arg(long, value_name = "OFFSET", allow_negative_numbers = true, value_parser = count)]
    pub(crate) since: Option<u64>,
    /// So many lines: the first with --since, else the last
    #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub(crate) lines: Option<u64>,
    /// So many bytes: the first with --since, else the last
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub(crate) bytes: Option<u64>,
    /// Bytes as they came, control sequences included
    #[arg(long)]
    pub(crate) raw: bool,
}

/// Arguments of `session screen`.
#[derive(Debug, Args)]
pub(crate) struct ScreenArgs {
    /// Id, name, or unique prefix of an id
    pub(crate) session: String,
    /// Print the cursor's row and column, from 0, on standard error
    #[arg(long)]
    pub(crate) cursor: bool,
    /// Draw a picture into this file; - is standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["cells", "plain"])]
    pub(crate) svg: Option<PathBuf>,
    /// Print runs of equally styled cells, one a line
    #[arg(long, conflicts_with = "plain")]
    pub(crate) cells: bool,
    /// Without colours, also on a terminal
    #[arg(long)]
    pub(crate) plain: bool,
    /// First row, from 0
    #[arg(long, value_name = "ROW")]
    pub(crate) first_row: Option<u16>,
    /// At most so many rows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) max_rows: Option<u16>,
}

/// Arguments of `session attach`.
#[derive(Debug, Args)]
pub(crate) struct AttachArgs {
    /// Id, name, or unique prefix of an id
    pub(crate) session: String,
    /// Only look: keys are not passed on, the session keeps its size, and ^C leaves too
    #[arg(short, long)]
    pub(crate) read_only: bool,
    #[command(flatten)]
    pub(crate) leaving: LeavingArgs,
}

/// How an attached terminal leaves its session.
#[derive(Debug, Args)]
pub(crate) struct LeavingArgs {
    /// Keys that leave the session, the first of them twice types it: 'C-\ d', 'C-p C-q', none
    #[arg(long, env = "CCD_DETACH_KEYS", value_name = "KEYS", value_parser = detach_keys, default_value = "C-\\ d")]
    pub(crate) detach_keys: DetachKeys,
}

/// Arguments of `session tail` and `session subscribe`.
#[derive(Debug, Args)]
pub(crate) struct TailArgs {
    /// Id, name, or unique prefix of an id
    pub(crate) session: String,
    /// Go on until the session ends
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Start at this offset
    #[arg(long, value_name = "OFFSET", allow_negative_numbers = true, value_parser = count, conflicts_with = "lines")]
    pub(crate) since: Option<u64>,
    /// Start so many lines before the end
    #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true, value_parser = count, default_value_t = 10)]
    pub(crate) lines: u64,
    /// Bytes as they came, control sequences included
    #[arg(long)]
    pub(crate) raw: bool,
}

/// Arguments of `session history`.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// Id, name, or unique prefix of an id
    pub(crate) session: String,
    /// At most so many rows, the newest [default: 200]
    #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub(crate) limit: Option<u64>,
    /// Only rows before this one
    #[arg(long, value_name = "ROW")]
    pub(crate) before: Option<String>,
}
