//! Conversations of Claude Code.

mod call;
mod found;
mod live;
mod markdown;
mod numbers;
mod page;
mod spoken;
mod stats;
mod svg;
mod todo;
mod tree;

pub(crate) use found::{conversation_hits, conversations};
pub(crate) use live::LiveConversation;
pub(crate) use markdown::markdown;
pub(crate) use numbers::{all as all_tokens, cost_or_more, short as short_number};
pub(crate) use page::{Show, conversation};
pub(crate) use spoken::Spoken;
pub(crate) use stats::conversation_stats;
pub(crate) use svg::stats_svg;
pub(crate) use tree::sub_agents;
