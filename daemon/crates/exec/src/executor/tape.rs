//! A run with tapes: a tape in place of Claude Code, or a recording of it.

use super::Executor;
use super::carry_out::{Ready, Task, json};
use crate::command::Start;
use crate::error::ExecError;
use crate::record::{Reader, RunOutcome};
use crate::request::Request;
use crate::run::after::Changes;
use crate::run::before::RunDirectory;
use crate::run::live::{self, Finished};
use crate::run::recorder::Recorder;
use crate::tape::{Answer, RunEnd, RunTapes, run_of};
use ccd_protocol::exec::{ExecPhase, ExecTapeOptions};
use ccd_protocol::tape::TapeUse;
use ccd_text::redact::redact;
use std::sync::Arc;

/// Who gives an instruction in a conversation.
const USER: &str = "user";

impl Executor {
    pub(super) async fn run_tapes(
        &self,
        options: ExecTapeOptions,
        request: &Request,
        start: &Start,
        place: &RunDirectory,
    ) -> Result<RunTapes, ExecError> {
        let earlier = match start {
            Start::New(_) => None,
            Start::Resume(id) => {
                let messages = Reader(self.database().await?).messages(id.as_str()).await?;
                let instructions = messages.into_iter().filter(|message| message.role == USER);
                Some(
                    instructions
                        .map(|message| message.content)
                        .collect::<Vec<_>>(),
                )
            }
        };
        let run = run_of(
            request,
            earlier.as_deref(),
            &place.tree.root.to_string_lossy(),
        );
        let replay = self.settings().replay;
        RunTapes::open(options, run, &self.tapes, &replay, &self.paths.base).await
    }
}

impl Task {
    /// Changes the work tree as the recorded run did, and plays the tape.
    pub(super) async fn replay(
        &self,
        answer: Answer<'_>,
        ready: &Ready,
    ) -> Result<Finished, ExecError> {
        let (patch, tree) = (answer.patch()?, ready.place.tree.clone());
        let applied = self.in_work_tree(move || tree.apply(&patch)).await;
        applied.map_err(|source| ExecError::Replay {
            tape: answer.tape().to_owned(),
            source,
        })?;
        self.note_started().await?;
        self.tell(ExecPhase::Running);
        let finished = live::replay(answer.part(), self.following()).await?;
        answer.played();
        Ok(finished)
    }

    /// From now on, what Claude Code prints is recorded, if the request says so.
    pub(super) fn start_recording(&mut self) {
        let records = self
            .planned
            .run_tapes
            .as_ref()
            .is_some_and(RunTapes::records);
        self.recorder = records.then(|| Arc::new(Recorder::start()));
    }

    /// Writes the tape of a run that is recorded. Returns how it used tapes, and what the user should know about that.
    pub(super) async fn record(
        &mut self,
        end: RunEnd,
        changes: Option<Changes>,
    ) -> Option<(TapeUse, Vec<String>)> {
        let recorder = self.recorder.take();
        let run_tapes = self.planned.run_tapes.take()?;
        let mut uses = run_tapes.uses();
        let mut warnings = Vec::new();
        if let Some(commits) = run_tapes.answer().map(|answer| answer.commits())
            && commits > 0
        {
            let ending = if commits == 1 { "" } else { "s" };
            warnings.push(format!(
                "the recorded run made {commits} commit{ending}; a replay leaves its changes uncommitted"
            ));
        }
        let Some(recorder) = recorder else {
            return Some((uses, warnings));
        };
        let Some(changes) = changes else {
            let problem = "what it changed is not known";
            warnings.push(format!("the run was not recorded: {problem}"));
            uses.problem = Some(problem.into());
            return Some((uses, warnings));
        };
        let written = ccd_store::blocking(move || {
            let secrets = redact(&changes.diff).removed;
            run_tapes.record(&recorder, end, &changes, &mut uses);
            (uses, secrets)
        });
        let (uses, secrets) = written.await;
        if let Some(problem) = &uses.problem {
            warnings.push(format!("the run was not recorded: {problem}"));
        }
        if let Some(tape) = uses.new.first()
            && secrets > 0
        {
            warnings.push(format!(
                "the changes on the tape {tape} contain {secrets} texts that look like secrets; a tape has changes exactly, so do not share it"
            ));
        }
        Some((uses, warnings))
    }
}

impl RunOutcome {
    pub(super) fn used(&mut self, uses: Option<(TapeUse, Vec<String>)>) {
        if let Some((uses, warnings)) = uses {
            self.tape = Some(json(&uses));
            self.warnings.extend(warnings);
        }
    }
}
