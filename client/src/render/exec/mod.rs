//! Runs of Claude Code, and their conversations.

mod files;
mod page;
mod summary;
mod text;

#[cfg(test)]
mod conversation_tests;
#[cfg(test)]
mod list_tests;

pub(crate) use page::execution;
pub(crate) use summary::{run_notes, run_summary};
