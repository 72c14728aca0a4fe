//! The index of all transcripts: `conversations.sqlite`.
//!
//! - `owner`: the index, for those who ask; `file`: where it is stored
//! - `forget`: it is deleted on request
//! - `follow`: the thread that keeps it up to date
//! - `plan`: what it has of files, and what there is to do
//! - `feed`: new bytes into batches, on two threads
//! - `extract`: a line into rows and the text that is searched
//! - `batch`, `tokens`: what is read, and rows of it
//! - `inbox`, `write`: batches into the database, in one transaction with how far their files were read
//! - `gate`: the index gives way to somebody who waits
//! - `scope`, `query`: what a question is about
//! - `search`, `list`, `stats` with `sums`: answers
//! - `totals`: `stats` before the index is there

mod batch;
mod extract;
mod feed;
mod file;
mod follow;
mod forget;
mod gate;
mod inbox;
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
mod tokens;
mod totals;
#[cfg(test)]
mod totals_tests;
mod write;

pub use follow::Follower;
pub use owner::Index;
pub(crate) use schema::INDEX;
pub(crate) use write::{IndexDatabase, IndexWrite};
