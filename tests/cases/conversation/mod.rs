//! Conversations of Claude Code.

mod archive;
mod browser;
mod coach;
mod commands;
mod get;
mod import;
mod incomplete;
mod index;
mod library;
mod live;
mod old_forms;
mod output;
mod picker;
mod raw;
mod settings;
mod tail;
