//! Files of conversations.
//! A transcript is `projects/PROJECT/SESSION.jsonl` in a directory of Claude Code; those of its sub-agents are
//! `SESSION/subagents/agent-ID.jsonl` beside it, each with an `agent-ID.meta.json` that names the call which started it.
//! Older versions wrote `agent-ID.jsonl` beside the transcript.
//! `layout` knows this and the other layouts that a configured directory may have, and `archive` keeps transcripts.

mod archive;
mod files;
mod layout;
mod loaded;
mod older_agent;
mod shelf;
mod stamp;

pub(crate) use archive::{Archive, plain_name};
pub(crate) use files::{files_of, find_session, parent_of, transcripts_in};
pub(crate) use layout::{Dir, DirId, FoundFile, IMPORTED, Layout};
pub use loaded::Loaded;
pub(crate) use older_agent::{first_in, is_older_agent};
pub use shelf::Shelf;
pub(crate) use stamp::{ReadPart, hash, stamp};
