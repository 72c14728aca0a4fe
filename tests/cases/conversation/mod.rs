//! Conversations of Claude Code.

mod chart;
mod get;
mod index;
mod library;
mod markdown;
mod open;
mod page;
mod picker;
