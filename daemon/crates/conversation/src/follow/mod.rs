//! Conversations that are followed while Claude Code writes them.

mod area;
mod follower;
mod growing;
mod items;
#[cfg(test)]
mod property_tests;

pub(crate) use area::Area;
pub use follower::Following;
pub(crate) use follower::{Follower, Start};
