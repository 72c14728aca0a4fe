//! Conversations of Claude Code.

mod call;
mod live;
mod markdown;
mod page;
mod spoken;
mod stats;
mod svg;
mod todo;
mod tree;

pub(crate) use live::LiveConversation;
pub(crate) use markdown::markdown;
pub(crate) use page::{Show, conversation};
pub(crate) use spoken::Spoken;
pub(crate) use stats::conversation_stats;
pub(crate) use svg::stats_svg;
pub(crate) use tree::sub_agents;
