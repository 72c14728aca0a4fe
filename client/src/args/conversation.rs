//! `ccctl conversation`.

use clap::{Args, Subcommand};

/// Commands for conversations.
#[derive(Debug, Subcommand)]
pub(crate) enum ConversationVerb {
    /// Show a conversation: turns, calls of tools with their results, sub-agents, tokens
    #[command(visible_alias = "show")]
    Get(ConversationGetArgs),
    /// Print a record as Claude Code wrote it
    #[command(after_help = "Examples:
  ccctl conversation record 5fc07b19 0f1d6a2e-8a57-4c0a-9b1e-2d4f6a1c7e90 | jq .message.usage")]
    Record {
        /// Session id, a unique prefix of one, or a file
        conversation: String,
        /// Uuid of the record
        uuid: String,
    },
    /// Print a call of a tool with its result
    #[command(after_help = "Examples:
  ccctl conversation tool 5fc07b19 toolu_01A2b3C4 | jq -r .toolResult.content")]
    Tool {
        /// Session id, a unique prefix of one, or a file
        conversation: String,
        /// Id of the call
        tool_use_id: String,
    },
    /// Show which sub-agents a conversation started
    Tree {
        /// Session id, a unique prefix of one, or a file
        conversation: String,
    },
}

/// Arguments of `conversation get`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl conversation show 5fc07b19
  ccctl conversation show run.jsonl --tools
  ccctl conversation get 5fc07b19 --json | jq '.pairs[] | select(.toolResult.isError)'

On a terminal, the conversation is shown in $PAGER, or less. With --json, one document has all turns, calls, \
sub-agents, indexes and tokens.")]
pub(crate) struct ConversationGetArgs {
    /// Session id, a unique prefix of one, or a file
    pub(crate) conversation: String,
    /// Show the results of tools in full
    #[arg(long)]
    pub(crate) tools: bool,
    /// Show only calls of tools that failed
    #[arg(long)]
    pub(crate) errors: bool,
    /// Show the turn with this message or record id, and those after it
    #[arg(long, value_name = "ID")]
    pub(crate) at: Option<String>,
}
