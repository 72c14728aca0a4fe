//! Runs of Claude Code, and their conversations.

mod files;
mod page;
mod summary;
mod text;

pub(crate) use page::execution;
pub(crate) use summary::{run_notes, run_summary};
