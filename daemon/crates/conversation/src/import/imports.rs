//! The directory of all copies.

use super::copier::{Copied, copy, first_session};
use crate::ConversationError;
use crate::error::Result;
use crate::source::{Dir, IMPORTED, files_of};
use ccd_protocol::conversation::{ConversationImportReply, ImportedConversation};
use ccd_store::own_file;
use parking_lot::Mutex;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Most bytes of what Claude Code notes about a sub-agent.
const ABOUT_BYTES: u64 = 1 << 20;

/// The copies. Their directory is laid out as one of Claude Code, so the index reads it as one.
#[derive(Debug)]
pub(crate) struct Imports {
    dir: PathBuf,
    /// Held while files are copied.
    copying: Mutex<()>,
}

impl Imports {
    /// Returns the directory of all copies, laid out as one of Claude Code.
    pub(crate) fn as_dir(&self) -> Dir {
        Dir::of_claude(&self.dir)
    }

    pub(crate) fn is_in(&self, dir: &Path) -> bool {
        dir == self.as_dir().path
    }

    /// `dir` is created when something is imported.
    pub(crate) fn new(dir: PathBuf) -> Self {
        Self {
            dir,
            copying: Mutex::new(()),
        }
    }

    /// Adds the lines of a file that are not in the copies yet, and those of its sub-agents.
    pub(crate) fn add(&self, path: &Path) -> Result<ConversationImportReply> {
        let _copying = self.copying.lock();
        let failed = ConversationError::read(path);
        // Opening a named pipe would wait for a writer.
        if !fs::metadata(path).map_err(&failed)?.is_file() {
            return Err(ConversationError::NotAFile(path.to_owned()));
        }
        let file = File::open(path).map_err(&failed)?;
        let Some(first) = first_session(&file).map_err(&failed)? else {
            return Err(ConversationError::NotATranscript(path.to_owned()));
        };
        let mut all = copy(&file, first, |session| self.path_of(session)).map_err(&failed)?;
        for agent in files_of(path).into_iter().skip(1) {
            let failed = ConversationError::read(&agent.path);
            let copied = self.add_sub_agent(&agent.path).map_err(&failed)?;
            all.skipped += copied.skipped;
            for (session, added) in copied.added {
                *all.added.entry(session).or_default() += added;
            }
        }
        let conversation = |(session_id, added_lines): (String, u64)| ImportedConversation {
            file: self.path_of(&session_id).display().to_string(),
            session_id,
            added_lines,
        };
        Ok(ConversationImportReply {
            conversations: all.added.into_iter().map(conversation).collect(),
            skipped_lines: all.skipped,
        })
    }

    fn add_sub_agent(&self, path: &Path) -> std::io::Result<Copied> {
        let name = path.file_name().unwrap_or_default();
        let path_of = |session: &str| {
            let folder = self.path_of(session).with_extension("").join("subagents");
            folder.join(name)
        };
        let file = File::open(path)?;
        let Some(first) = first_session(&file)? else {
            return Ok(Copied::default());
        };
        let copied = copy(&file, first, path_of)?;
        // It names the call that started the sub-agent.
        if let Ok(about) = own_file::document(&path.with_extension("meta.json"), ABOUT_BYTES) {
            for session in copied.added.keys() {
                fs::write(path_of(session).with_extension("meta.json"), &about)?;
            }
        }
        Ok(copied)
    }

    fn path_of(&self, session: &str) -> PathBuf {
        let folder = self.dir.join("projects").join(IMPORTED);
        folder.join(format!("{session}.jsonl"))
    }
}
