//! Conversations of Claude Code.

mod about;
mod call;
mod found;
mod imported;
mod live;
mod page;
mod tree;

pub(crate) use about::about;
pub(crate) use found::{conversation_hits, conversation_stats, conversations, what_is_left};
pub(crate) use imported::imported;
pub(crate) use live::LiveConversation;
pub(crate) use page::{Show, conversation};
pub(crate) use tree::sub_agents;
