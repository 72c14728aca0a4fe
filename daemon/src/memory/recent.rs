//! What was done last in a project.

use super::owner::Memories;
use ccd_conversation::LastTurn;
use ccd_memory::recent_of;
use ccd_protocol::exec::ExecutionSummary;
use ccd_protocol::memory::{MemoryRecent, MemoryRecentKind};
use ccd_store::blocking;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tokio::time::timeout_at;

/// Runs that are named.
const RUNS: u64 = 2;

impl Memories {
    /// Returns what git, the last conversation and the last runs say, and what of it was not known at the deadline.
    /// Transcripts are only read if they are indexed.
    pub(crate) async fn recent(
        &self,
        project: &Path,
        deadline: Instant,
    ) -> (Vec<MemoryRecent>, Vec<&'static str>) {
        let is_indexed = self.index.exists().await;
        let conversations = Arc::clone(&self.conversations);
        let root = || project.to_owned();
        let (of_commits, of_changes, of_turn) = (root(), root(), root());
        let commits = blocking(move || ccd_memory::recent(&of_commits));
        let changes = blocking(move || ccd_memory::uncommitted(&of_changes));
        let turn = blocking(move || {
            let root = of_turn.canonicalize().unwrap_or(of_turn);
            is_indexed.then(|| conversations.last_turn(&root)).flatten()
        });
        let by = deadline.into();
        let (commits, changes, turn, runs) = tokio::join!(
            timeout_at(by, commits),
            timeout_at(by, changes),
            timeout_at(by, turn),
            timeout_at(by, self.exec.last_runs(project, RUNS)),
        );
        let is_late = commits.is_err() || turn.is_err() || runs.is_err();
        // The work tree of a large project takes longest.
        let late = [(changes.is_err(), "uncommitted"), (is_late, "recent")];
        let late = late.into_iter().filter(|(is_late, _)| *is_late);
        let late = late.map(|(_, part)| part).collect();
        let changes = changes.ok().flatten().into_iter();
        let commits = commits.unwrap_or_default().into_iter();
        let turn = turn.ok().flatten().map(of_conversation);
        let runs = runs.unwrap_or_default().into_iter().map(of_run);
        (
            changes.chain(commits).chain(turn).chain(runs).collect(),
            late,
        )
    }
}

fn of_conversation(turn: LastTurn) -> MemoryRecent {
    let answer = turn.answer.map(|answer| format!(" - {answer}"));
    let text = format!("{}{}", turn.prompt, answer.unwrap_or_default());
    recent_of(MemoryRecentKind::Conversation, &text, turn.at)
}

fn of_run(run: ExecutionSummary) -> MemoryRecent {
    let status = run.status.name();
    let text = format!("{} ({status})", run.instruction);
    recent_of(MemoryRecentKind::Run, &text, Some(run.timestamp))
}
