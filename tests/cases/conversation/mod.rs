//! Conversations of Claude Code.

mod archive;
mod browser;
mod chart;
mod coach;
mod follow;
mod get;
mod import;
mod index;
mod library;
mod live;
mod markdown;
mod open;
mod page;
mod picker;
mod settings;
mod tail;
