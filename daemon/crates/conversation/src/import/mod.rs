//! Copies of transcripts and streams, which stay when the files are deleted.
//!
//! - `imports`: the directory of all copies, laid out as one of Claude Code
//! - `copier`: the lines of one file into the copies of their sessions
//! - `kept`: the copy of one session

mod copier;
mod imports;
mod kept;

pub(crate) use imports::Imports;
