//! The index of all conversations.

mod file;
mod follow;
mod questions;
mod usage;
