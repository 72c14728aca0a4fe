//! What the daemon recorded of a project's runs: it says how tests and builds ended where no report does.

use super::command::{Command, Purpose, of_line};
use super::facts::{Sourced, SuiteFacts};
use super::reports::of_output;
use crate::model::since;
use ccd_protocol::memory::{BuildState, BuildStatus, TestStatus};
use std::path::Path;
use std::time::SystemTime;

/// What is known of a project's sessions.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    /// Runs of its commands, the newest first.
    pub runs: Vec<RecordedRun>,
    /// What Claude Code's own list of tasks has as the current one.
    pub task: Option<RecordedTask>,
}

/// Phase of a task that is in no phase of the plan.
pub(crate) const OWN_LIST: &str = "Claude Code's own list";

/// A task of a list that is in no file of the project.
#[derive(Debug, Clone, Default)]
pub struct RecordedTask {
    pub title: String,
    /// When the list was changed last, RFC 3339.
    pub at: String,
    /// Who recorded it.
    pub source: String,
}

/// A command that was run in the project.
#[derive(Debug, Clone, Default)]
pub struct RecordedRun {
    pub command: String,
    /// Nothing if it is not known; it did not fail then.
    pub exit_code: Option<i32>,
    /// The end of what it printed.
    pub output: String,
    /// When it ended, RFC 3339.
    pub at: String,
    /// Who recorded it, such as `hook events` or `session build`.
    pub source: String,
}

impl RecordedRun {
    fn sourced<T>(&self, value: T) -> Sourced<T> {
        Sourced::new(value, &self.source, Some(self.at.clone()))
    }

    /// Returns whether the command failed, if the exit status of the line says so.
    fn is_failed(&self, command: &Command) -> Option<bool> {
        match self.exit_code.unwrap_or(0) {
            0 => command.has_to_succeed.then_some(false),
            _ => command.is_alone.then_some(true),
        }
    }
}

impl Recorded {
    /// Returns the runs that ended after a time.
    pub(crate) fn after(&self, time: SystemTime) -> Self {
        let mut recorded = self.clone();
        recorded.runs.retain(|run| since(&run.at) > Some(time));
        recorded
    }

    /// Returns how the last test command of the kind ended, as far as that is known. Tests that were chosen and passed say
    /// nothing of the others.
    pub(crate) fn tests(&self, root: &Path, is_e2e: bool) -> Option<Sourced<SuiteFacts>> {
        let purpose = if is_e2e { Purpose::E2e } else { Purpose::Unit };
        self.runs.iter().find_map(|run| {
            let command = of_line(&run.command, root).filter(|one| one.purpose == purpose)?;
            let mut facts = of_output(root, &run.output).unwrap_or_default();
            let suite = &mut facts.suite;
            let is_failed = match suite.status {
                TestStatus::Failed => true,
                TestStatus::Passed => run.is_failed(&command).unwrap_or(false),
                TestStatus::NotRun => run.is_failed(&command)?,
            };
            if command.is_part && !is_failed {
                return None;
            }
            suite.command = command.text;
            suite.status = match is_failed {
                true => TestStatus::Failed,
                false => TestStatus::Passed,
            };
            facts.is_e2e = is_e2e;
            facts.last_run = Some(run.at.clone());
            Some(run.sourced(facts))
        })
    }

    /// Returns how the last build ended.
    pub(crate) fn build(&self, root: &Path) -> Option<Sourced<BuildStatus>> {
        let mut builds = self.runs.iter().filter_map(|run| {
            let command = of_line(&run.command, root)?;
            let is_failed = run.is_failed(&command)?;
            (command.purpose == Purpose::Build).then_some((run, is_failed))
        });
        let (run, is_failed) = builds.next()?;
        let errors = run.output.lines().filter(|line| {
            let line = line.to_lowercase();
            line.contains("error") && !line.contains("0 errors")
        });
        Some(run.sourced(BuildStatus {
            status: match is_failed {
                true => BuildState::Failed,
                false => BuildState::Success,
            },
            last_build: Some(run.at.clone()),
            output_dir: None,
            errors: Some(errors.map(|line| line.trim().to_owned()).collect()),
        }))
    }
}
