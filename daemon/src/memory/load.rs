//! What a new session gets.

use super::owner::Memories;
use super::recorded::recorded_since;
use ccd_memory::{MEMORY_FILE, MemoryError, Parsed, Verified};
use ccd_protocol::memory::MemoryLoadReply;
use ccd_store::blocking;
use std::path::PathBuf;
use std::time::Instant;

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
    pub(crate) async fn carry_out(
        self,
        memories: &Memories,
        parsed: Parsed,
    ) -> Result<MemoryLoadReply, MemoryError> {
        let path = self.project.join(MEMORY_FILE);
        let path = path.to_string_lossy().into_owned();
        if parsed.is_empty {
            return Ok(MemoryLoadReply {
                digest: format!("No session data: {path} is empty; ccctl memory save fills it\n"),
                path,
                ..MemoryLoadReply::default()
            });
        }
        let verified = memories.verify(self.project, parsed, self.deadline).await?;
        let (max_chars, is_short) = (self.max_chars, self.is_short);
        let (digest, path, verified) = blocking(move || {
            let digest = ccd_memory::digest(&verified, &path, max_chars, is_short);
            (digest, path, verified)
        })
        .await;
        Ok(MemoryLoadReply {
            digest,
            path,
            verified: verified.checks,
            unverified: verified.late.into_iter().map(str::to_owned).collect(),
        })
    }
}

impl Memories {
    /// Looks again at the facts of a memory: at the project, and at what was recorded of it since the save.
    pub(crate) async fn verify(
        &self,
        project: PathBuf,
        parsed: Parsed,
        deadline: Instant,
    ) -> Result<Verified, MemoryError> {
        let root = project.clone();
        let saved = parsed.memory.metadata.generated_at.clone();
        let looked = blocking(move || ccd_memory::verify(&project, &parsed, deadline));
        let commands =
            tokio::time::timeout_at(deadline.into(), recorded_since(self, &root, &saved));
        let recent = self.recent(&root, deadline);
        let (looked, commands, recent) = tokio::join!(looked, commands, recent);
        let mut verified = looked?;
        verified.add_commands(&root, commands.ok().as_ref());
        let (recent, late) = recent;
        verified.recent = recent;
        verified.late.extend(late);
        Ok(verified)
    }
}
