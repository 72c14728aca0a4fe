//! What a new session gets.

use ccd_memory::{MEMORY_FILE, MemoryError, Parsed};
use ccd_protocol::memory::MemoryLoadReply;
use std::path::PathBuf;
use std::time::Instant;

/// How the memory of a project is loaded.
#[derive(Debug)]
pub(crate) struct Load {
    pub(crate) project: PathBuf,
    pub(crate) max_chars: usize,
    /// For a session that knows most of it.
    pub(crate) is_short: bool,
    /// What is not verified by then is marked.
    pub(crate) deadline: Instant,
}

impl Load {
    /// Verifies what was read of the project's memory.
    ///
    /// # Errors
    ///
    /// `NoProject`.
    pub(crate) fn carry_out(&self, parsed: &Parsed) -> Result<MemoryLoadReply, MemoryError> {
        let path = self.project.join(MEMORY_FILE);
        let path = path.to_string_lossy().into_owned();
        if parsed.is_empty {
            return Ok(MemoryLoadReply {
                digest: format!("No session data: {path} is empty; ccctl memory save fills it\n"),
                path,
                ..MemoryLoadReply::default()
            });
        }
        let verified = ccd_memory::verify(&self.project, parsed, self.deadline)?;
        let digest = ccd_memory::digest(parsed, &verified, &path, self.max_chars, self.is_short);
        Ok(MemoryLoadReply {
            digest,
            path,
            verified: verified.checks,
            unverified: verified.late.into_iter().map(str::to_owned).collect(),
        })
    }
}
