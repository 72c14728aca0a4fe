//! Conversations of Claude Code.

mod coach;
mod get;
mod import;
mod index;
mod library;
mod live;
mod page;
mod tail;
