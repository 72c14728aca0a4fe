//! Conversations of Claude Code.

mod browser;
mod get;
mod index;
mod library;
mod page;
