//! Conversations of Claude Code: what its transcripts and streams say, as one model.
//!
//! - `source`: the files of a conversation, read as they grow
//! - `import`: copies of files that are part of the index
//! - `index`: all transcripts in a database, for lists, search and sums
//! - `reply`: what the methods return
//! - `follow`: subscriptions to conversations
//! - `last_turn`: the last prompt in a project, and its answer
//! - `task_list`: the current task of Claude Code's own list
//! - `setup`: where transcripts are, and what the configuration says about them
//!
//! Pure, without files:
//!
//! - `line`: one line of a file, in either of the two raw forms
//! - `lines`: the bytes of a file into lines, in pieces of any size
//! - `model`: records into turns, calls with their results, the tree of sub-agents, and usage
//! - `price`: what a response costs, by a dated table
//! - `recent`: a map of the last entries
//!
//! Layers, top first; none uses one before it: `index`, `reply` → `follow`, `setup` → `import`, `price`, `last_turn`,
//! `report` → `task_list` → `source` → `model`, `lines` → `line`, `error`, `recent`.
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]

mod error;
mod follow;
mod import;
mod index;
mod last_turn;
pub mod line;
pub mod lines;
pub mod model;
pub mod price;
mod recent;
mod reply;
mod report;
mod setup;
pub mod source;
mod task_list;

pub use error::ConversationError;
pub use follow::Following;
pub use index::{Follower, Index};
pub use last_turn::LastTurn;
pub use reply::Conversations;
pub use report::{ClaudeActivity, ClaudeReport, ClaudeWait, claude_reports};
pub use setup::{ConversationSettings, Setup};
pub use task_list::{CurrentTask, grown_tail};
