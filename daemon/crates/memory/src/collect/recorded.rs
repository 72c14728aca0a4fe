//! What the daemon recorded of a project's runs: it says how tests and builds ended where no report does.

use super::facts::{Sourced, SuiteFacts};
use super::reports::of_output;
use crate::model::since;
use ccd_protocol::memory::{BuildState, BuildStatus, TestStatus};
use std::path::Path;
use std::time::SystemTime;

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
    pub source: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedPurpose {
    Unit,
    E2e,
    Build,
}

/// A command for tests or a build that was run in the project.
#[derive(Debug, Clone)]
pub struct RecordedRun {
    pub purpose: RecordedPurpose,
    pub command: String,
    pub is_part: bool,
    /// What its exit status says; nothing if that is of another command of the line.
    pub is_failed: Option<bool>,
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
}

impl Recorded {
    pub(crate) fn after(&self, time: SystemTime) -> Self {
        let mut recorded = self.clone();
        recorded.runs.retain(|run| since(&run.at) > Some(time));
        recorded
    }

    /// Returns how the last test command of the kind ended, as far as that is known. Tests that were chosen and passed say
    /// nothing of the others.
    pub(crate) fn tests(&self, root: &Path, is_e2e: bool) -> Option<Sourced<SuiteFacts>> {
        let purpose = if is_e2e {
            RecordedPurpose::E2e
        } else {
            RecordedPurpose::Unit
        };
        let mut runs = self.runs.iter().filter(|run| run.purpose == purpose);
        runs.find_map(|run| {
            let mut facts = of_output(root, &run.output).unwrap_or_default();
            let suite = &mut facts.suite;
            let is_failed = match suite.status {
                TestStatus::Failed => true,
                TestStatus::Passed => run.is_failed.unwrap_or(false),
                TestStatus::NotRun => run.is_failed?,
            };
            if run.is_part && !is_failed {
                return None;
            }
            suite.command.clone_from(&run.command);
            suite.status = if is_failed {
                TestStatus::Failed
            } else {
                TestStatus::Passed
            };
            facts.is_e2e = is_e2e;
            facts.last_run = Some(run.at.clone());
            Some(run.sourced(facts))
        })
    }

    pub(crate) fn build(&self) -> Option<Sourced<BuildStatus>> {
        let mut builds = self.runs.iter().filter_map(|run| {
            let is_failed = run.is_failed?;
            (run.purpose == RecordedPurpose::Build).then_some((run, is_failed))
        });
        let (run, is_failed) = builds.next()?;
        let errors = run.output.lines().filter(|line| {
            let line = line.to_lowercase();
            line.contains("error") && !line.contains("0 errors")
        });
        Some(run.sourced(BuildStatus {
            status: if is_failed {
                BuildState::Failed
            } else {
                BuildState::Success
            },
            last_build: Some(run.at.clone()),
            output_dir: None,
            errors: Some(errors.map(|line| line.trim().to_owned()).collect()),
        }))
    }
}
