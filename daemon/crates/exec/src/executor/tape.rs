//! A run with tapes: a tape in place of Claude Code, or a recording of it.

use super::Executor;
use super::carry_out::RunTask;
use super::ready::Ready;
use crate::command::RunStart;
use crate::error::ExecError;
use crate::record::RecordReader;
use crate::request::RunRequest;
use crate::run::after::Changes;
use crate::run::before::RunDirectory;
use crate::run::live::{self, FinishedProcess};
use crate::run::recorder::RunRecorder;
use crate::tape::{Answer, RunTapes, run_of};
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
        request: &RunRequest,
        start: &RunStart,
        place: &RunDirectory,
    ) -> Result<RunTapes, ExecError> {
        let earlier = match start {
            RunStart::New(_) => None,
            RunStart::Resume(id) => {
                let messages = RecordReader(self.database().await?)
                    .messages(id.as_str())
                    .await?;
                let instructions = messages.into_iter().filter(|message| message.role == USER);
                Some(Vec::from_iter(instructions.map(|message| message.content)))
            }
        };
        let project = place.tree.root.to_string_lossy();
        let run = run_of(request, earlier.as_deref(), &project);
        let replay = self.settings().replay;
        RunTapes::open(options, run, &self.tapes, &replay, &self.paths.base).await
    }
}

impl RunTask {
    /// Changes the work tree as the recorded run did, and plays the tape.
    pub(super) async fn replay(
        &self,
        answer: Answer<'_>,
        ready: &Ready,
    ) -> Result<FinishedProcess, ExecError> {
        let patch = answer.patch()?;
        let applied = ready.write(move |tree| tree.apply(&patch)).await;
        applied.map_err(|error| match error {
            ExecError::Repository(source) => ExecError::Replay {
                tape: answer.tape().to_owned(),
                source,
            },
            other => other,
        })?;
        self.note_started().await?;
        self.tell(ExecPhase::Running);
        let finished = live::replay(answer.part(), self.following()).await?;
        answer.played();
        Ok(finished)
    }

    /// From now on, what Claude Code prints is recorded, if the request says so.
    pub(super) fn start_recording(&mut self, place: &RunDirectory) {
        let run_tapes = self.planned.run_tapes.as_mut();
        self.recorder = run_tapes
            .filter(|run_tapes| run_tapes.records())
            .map(|run_tapes| {
                run_tapes.set_project(&place.tree.root);
                Arc::new(RunRecorder::start())
            });
    }

    /// Writes the tape of a run that is recorded. Returns how it used tapes, and what the user should know about that.
    pub(super) async fn record(
        &mut self,
        finished: &Arc<FinishedProcess>,
        changes: Option<&Changes>,
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
        let mut secrets = 0;
        if let Some(changes) = changes.cloned() {
            let finished = Arc::clone(finished);
            let written = ccd_store::blocking(move || {
                let secrets = redact(&changes.diff).removed;
                run_tapes.record(&recorder, &finished, &changes, &mut uses);
                (uses, secrets)
            });
            (uses, secrets) = written.await;
        } else {
            uses.problem = Some("what it changed is not known".into());
        }
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
