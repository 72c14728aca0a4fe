//! Whether tests and builds ran again.

use super::Verified;
use crate::collect::{Recorded, Sourced, SuiteFacts};
use crate::model::since;
use crate::rules::redact as redact_all;
use ccd_protocol::memory::{
    BlockerEntry, BuildState, BuildStatus, MemoryFact, TestFailure, TestStatus, TestSuite,
};
use ccd_text::redact::redact;
use std::path::Path;

fn word(is_e2e: bool) -> &'static str {
    if is_e2e { "e2e" } else { "unit" }
}

fn part(is_e2e: bool) -> String {
    format!("testResults.{}", word(is_e2e))
}

impl Verified {
    /// Takes the newest results of each suite, which come first.
    pub(super) fn reports(&mut self, reports: Vec<Sourced<SuiteFacts>>) {
        for is_e2e in [false, true] {
            let is_it = |report: &&Sourced<SuiteFacts>| report.value.is_e2e == is_e2e;
            if let Some(report) = reports.iter().find(is_it) {
                self.ran_again(report.clone());
            }
        }
    }

    /// Takes into account what the daemon recorded since the save; without it, `commands` are late.
    pub fn add_commands(&mut self, root: &Path, recorded: Option<&Recorded>) {
        let Some(recorded) = recorded else {
            return self.late.push("commands");
        };
        let Some(saved) = since(&self.current.memory.metadata.generated_at) else {
            return;
        };
        let recorded = recorded.after(saved);
        let provenance = &self.current.notes.provenance;
        let time = |fact: &MemoryFact| since(fact.at.as_deref()?);
        let known = |is_e2e| provenance.get(&part(is_e2e)).and_then(time);
        let runs = [false, true].into_iter();
        let runs = runs.filter_map(|is_e2e| recorded.tests(root, is_e2e));
        let runs = runs.filter(|run| time(&run.fact()) > known(run.value.is_e2e));
        self.reports(runs.collect());
        if let Some(build) = recorded.build() {
            self.built_again(&build);
        }
    }

    fn ran_again(&mut self, mut found: Sourced<SuiteFacts>) {
        found.source = redact(&found.source).text.into_owned();
        let fact = found.fact();
        let SuiteFacts { suite, is_e2e, .. } = found.value;
        let word = word(is_e2e);
        let tests = &mut self.current.memory.test_results;
        let place = if is_e2e {
            &mut tests.e2e
        } else {
            &mut tests.unit
        };
        let was = std::mem::replace(place, suite);
        if place.framework.is_empty() {
            place.framework.clone_from(&was.framework);
        }
        if place.command.is_empty() {
            place.command.clone_from(&was.command);
        }
        let now = counts(place);
        let text = format!("{word} tests ran again: {now}, from {}", fact.source);
        self.add(text, false, &counts(&was), &now);
        let provenance = &mut self.current.notes.provenance;
        provenance.insert(part(is_e2e), fact);
        // As a save does.
        redact_all(&mut self.current.memory);
        self.drop_blockers(|blocker| was.failures.iter().any(|old| is_of(blocker, old)));
        let to_fix = format!("failing {word} test");
        self.drop_steps(|step| step.action.starts_with("Fix ") && step.action.contains(&to_fix));
    }

    fn built_again(&mut self, build: &Sourced<BuildStatus>) {
        let status = &mut self.current.memory.environment.build.status;
        let was = *status == BuildState::Failed;
        let now = build.value.status == BuildState::Failed;
        let fact = match (was, now) {
            (true, true) => "the build still fails",
            (true, false) => "the build no longer fails",
            (false, true) => "the build fails now",
            (false, false) => return,
        };
        *status = build.value.status;
        let word = |failed| if failed { "failed" } else { "success" };
        let fact = format!("{fact}, from {}", build.source);
        self.add(fact, was == now, word(was), word(now));
        let provenance = &mut self.current.notes.provenance;
        provenance.insert("environment.build".to_owned(), build.fact());
        if !now {
            self.drop_blockers(|blocker| blocker.title == "The build fails");
        }
    }
}

/// Says how many failed and passed; of a run without counts, how it ended.
fn counts(suite: &TestSuite) -> String {
    match (suite.total, suite.status) {
        (0, TestStatus::Failed) => "failed".to_owned(),
        (0, TestStatus::Passed) => "passed".to_owned(),
        _ => format!("{} failed, {} passed", suite.failed, suite.passed),
    }
}

/// The title of a long name is cut.
fn is_of(blocker: &BlockerEntry, failure: &TestFailure) -> bool {
    let name = blocker.title.strip_prefix("Failing test: ");
    name.is_some_and(|name| match name.strip_suffix('…') {
        Some(start) => failure.test_name.starts_with(start),
        None => failure.test_name == name,
    })
}
