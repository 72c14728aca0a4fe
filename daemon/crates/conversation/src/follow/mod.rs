//! Conversations that are followed while Claude Code writes them.
//!
//! - `area`: which files, and the directories that they are in
//! - `growing`: one file, and how far it was followed
//! - `items`: a line into items
//! - `inline`: sub-agents inside an old transcript
//! - `follower`: the files of one subscriber, at its own pace
//! - `watching`: the thread that learns of changes, for all subscribers

mod area;
mod follower;
mod growing;
mod inline;
mod items;
#[cfg(test)]
mod property_tests;
mod recent;
mod watching;

pub(crate) use area::Area;
pub use follower::Following;
pub(crate) use follower::{Follower, Start};
pub(crate) use watching::Watching;
