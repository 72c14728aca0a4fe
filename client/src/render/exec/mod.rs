//! Runs of Claude Code, and their conversations.

mod conversation;
mod diff;
mod files;
mod list;
mod page;
mod summary;
mod text;

pub(crate) use conversation::{exec_session, exec_sessions};
pub(crate) use diff::run_diff;
pub(crate) use list::executions;
pub(crate) use page::execution;
pub(crate) use summary::{run_notes, run_summary};
pub(crate) use text::seconds;
