//! Runs of Claude Code, and their conversations.

mod conversation;
mod files;
mod list;
mod page;
mod summary;
mod text;

pub(crate) use conversation::{EXEC_SESSIONS, exec_session};
pub(crate) use list::EXECUTIONS;
pub(crate) use page::execution;
pub(crate) use summary::{run_notes, run_summary};
pub(crate) use text::seconds;
