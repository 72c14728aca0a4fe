//! Whether tests and builds ran again.

use super::Verified;
use crate::collect::{Now, Recorded};
use crate::model::since;
use ccd_protocol::memory::{
    BlockerEntry, BuildState, MemoryFact, NextStep, TestFailure, TestStatus, TestSuite,
};
use ccd_text::redact::redact;
use std::path::Path;

/// Word of a suite and where its results are in a memory.
const SUITES: [(bool, &str, &str); 2] = [
    (false, "unit", "testResults.unit"),
    (true, "e2e", "testResults.e2e"),
];

impl Verified {
    pub(super) fn reports(&mut self, now: &Now) {
        for (is_e2e, word, part) in SUITES {
            if let Some((suite, fact)) = now.results(is_e2e) {
                self.ran_again(is_e2e, word, part, suite, fact);
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
        for (is_e2e, word, part) in SUITES {
            let known = self.current.notes.provenance.get(part);
            let known = known.and_then(|fact| since(fact.at.as_deref()?));
            let Some((suite, fact)) = recorded.results(root, is_e2e) else {
                continue;
            };
            if fact.at.as_deref().and_then(since) > known {
                self.ran_again(is_e2e, word, part, suite, fact);
            }
        }
        if let Some((failed, fact)) = recorded.build() {
            self.built_again(failed, fact);
        }
    }

    fn ran_again(
        &mut self,
        is_e2e: bool,
        word: &str,
        part: &str,
        mut suite: TestSuite,
        fact: MemoryFact,
    ) {
        let tests = &mut self.current.memory.test_results;
        let place = if is_e2e {
            &mut tests.e2e
        } else {
            &mut tests.unit
        };
        for (ours, old) in [
            (&mut suite.framework, &place.framework),
            (&mut suite.command, &place.command),
        ] {
            if ours.is_empty() {
                ours.clone_from(old);
            }
        }
        let was = std::mem::replace(place, suite.clone());
        let fact = MemoryFact {
            source: redact(&fact.source).text.into_owned(),
            ..fact
        };
        let text = format!(
            "{word} tests ran again: {}, from {}",
            counts(&suite),
            fact.source
        );
        self.add(text, false, &counts(&was), &counts(&suite));
        let provenance = &mut self.current.notes.provenance;
        provenance.insert(part.to_owned(), fact);
        self.redact();
        self.drop_blockers(|blocker| was.failures.iter().any(|old| is_of(blocker, old)));
        self.drop_steps(|step| is_to_fix(step, word, &was));
        let files = &mut self.current.memory.files_needing_attention;
        let is_old = |path: &str| was.failures.iter().any(|old| old.file == path);
        files.retain(|file| file.reason != "Failing test" || !is_old(&file.path));
    }

    fn built_again(&mut self, failed: bool, fact: MemoryFact) {
        let build = &mut self.current.memory.environment.build;
        let was = build.status;
        let (now, holds, text) = match (failed, was == BuildState::Failed) {
            (true, true) => (BuildState::Failed, true, "the build still fails"),
            (true, false) => (BuildState::Failed, false, "the build fails now"),
            (false, true) => (BuildState::Success, false, "the build no longer fails"),
            (false, false) => return,
        };
        build.status = now;
        let word = |state| {
            if state == BuildState::Failed {
                "failed"
            } else {
                "success"
            }
        };
        let text = format!("{text}, from {}", fact.source);
        self.add(text, holds, word(was), word(now));
        let provenance = &mut self.current.notes.provenance;
        provenance.insert("environment.build".to_owned(), fact);
        if !failed {
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

fn is_to_fix(step: &NextStep, word: &str, was: &TestSuite) -> bool {
    let Some(what) = step.action.strip_prefix("Fix ") else {
        return false;
    };
    match was.failed {
        0 => was.status == TestStatus::Failed && what.starts_with("the failing tests"),
        _ => what.contains(&format!(" failing {word} test")),
    }
}
