//! `ccctl conversation`.

use super::value::{directory, word};
use ccd_protocol::conversation::{RecordStatus, StatsBy, TurnRole};
use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Commands for conversations.
#[derive(Debug, Subcommand)]
pub(crate) enum ConversationVerb {
    /// List conversations, most recent first
    #[command(visible_alias = "ls")]
    List(ConversationListArgs),
    /// Search everything that was said in all conversations
    Search(ConversationSearchArgs),
    /// Sum up tokens and cost
    Stats(ConversationStatsArgs),
    /// Show a conversation with its tool calls, results and sub-agents
    #[command(visible_alias = "show")]
    Get(ConversationGetArgs),
    /// Follow conversations live
    Tail(ConversationTailArgs),
    /// Add saved transcripts or stream-json output to the known conversations
    #[command(after_help = "Examples:
  claude -p 'Fix the test' --output-format stream-json --verbose > run.jsonl
  ccctl conversation import run.jsonl

A private copy is kept, so FILE may be deleted; to remove the conversation, delete the copy, whose path --json prints. \
Importing the same FILE again changes nothing, and messages that are in a transcript too count once.")]
    Import {
        /// Transcripts, or saved output of claude -p --output-format stream-json
        #[arg(required = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
        files: Vec<PathBuf>,
    },
    /// Write a conversation to a file: HTML page, Markdown or JSON
    Export(ConversationExportArgs),
    /// Open a conversation in a browser
    #[command(after_help = "Examples:
  ccctl conversation open 5fc07b19

The page is the one of export --html. It is written to a private directory in $TMPDIR or /tmp, and its path is \
printed. The next open removes pages that are older than a day. If no browser can be started, the exit status is 1.")]
    Open {
        /// Session id, a unique prefix of at least 4 characters, or a file
        conversation: String,
    },
    /// Print a record as Claude Code wrote it, as JSON
    #[command(after_help = "Examples:
  ccctl conversation record 5fc07b19 0f1d6a2e-8a57-4c0a-9b1e-2d4f6a1c7e90 | jq .message.usage")]
    Record {
        /// Session id, a unique prefix of at least 4 characters, or a file
        conversation: String,
        /// Uuid of the record
        uuid: String,
    },
    /// Print a tool call with its result as JSON
    #[command(after_help = "Examples:
  ccctl conversation tool 5fc07b19 toolu_01A2b3C4 | jq -r .toolResult.content")]
    Tool {
        /// Session id, a unique prefix of at least 4 characters, or a file
        conversation: String,
        /// Id of the call
        tool_use_id: String,
    },
    /// List the sub-agents of a conversation
    #[command(after_help = "Examples:
  ccctl conversation tree 5fc07b19")]
    Tree {
        /// Session id, a unique prefix of at least 4 characters, or a file
        conversation: String,
    },
}

/// Which conversations a command is about.
#[derive(Debug, Args)]
pub(crate) struct ScopeOfConversations {
    /// Only conversations started in this directory or below it
    #[arg(long, value_name = "DIR", value_parser = directory)]
    pub(crate) project: Option<String>,
    /// Only from this date (2026-01-31) or time (RFC 3339) on
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Only before this date or time
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// Wait until all transcripts are indexed, not just 2 seconds
    #[arg(long)]
    pub(crate) wait: bool,
}

/// Arguments of `conversation list`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl conversation list
  ccctl conversation list --project . --since 2026-01-01
  ccctl conversation list --json | jq '.conversations[0].cost_usd'

Covers the transcripts of $CLAUDE_CONFIG_DIR (by default ~/.claude), imports, and the directories in conversations.roots.")]
pub(crate) struct ConversationListArgs {
    #[command(flatten)]
    pub(crate) scope: ScopeOfConversations,
    /// Only conversations on this git branch
    #[arg(long, value_name = "NAME")]
    pub(crate) branch: Option<String>,
    /// Print at most N conversations, 1 to 1000 [default: 50]
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub(crate) limit: Option<u64>,
}

/// Arguments of `conversation search`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl conversation search flaky test
  ccctl conversation search '\"connection reset\"' --tool Bash --status error
  ccctl conversation search migration -- -sqlite
  ccctl conversation search parse_date --file src/date.rs --since 2026-01-01

All words must be in one record: a part of a message, or a tool result. -WORD excludes records with WORD; put -- \
before the first one. Case and accents are ignored; recognised secrets are not found.")]
pub(crate) struct ConversationSearchArgs {
    /// Words, and phrases in double quotes
    #[arg(required = true, value_name = "WORD")]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) scope: ScopeOfConversations,
    /// Only records with this role; tool results are the user's
    #[arg(long, value_name = "ROLE", ignore_case = true, value_parser = role())]
    pub(crate) role: Option<TurnRole>,
    /// Only calls of this tool and their results
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// Only failed calls (error), calls without a result (pending) or sub-agent records (sub-agent)
    #[arg(long, value_name = "STATUS", ignore_case = true, value_parser = status())]
    pub(crate) status: Option<RecordStatus>,
    /// Only output of models whose name contains NAME
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Only calls about a file whose path contains PATH, and their results
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<String>,
    /// Only this conversation: a session id or a unique prefix of at least 4 characters
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Print at most N hits, 1 to 200 [default: 20]
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=200))]
    pub(crate) limit: Option<u64>,
}

/// Arguments of `conversation stats`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl conversation stats
  ccctl conversation stats --by day --since 2026-01-01
  ccctl conversation stats --by model --project . --json | jq .groups
  ccctl conversation stats --by day --since 2026-01-01 --svg tokens.svg

Each message counts once, even if it is in several files. Costs are list prices as of the date shown, not what was \
billed.")]
pub(crate) struct ConversationStatsArgs {
    #[command(flatten)]
    pub(crate) scope: ScopeOfConversations,
    /// Group the sums, and chart them on a terminal
    #[arg(long, value_name = "WHAT", ignore_case = true, value_parser = by())]
    pub(crate) by: Option<StatsBy>,
    /// Write the chart to FILE as an SVG image, by day unless --by is given; - for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

fn role() -> impl TypedValueParser<Value = TurnRole> {
    word(["user", "assistant"], |name| {
        match &*name.to_ascii_lowercase() {
            "user" => Some(TurnRole::User),
            "assistant" => Some(TurnRole::Assistant),
            _ => None,
        }
    })
}

fn status() -> impl TypedValueParser<Value = RecordStatus> {
    word(["error", "pending", "sub-agent"], |name| {
        match &*name.to_ascii_lowercase() {
            "error" => Some(RecordStatus::Error),
            "pending" => Some(RecordStatus::Pending),
            "sub_agent" => Some(RecordStatus::SubAgent),
            _ => None,
        }
    })
}

fn by() -> impl TypedValueParser<Value = StatsBy> {
    const ALL: [(&str, StatsBy); 6] = [
        ("day", StatsBy::Day),
        ("project", StatsBy::Project),
        ("branch", StatsBy::Branch),
        ("session", StatsBy::Session),
        ("model", StatsBy::Model),
        ("tool", StatsBy::Tool),
    ];
    word(ALL.map(|(name, _)| name), |name| {
        let found = ALL.iter().find(|(one, _)| one.eq_ignore_ascii_case(name));
        found.map(|(_, by)| *by)
    })
}

/// Arguments of `conversation get`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl conversation show 5fc07b19
  ccctl conversation show run.jsonl --tools
  ccctl conversation show 5fc07b19 --errors
  ccctl conversation get 5fc07b19 --json | jq .usage.total
  ccctl conversation get 5fc07b19 --raw | jq .turns[].records[]

On a terminal, the conversation is shown in $PAGER, or less. --json prints one document with all turns, tool calls, \
sub-agents, indexes and tokens; --raw prints it with whole records, secrets included.")]
pub(crate) struct ConversationGetArgs {
    /// Session id, a unique prefix of at least 4 characters, or a file
    pub(crate) conversation: String,
    /// Show tool results in full
    #[arg(long)]
    pub(crate) tools: bool,
    /// Show only failed tool calls
    #[arg(long)]
    pub(crate) errors: bool,
    /// Print JSON with the records as Claude Code wrote them, instead of their ids
    #[arg(long, conflicts_with_all = ["tools", "errors", "at"])]
    pub(crate) raw: bool,
    /// Start at the turn that contains this id of a message, record, tool call or prompt
    #[arg(long, value_name = "ID")]
    pub(crate) at: Option<String>,
}

/// Arguments of `conversation tail`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl conversation tail
  ccctl conversation tail 5fc07b19
  ccctl conversation tail --all --json | jq 'select(.kind == \"usage\")'

Without CONVERSATION, all conversations started in the current git work tree (or directory) are shown, new ones too, \
starting with the last turns of the most recent one. Ctrl-C ends the command. --json prints one item per line; the items \
of conversation.subscribe are in PROTOCOL.md.")]
pub(crate) struct ConversationTailArgs {
    /// Only this conversation: a session id, a unique prefix of at least 4 characters, or a file
    pub(crate) conversation: Option<String>,
    /// Conversations started in DIR or below it
    #[arg(long, value_name = "DIR", value_parser = directory, conflicts_with = "conversation")]
    pub(crate) project: Option<String>,
    /// All conversations, wherever they were started
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
#[command(after_help = "Examples:
  ccctl conversation export 5fc07b19 --html conversation.html
  ccctl conversation export 5fc07b19 --markdown conversation.md
  ccctl conversation export 5fc07b19 --markdown - | less
  ccctl conversation export 5fc07b19 --json conversation.json

The page needs no network. It has the timeline, search, filters and tokens. The Markdown document has the turns, tool \
calls with their results, diffs and sub-agents. The JSON document has the turns with their records.

Recognised secrets are replaced by ***; review the file before you share it.")]
pub(crate) struct ConversationExportArgs {
    /// Session id, a unique prefix of at least 4 characters, or a file
    pub(crate) conversation: String,
    /// With --json: write to FILE [default: standard output]
    #[arg(conflicts_with_all = ["html", "markdown"], value_hint = clap::ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// Write an HTML page to FILE; - for standard output
    #[arg(long, value_name = "FILE", conflicts_with = "markdown")]
    pub(crate) html: Option<PathBuf>,
    /// Write a Markdown document to FILE; - for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
}
