//! Conversations of Claude Code: its transcripts and streams as one model.

mod export;
mod import;
mod live;
mod model;
mod page;
mod records;
mod typed;

use crate::method::methods;
pub use export::{
    ConversationContentsParams, ConversationContentsReply, ConversationExportParams,
    ConversationExportReply, ExportAbout, ExportTurn, PageOfConversation, TurnNumbers,
};
pub use import::{ConversationImportParams, ConversationImportReply, ImportedConversation};
pub use live::{
    ConversationEnd, ConversationEndReason, ConversationItem, ConversationItemKind,
    ConversationSubscribeParams,
};
pub use model::{
    CacheCreation, ConversationIndexes, ConversationPair, ConversationTotals, ConversationTurn,
    ConversationUsage, Missing, RecordPlace, SubAgentNode, ToolCallPlaces, ToolResult, ToolUse,
    TurnRecord, TurnRole,
};
pub use page::{
    ConversationGetReply, ConversationPageParams, ConversationParams, ConversationRecord,
    ConversationRecordParams, ConversationToolParams, ConversationTree, ConversationTurnParams,
    ConversationTurnsReply, SkippedLine,
};
pub use records::{
    ConversationHit, ConversationListParams, ConversationListReply, ConversationScope,
    ConversationSearchParams, ConversationSearchReply, ConversationStatsParams,
    ConversationStatsReply, ConversationSummary, Indexing, RecordStatus, StatsBy, StatsGroup,
    UnreadableFiles,
};
pub use typed::{Element, elements, printed, typed, with_added};

methods! {
    ConversationList = "conversation.list" (ConversationListParams) -> ConversationListReply, "Lists conversations, most recently used first. Updates the index before that, for at most `wait_ms`.", Large;
    ConversationSearch = "conversation.search" (ConversationSearchParams) -> ConversationSearchReply, "Searches the texts of records. Updates the index before that, for at most `wait_ms`.", Large;
    ConversationStats = "conversation.stats" (ConversationStatsParams) -> ConversationStatsReply, "Sums tokens and cost. Updates the index before that, for at most `wait_ms`.", Large;
    ConversationImport = "conversation.import" (ConversationImportParams) -> ConversationImportReply, "Copies a transcript or a stream, so that lists, search and sums include it even after the file is deleted.";
    ConversationGet = "conversation.get" (ConversationPageParams) -> ConversationGetReply, "Returns a conversation as a whole: turns, calls of tools with their results, the tree of sub-agents, indexes and tokens. A long one comes in pages.", Large;
    ConversationExport = "conversation.export" (ConversationExportParams) -> ConversationExportReply, "Returns turns of a conversation with their records, redacted, or a part of its page for a browser.", Large;
    ConversationContents = "conversation.contents" (ConversationContentsParams) -> ConversationContentsReply, "Returns a page for a browser that lists pages of conversations.", Large;
    ConversationTurns = "conversation.turns" (ConversationPageParams) -> ConversationTurnsReply, "Returns turns of a conversation, in order.", Large;
    ConversationTurnGet = "conversation.turn" (ConversationTurnParams) -> ConversationTurn, "Returns one turn of a conversation.", Large;
    ConversationRecordGet = "conversation.record" (ConversationRecordParams) -> ConversationRecord, "Returns one record as Claude Code wrote it.", Large;
    ConversationTool = "conversation.tool" (ConversationToolParams) -> ConversationPair, "Returns a call of a tool with its result.", Large;
    ConversationTreeGet = "conversation.tree" (ConversationParams) -> ConversationTree, "Returns the sub-agents of a conversation and what started them.", Large;
}
