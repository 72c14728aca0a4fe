//! Conversations of Claude Code.

mod archive;
mod follow;
mod get;
mod index;
mod library;
mod page;
mod settings;
