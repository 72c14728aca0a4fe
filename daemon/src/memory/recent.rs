//! What was done last in a project.

use super::owner::Memories;
use ccd_memory::recent_of;
use ccd_protocol::exec::ExecutionSummary;
use ccd_protocol::memory::{MemoryRecent, MemoryRecentKind};
use ccd_store::blocking;
use std::path::Path;
use std::sync::Arc;

/// Runs that are named.
const RUNS: u64 = 2;

impl Memories {
    /// Returns what git, the last conversation and the last runs say. Transcripts are only read if they are indexed.
    pub(crate) async fn recent(&self, project: &Path) -> Vec<MemoryRecent> {
        let is_indexed = self.index.is_begun();
        let (root, conversations) = (project.to_owned(), Arc::clone(&self.conversations));
        let looked = blocking(move || {
            let mut recent = ccd_memory::recent(&root);
            let root = root.canonicalize().unwrap_or(root);
            let turn = is_indexed.then(|| conversations.last_turn(&root)).flatten();
            recent.extend(turn.map(|turn| {
                let answer = turn.answer.map(|answer| format!(" - {answer}"));
                let text = format!("{}{}", turn.prompt, answer.unwrap_or_default());
                recent_of(MemoryRecentKind::Conversation, &text, turn.at)
            }));
            recent
        });
        let (mut recent, runs) = tokio::join!(looked, self.exec.last_runs(project, RUNS));
        recent.extend(runs.into_iter().map(of_run));
        recent
    }
}

fn of_run(run: ExecutionSummary) -> MemoryRecent {
    let status = run.status.name();
    let text = format!("{} ({status})", run.instruction);
    recent_of(MemoryRecentKind::Run, &text, Some(run.timestamp))
}
