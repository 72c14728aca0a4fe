//! Commands that show a session's output: `read`, `screen`, `tail`, `history`, `attach`.

use super::offer::NameKind;
use super::value::count;
use crate::detach_keys::{DetachKeys, detach_keys};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `read`.
#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// Id, name, or unique prefix of an id
    #[arg(add = NameKind::Sessions)]
    pub(crate) session: String,
    /// Start at this byte offset in the output
    #[arg(long, value_name = "OFFSET", allow_negative_numbers = true, value_parser = count)]
    pub(crate) since: Option<u64>,
    /// Print N lines: with --since the first N from there, otherwise the last N
    #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub(crate) lines: Option<u64>,
    /// Print N bytes: with --since the first N from there, otherwise the last N
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub(crate) bytes: Option<u64>,
    /// Print raw bytes, including control sequences
    #[arg(long)]
    pub(crate) raw: bool,
}

/// Arguments of `screen`.
#[derive(Debug, Args)]
pub(crate) struct ScreenArgs {
    /// Id, name, or unique prefix of an id
    #[arg(add = NameKind::Sessions)]
    pub(crate) session: String,
    /// Also print the cursor's row and column, counted from 0, to standard error
    #[arg(long)]
    pub(crate) cursor: bool,
    /// Save the screen as an SVG image in this file; - for standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["cells", "plain"])]
    pub(crate) svg: Option<PathBuf>,
    /// Save the screen as a PNG image in this file; - for standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["cells", "plain", "svg"])]
    pub(crate) png: Option<PathBuf>,
    /// Print runs of cells with the same style, one per line
    #[arg(long, conflicts_with = "plain")]
    pub(crate) cells: bool,
    /// Print no colours, even on a terminal
    #[arg(long)]
    pub(crate) plain: bool,
    /// Start at this row, counted from 0
    #[arg(long, value_name = "ROW")]
    pub(crate) first_row: Option<u16>,
    /// Print at most N rows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) max_rows: Option<u16>,
}

/// Arguments of `attach`.
#[derive(Debug, Args)]
pub(crate) struct AttachArgs {
    /// Id, name, or unique prefix of an id
    #[arg(add = NameKind::LiveSessions)]
    pub(crate) session: String,
    /// View only: keys are not passed on, the session is not resized, and Ctrl-C also detaches
    #[arg(short, long)]
    pub(crate) read_only: bool,
    #[command(flatten)]
    pub(crate) detach: DetachArgs,
}

/// How an attached terminal detaches.
#[derive(Debug, Args)]
pub(crate) struct DetachArgs {
    /// Key sequence that detaches, such as 'C-p C-q', or the word none; to type its first key, press it twice [default: 'C-\ d']
    #[arg(long, env = "CCD_DETACH_KEYS", hide_env_values = true, value_name = "KEYS", value_parser = detach_keys,
          default_value = "C-\\ d", hide_default_value = true)]
    pub(crate) detach_keys: DetachKeys,
}

/// Arguments of `logs`.
#[derive(Debug, Args)]
pub(crate) struct TailArgs {
    /// Id, name, or unique prefix of an id
    #[arg(add = NameKind::Sessions)]
    pub(crate) session: String,
    /// Keep printing new output until the session ends
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Start at this byte offset in the output
    #[arg(long, value_name = "OFFSET", allow_negative_numbers = true, value_parser = count, conflicts_with = "lines")]
    pub(crate) since: Option<u64>,
    /// Start N lines before the end
    #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true, value_parser = count, default_value_t = 10)]
    pub(crate) lines: u64,
    /// Print raw bytes, including control sequences
    #[arg(long)]
    pub(crate) raw: bool,
}

/// Arguments of `session history`.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// Id, name, or unique prefix of an id
    #[arg(add = NameKind::Sessions)]
    pub(crate) session: String,
    /// Show at most the N newest rows [default: 200]
    #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub(crate) limit: Option<u64>,
    /// Show only rows older than row ROW; --json prints row ids
    #[arg(long, value_name = "ROW")]
    pub(crate) before: Option<String>,
}
