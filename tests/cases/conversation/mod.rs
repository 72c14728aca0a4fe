//! Conversations of Claude Code.

mod archive;
mod browser;
mod coach;
mod follow;
mod get;
mod import;
mod index;
mod index_file;
mod library;
mod live;
mod old_forms;
mod output;
mod picker;
mod raw;
mod settings;
mod tail;
mod usage;
