//! `ccctl conversation`.

use super::offer::{NameKind, ValueKind};
use super::value::{directory, named, word};
use ccd_protocol::conversation::{RecordStatus, StatsBy, TurnNumbers, TurnRole};
use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

/// Commands for conversations.
#[derive(Debug, Subcommand)]
pub(crate) enum ConversationVerb {
    /// List conversations, most recent first
    #[command(visible_alias = "ls")]
    List(ConversationListArgs),
    /// Search prompts, answers, tool calls and results in all conversations
    Search(ConversationSearchArgs),
    /// Total tokens and cost
    Stats(ConversationStatsArgs),
    /// Show a conversation with its tool calls, results and sub-agents
    #[command(visible_alias = "show")]
    Get(ConversationGetArgs),
    /// Follow conversations live
    Tail(ConversationTailArgs),
    /// Import transcripts, or saved output of claude -p
    Import {
        /// Transcripts, or saved output of claude -p --output-format stream-json --verbose
        #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,
    },
    /// Write a conversation to a file: HTML page, Markdown or JSON
    Export(ConversationExportArgs),
    /// Open a conversation in a browser
    Open {
        /// Session id, unique prefix of one (at least 4 characters), or file
        #[arg(add = ValueKind::TranscriptOrFile)]
        conversation: String,
        /// Keep the page up to date until Ctrl-C
        #[arg(long)]
        follow: bool,
    },
    /// Print a record as Claude Code wrote it, as JSON
    Record {
        /// Session id, unique prefix of one (at least 4 characters), or file
        #[arg(add = ValueKind::TranscriptOrFile)]
        conversation: String,
        /// UUID of the record, as printed by search
        uuid: String,
    },
    /// Print a tool call with its result as JSON
    Tool {
        /// Session id, unique prefix of one (at least 4 characters), or file
        #[arg(add = ValueKind::TranscriptOrFile)]
        conversation: String,
        /// Id of the call
        tool_use_id: String,
    },
    /// List the sub-agents of a conversation
    Tree {
        /// Session id, unique prefix of one (at least 4 characters), or file
        #[arg(add = ValueKind::TranscriptOrFile)]
        conversation: String,
    },
}

/// Which conversations a command is about.
#[derive(Debug, Args)]
pub(crate) struct ScopeOfConversations {
    /// Only conversations started in this directory or below it
    #[arg(long, value_name = "DIR", value_parser = directory)]
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) project: Option<String>,
    /// Only at or after TIME: an age (7d), a date (2026-01-31) or RFC 3339
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Only before TIME
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// Wait until all transcripts are indexed [default: at most 2 seconds]
    #[arg(long)]
    pub(crate) wait: bool,
}

/// Arguments of `conversation list`.
#[derive(Debug, Args)]
pub(crate) struct ConversationListArgs {
    #[command(flatten)]
    pub(crate) scope: ScopeOfConversations,
    /// Only conversations started on this git branch
    #[arg(long, value_name = "NAME")]
    pub(crate) branch: Option<String>,
    /// Print at most N conversations, 1 to 1000 [default: 50]
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub(crate) limit: Option<u64>,
}

/// Arguments of `conversation search`.
#[derive(Debug, Args)]
pub(crate) struct ConversationSearchArgs {
    /// Words, and phrases in double quotes
    #[arg(required = true, value_name = "WORD")]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) scope: ScopeOfConversations,
    /// Only records with this role; tool results have the role user
    #[arg(long, value_name = "ROLE", ignore_case = true, value_parser = word(["user", "assistant"], named::<TurnRole>))]
    pub(crate) role: Option<TurnRole>,
    /// Only calls of this tool and their results
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// Only failed calls (error), calls without a result (pending) or sub-agent records (sub-agent)
    #[arg(long, value_name = "STATUS", ignore_case = true, value_parser = word(["error", "pending", "sub-agent"], named::<RecordStatus>))]
    pub(crate) status: Option<RecordStatus>,
    /// Only answers of models whose name contains NAME
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Only calls on files whose path contains PATH, and their results
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<String>,
    /// Only this conversation: a session id or unique prefix of one (at least 4 characters)
    #[arg(long, value_name = "ID")]
    #[arg(add = NameKind::Transcripts)]
    pub(crate) session: Option<String>,
    /// Print at most N hits, 1 to 200 [default: 20]
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=200))]
    pub(crate) limit: Option<u64>,
}

/// Arguments of `conversation stats`.
#[derive(Debug, Args)]
pub(crate) struct ConversationStatsArgs {
    #[command(flatten)]
    pub(crate) scope: ScopeOfConversations,
    /// Group totals by WHAT; draw bars on a terminal
    #[arg(long, value_name = "WHAT", ignore_case = true, value_parser = word(["day", "project", "branch", "session", "model", "tool"], named::<StatsBy>))]
    pub(crate) by: Option<StatsBy>,
    /// Write an SVG chart to FILE (- for standard output), by day unless --by is given
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

/// Arguments of `conversation get`.
#[derive(Debug, Args)]
pub(crate) struct ConversationGetArgs {
    /// Session id, unique prefix of one (at least 4 characters), or file
    #[arg(add = ValueKind::TranscriptOrFile)]
    pub(crate) conversation: String,
    /// Show tool results in full
    #[arg(long)]
    pub(crate) tools: bool,
    /// Show only failed tool calls
    #[arg(long)]
    pub(crate) errors: bool,
    /// Print JSON with full records instead of their ids, secrets included
    #[arg(long, conflicts_with_all = ["tools", "errors", "at"])]
    pub(crate) raw: bool,
    /// Start at the turn that contains ID: a message, record, tool call or prompt
    #[arg(long, value_name = "ID")]
    pub(crate) at: Option<String>,
}

/// Arguments of `conversation tail`.
#[derive(Debug, Args)]
pub(crate) struct ConversationTailArgs {
    /// Only this conversation: a session id, unique prefix of one (at least 4 characters), or file
    #[arg(add = ValueKind::TranscriptOrFile)]
    pub(crate) conversation: Option<String>,
    /// Follow conversations started in DIR or below it
    #[arg(long, value_name = "DIR", value_parser = directory, conflicts_with = "conversation")]
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) project: Option<String>,
    /// Follow all conversations, wherever they were started
    #[arg(long, conflicts_with_all = ["conversation", "project"])]
    pub(crate) all: bool,
    /// Start with the last N turns, 0 to 1000
    #[arg(short = 'n', long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(0..=1000))]
    pub(crate) last: u64,
    /// Show tool results in full
    #[arg(long)]
    pub(crate) tools: bool,
}

/// Arguments of `conversation export`.
#[derive(Debug, Args)]
#[command(
    override_usage = "ccctl conversation export <CONVERSATION> <--html <FILE>|--markdown <FILE>|--json [FILE]>\n       ccctl conversation export --all <DIR> [OPTIONS]"
)]
pub(crate) struct ConversationExportArgs {
    /// Session id, unique prefix of one (at least 4 characters), or file
    #[arg(required_unless_present = "all", add = ValueKind::TranscriptOrFile)]
    pub(crate) conversation: Option<String>,
    /// File for --json [default: standard output]
    #[arg(conflicts_with_all = ["html", "markdown"], value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// Write an HTML page to FILE; - for standard output
    #[arg(long, value_name = "FILE", conflicts_with = "markdown")]
    pub(crate) html: Option<PathBuf>,
    /// Write a Markdown document to FILE; - for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
    /// Write only these turns to the page, by the numbers that it shows
    #[arg(long, value_name = "FIRST..LAST", value_parser = turn_numbers, requires = "html")]
    pub(crate) turns: Option<TurnNumbers>,
    /// Keep your home directory, the name of this machine and session ids in pages
    #[arg(long)]
    pub(crate) with_paths: bool,
    /// Write a page of each conversation to DIR, with an index.html; unchanged ones are not written again
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, conflicts_with_all = ["conversation", "file", "html", "markdown"])]
    pub(crate) all: Option<PathBuf>,
    /// With --all: only conversations in which these words occur
    #[arg(long, value_name = "WORDS", requires = "all")]
    pub(crate) search: Option<String>,
    #[command(flatten)]
    pub(crate) scope: ScopeOfConversations,
}

/// Reads `3..9`, `3..` or `3`.
fn turn_numbers(text: &str) -> Result<TurnNumbers, String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.parse::<u64>().ok().filter(|number| *number > 0);
    let last = if last.is_empty() {
        Some(u64::MAX)
    } else {
        number(last)
    };
    match (number(first), last) {
        (Some(first), Some(last)) if first <= last => Ok(TurnNumbers { first, last }),
        _ => Err("give the first and the last turn, such as 3..9".to_owned()),
    }
}
