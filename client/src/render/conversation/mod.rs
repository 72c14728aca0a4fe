//! Conversations of Claude Code.

mod about;
mod call;
mod page;
mod tree;

pub(crate) use about::about;
pub(crate) use page::{Show, conversation};
pub(crate) use tree::sub_agents;
