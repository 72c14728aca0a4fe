//! What the daemon recorded of a project's runs: it says how tests and builds ended where no report does.

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
    fn failed(&self) -> bool {
        self.exit_code.is_some_and(|code| code != 0)
    }

    fn sourced<T>(&self, value: T) -> Sourced<T> {
        Sourced::new(value, &self.source, Some(self.at.clone()))
    }
}

impl Recorded {
    /// Returns the runs that ended after a time.
    pub(crate) fn after(&self, time: SystemTime) -> Self {
        let mut recorded = self.clone();
        recorded.runs.retain(|run| since(&run.at) > Some(time));
        recorded
    }

    /// Returns how the last test command of the kind ended.
    pub(crate) fn tests(&self, root: &Path, is_e2e: bool) -> Option<Sourced<SuiteFacts>> {
        let is_it = |run: &&RecordedRun| is_test(&run.command) && has(&run.command, E2E) == is_e2e;
        let run = self.runs.iter().find(is_it)?;
        let mut facts = of_output(root, &run.output).unwrap_or_default();
        facts.is_e2e = is_e2e;
        facts.last_run = Some(run.at.clone());
        facts.suite.command.clone_from(&run.command);
        facts.suite.status = match run.failed() || facts.suite.failed > 0 {
            true => TestStatus::Failed,
            false => TestStatus::Passed,
        };
        Some(run.sourced(facts))
    }

    /// Returns how the last build ended.
    pub(crate) fn build(&self) -> Option<Sourced<BuildStatus>> {
        let is_build = |run: &&RecordedRun| !is_test(&run.command) && has(&run.command, BUILDS);
        let run = self.runs.iter().find(is_build)?;
        let errors = run.output.lines().filter(|line| {
            let line = line.to_lowercase();
            line.contains("error") && !line.contains("0 errors")
        });
        Some(run.sourced(BuildStatus {
            status: match run.failed() {
                true => BuildState::Failed,
                false => BuildState::Success,
            },
            last_build: Some(run.at.clone()),
            output_dir: None,
            errors: Some(errors.map(|line| line.trim().to_owned()).collect()),
        }))
    }
}

const TESTS: &str = "test nextest pytest jest vitest playwright cypress ctest mocha";
const E2E: &str = "e2e playwright cypress";
const BUILDS: &str = "build tsc compile make javac check";

fn is_test(command: &str) -> bool {
    has(command, TESTS)
}

/// True if one of the words, separated by blanks, is in a command.
fn has(command: &str, words: &str) -> bool {
    let mut own = command.split(|c: char| !c.is_alphanumeric() && c != '-');
    own.any(|own| words.split(' ').any(|word| word == own))
}
