//! Conversations of Claude Code.

mod get;
mod index;
mod library;
mod page;
