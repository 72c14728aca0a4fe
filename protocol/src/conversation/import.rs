//! Files that become part of lists, search and sums.

use serde::{Deserialize, Serialize};

/// Parameters of `conversation.import`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationImportParams {
    /// Absolute path of a transcript or a stream. Sub-agents next to a transcript are imported with it.
    pub file: String,
}

/// Reply of `conversation.import`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationImportReply {
    /// The conversations in the file.
    pub conversations: Vec<ImportedConversation>,
    /// Lines that were not copied: not JSON, or without a type, a uuid or a session id.
    pub skipped_lines: u64,
}

/// A conversation that was copied.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ImportedConversation {
    pub session_id: String,
    /// The copy; deleting it removes the conversation from lists, search and sums.
    pub file: String,
    /// Lines that the copy did not have; 0 if the same file was imported before.
    pub added_lines: u64,
}
