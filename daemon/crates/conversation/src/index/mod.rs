//! The index of all transcripts: `conversations.sqlite`.

mod extract;
mod feed;
mod file;
mod follow;
mod forget;
mod gate;
mod inbox;
mod left;
mod list;
mod mark;
mod owner;
mod plan;
mod query;
mod runs;
mod schema;
mod scope;
mod search;
mod stats;
mod sums;
mod totals;
#[cfg(test)]
mod totals_tests;
mod write;

pub use follow::Follower;
pub use owner::Index;
pub(crate) use schema::INDEX;
pub(crate) use write::IndexWrite;
