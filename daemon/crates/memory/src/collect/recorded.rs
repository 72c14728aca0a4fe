//! What the daemon recorded of a project's runs: it says how tests and builds ended where no report does.

use super::facts::{Sourced, SuiteFacts};
use super::reports::of_output;
use crate::model::since;
use ccd_protocol::memory::{BuildState, BuildStatus, MemoryFact, TestStatus, TestSuite};
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
}

impl Recorded {
    /// Returns the runs that ended after a time.
    pub(crate) fn after(&self, time: SystemTime) -> Self {
        let runs = self.runs.iter();
        let runs = runs.filter(|run| since(&run.at) > Some(time)).cloned();
        Self {
            runs: runs.collect(),
            task: None,
        }
    }

    /// Returns how the last test command of the kind ended, and who recorded it.
    pub(crate) fn results(&self, root: &Path, is_e2e: bool) -> Option<(TestSuite, MemoryFact)> {
        let found = self.tests(root, is_e2e)?;
        let fact = found.fact();
        Some((found.value.suite, fact))
    }

    /// Says whether the last build failed, and who recorded it.
    pub(crate) fn build(&self) -> Option<(bool, MemoryFact)> {
        let run = self.runs.iter().find(|run| is_build(&run.command))?;
        let fact = MemoryFact {
            source: run.source.clone(),
            at: Some(run.at.clone()),
        };
        Some((run.failed(), fact))
    }

    /// Returns how the last test command of the kind ended.
    pub(super) fn tests(&self, root: &Path, is_e2e: bool) -> Option<Sourced<SuiteFacts>> {
        let run = self
            .runs
            .iter()
            .find(|run| is_test(&run.command) && is_e2e_command(&run.command) == is_e2e)?;
        let mut facts = of_output(root, &run.output).unwrap_or_default();
        facts.is_e2e = is_e2e;
        facts.last_run = Some(run.at.clone());
        facts.suite.command = run.command.clone();
        facts.suite.status = match run.failed() || facts.suite.failed > 0 {
            true => TestStatus::Failed,
            false => TestStatus::Passed,
        };
        Some(Sourced {
            value: facts,
            source: run.source.clone(),
            at: Some(run.at.clone()),
        })
    }

    /// Returns the last build that failed, unless a later one did not.
    pub(super) fn failed_build(&self) -> Option<Sourced<BuildStatus>> {
        let run = self.runs.iter().find(|run| is_build(&run.command))?;
        let errors = run.output.lines().filter(|line| {
            let line = line.to_lowercase();
            line.contains("error") && !line.contains("0 errors")
        });
        let value = BuildStatus {
            status: BuildState::Failed,
            last_build: Some(run.at.clone()),
            output_dir: None,
            errors: Some(errors.map(|line| line.trim().to_owned()).collect()),
        };
        run.failed().then(|| Sourced {
            value,
            source: run.source.clone(),
            at: Some(run.at.clone()),
        })
    }
}

fn words(command: &str) -> Vec<&str> {
    command
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .filter(|word| !word.is_empty())
        .collect()
}

fn is_test(command: &str) -> bool {
    let words = words(command);
    const RUNNERS: [&str; 9] = [
        "test",
        "nextest",
        "pytest",
        "jest",
        "vitest",
        "playwright",
        "cypress",
        "ctest",
        "mocha",
    ];
    words.iter().any(|word| RUNNERS.contains(word))
}

fn is_e2e_command(command: &str) -> bool {
    let words = words(command);
    ["e2e", "playwright", "cypress"]
        .iter()
        .any(|word| words.contains(word))
}

fn is_build(command: &str) -> bool {
    let words = words(command);
    const BUILDS: [&str; 6] = ["build", "tsc", "compile", "make", "javac", "check"];
    !is_test(command) && words.iter().any(|word| BUILDS.contains(word))
}
