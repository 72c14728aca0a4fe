//! Whether a tape answers in place of Claude Code, and whether the run is recorded.

use crate::error::ExecError;
use crate::run::after::Changes;
use crate::run::live::FinishedProcess;
use crate::run::playing::PlayedOutput;
use crate::run::recorder::RunRecorder;
use crate::verdict::EndCause;
use ccd_base::shell;
use ccd_protocol::exec::ExecTapeOptions;
use ccd_protocol::tape::{FallbackMode, RecordMode, TapeExit, TapeOptions, TapeUse};
use ccd_store::blocking;
use ccd_tape::TapeError;
use ccd_tape::format::Annotations;
use ccd_tape::play::ReplayPace;
use ccd_tape::record::FinishedTapes as Written;
use ccd_tape::root::{Root, Roots};
use ccd_tape::run::{RunKey, RunRecord, TapedRun, patch, set_patch};
use ccd_tape::settings::{ReplayDefaults, TapeSettings};
use ccd_terminal::supervised::ProgramEnd;
use std::path::Path;
use std::sync::Arc;

/// Annotations of a run: how it was ended, and how many commits it made.
const ENDED: &str = "ended";
const COMMITS: &str = "commits";

/// A run that was ended because its background tasks went on after its answer, which is all that counts.
const GRACE: &str = "grace";

#[derive(Debug)]
pub(crate) struct RunTapes {
    run: RunKey,
    root: Arc<Root>,
    settings: TapeSettings,
    /// Complete.
    options: TapeOptions,
    found: Option<TapedRun>,
}

impl RunTapes {
    /// Finds the tape of a run. `base` has the directory of tapes that is used if none is named.
    pub(crate) async fn open(
        options: ExecTapeOptions,
        run: RunKey,
        roots: &Roots,
        replay: &ReplayDefaults,
        base: &Path,
    ) -> Result<Self, ExecError> {
        let options = TapeOptions::from(options);
        let settings = TapeSettings::over(&options, replay, base)?;
        let root = roots.open(&settings.root).await.map_err(TapeError::from)?;
        let mut run_tapes = Self {
            options: settings.completed(&options, replay),
            settings,
            root,
            run,
            found: None,
        };
        let is_live = run_tapes.settings.fallback == FallbackMode::Proxy;
        let may_answer = match run_tapes.settings.record {
            RecordMode::Disabled => true,
            RecordMode::New => is_live,
            RecordMode::Overwrite => false,
        };
        if !may_answer {
            return Ok(run_tapes);
        }
        blocking(move || {
            let record_with = run_tapes.record_with();
            match run_tapes
                .run
                .find(&run_tapes.root, &run_tapes.settings, &record_with)
            {
                Ok(found) => run_tapes.found = Some(found),
                Err(TapeError::Miss(_)) if is_live => {}
                Err(error) => return Err(error.into()),
            }
            Ok(run_tapes)
        })
        .await
    }

    /// Returns whether a tape answers, so that Claude Code is not needed.
    pub(crate) fn answers(&self) -> bool {
        self.found.is_some()
    }

    pub(crate) fn records(&self) -> bool {
        self.found.is_none() && self.settings.record != RecordMode::Disabled
    }

    /// Returns the tape that answers, without its output.
    pub(crate) fn answer(&self) -> Option<Answer<'_>> {
        self.found.as_ref().map(|found| Answer {
            run_tapes: self,
            found,
        })
    }

    fn record_with(&self) -> String {
        let tapes = if self.settings.is_default_root {
            String::new()
        } else {
            format!(
                "--tapes {} ",
                shell::quoted(&self.root.path.to_string_lossy())
            )
        };
        format!("ccctl exec {tapes}--record new …")
    }

    /// Returns how the run used tapes, without what was recorded.
    pub(crate) fn uses(&self) -> TapeUse {
        let is_hit = self.found.is_some();
        let is_live = !is_hit && self.settings.fallback == FallbackMode::Proxy;
        TapeUse {
            root: self.root.path.to_string_lossy().into_owned(),
            record: Some(self.settings.record),
            fallback: Some(self.settings.fallback),
            hits: is_hit.into(),
            misses: is_live.into(),
            proxied: is_live.into(),
            used: self
                .found
                .iter()
                .map(|found| found.tape.to_string())
                .collect(),
            ..TapeUse::default()
        }
    }

    /// `project` is the top of the work tree in which the run is recorded.
    pub(crate) fn set_project(&mut self, project: &Path) {
        self.run.cwd = project.to_string_lossy().into_owned();
    }

    /// Writes a run to a tape, unless it is on one already, and notes that in `uses`. Blocks.
    pub(crate) fn record(
        &self,
        recorder: &RunRecorder,
        finished: &FinishedProcess,
        changes: &Changes,
        uses: &mut TapeUse,
    ) {
        let written = match self.record_of(recorder, finished, changes) {
            Ok(record) => {
                let run = self.run.clone();
                run.record(record, &self.root, &self.settings, &self.options)
            }
            Err(problem) => Written::problem(problem),
        };
        written.note_in(uses);
        let is_missing = self.settings.record == RecordMode::Overwrite && written.recorded == 0;
        if is_missing && uses.problem.is_none() {
            let problem = "no tape has it, so there is none to overwrite; --record new adds one";
            uses.problem = Some(problem.into());
        }
    }

    fn record_of(
        &self,
        recorder: &RunRecorder,
        finished: &FinishedProcess,
        changes: &Changes,
    ) -> Result<RunRecord, String> {
        let mut annotations = Annotations::new();
        match finished.cause {
            None => {}
            Some(EndCause::Grace) => drop(annotations.insert(ENDED.into(), GRACE.into())),
            Some(_) => return Err("it was ended before it had finished".into()),
        }
        if finished.printed.facts.too_long_lines > 0 {
            return Err("a line of its stream was too long".into());
        }
        set_patch(&mut annotations, changes.diff_bytes());
        if !changes.commits.is_empty() {
            annotations.insert(COMMITS.into(), changes.commits.len().into());
        }
        let (code, signal) = match finished.exit {
            ProgramEnd::Code(code) => (Some(code), None),
            ProgramEnd::Signal(signal) => (None, Some(signal)),
        };
        Ok(RunRecord {
            chunks: recorder.chunks(self.settings.redact)?,
            exit: Some(TapeExit { code, signal }),
            dur_ms: u64::try_from(finished.elapsed.as_millis()).unwrap_or(u64::MAX),
            annotations,
        })
    }
}

/// A tape that answers in place of Claude Code.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer<'a> {
    run_tapes: &'a RunTapes,
    found: &'a TapedRun,
}

impl Answer<'_> {
    pub(crate) fn tape(&self) -> &str {
        &self.found.tape
    }

    /// The top of the work tree in which it was recorded.
    pub(crate) fn project(&self) -> &str {
        &self.found.meta.cwd
    }

    /// Returns what the recorded run changed.
    pub(crate) fn patch(&self) -> Result<Vec<u8>, TapeError> {
        patch(&self.found.exchange.annotations)
    }

    /// Returns how many commits the recorded run made.
    pub(crate) fn commits(&self) -> u64 {
        let commits = self.found.exchange.annotations.get(COMMITS);
        commits.and_then(serde_json::Value::as_u64).unwrap_or(0)
    }

    pub(crate) fn part(&self) -> PlayedOutput {
        let exchange = &self.found.exchange;
        let pace = ReplayPace {
            latency: self.run_tapes.settings.latency.clone(),
            error_rate: Some(0.0),
            seed: self.run_tapes.settings.seed,
        };
        let recorded: Vec<u64> = exchange.chunks.iter().map(|chunk| chunk.delay_ms).collect();
        let delays = pace.delays(&self.found.meta, 0, &recorded);
        let ended = exchange.annotations.get(ENDED);
        PlayedOutput {
            chunks: delays
                .into_iter()
                .zip(exchange.chunks.iter().cloned())
                .collect(),
            exit: exchange.exit,
            was_ended: ended.is_some_and(|ended| ended == GRACE),
        }
    }

    pub(crate) fn played(&self) {
        self.run_tapes.root.played(&self.found.tape, 1);
    }
}
