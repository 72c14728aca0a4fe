//! Files of conversations.
//!
//! A transcript is `projects/PROJECT/SESSION.jsonl` in a directory of Claude Code; those of its sub-agents are
//! `SESSION/subagents/agent-ID.jsonl` beside it, each with an `agent-ID.meta.json` that names the call which started it.

mod files;
mod loaded;
mod shelf;
mod stamp;

pub(crate) use files::parent_of;
pub use files::{Files, find_session};
pub use loaded::Loaded;
pub use shelf::Shelf;
pub(crate) use stamp::stamp;
