//! Conversations that are followed while Claude Code writes them.

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
