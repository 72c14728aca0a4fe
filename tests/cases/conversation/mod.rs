//! Conversations of Claude Code.

mod browser;
mod coach;
mod get;
mod import;
mod index;
mod library;
mod live;
mod page;
mod tail;
