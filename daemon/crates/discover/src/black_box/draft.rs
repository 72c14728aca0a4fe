//! A result while its test runs: if the run is cancelled, the result has what was found so far.

use crate::{Keep, new_uuid};
use ccd_protocol::black_box::{TestProgress, TestReport, TestResult, TestType};
use ccd_protocol::investigate::Finding;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What is done with the progress and the report of a run.
pub(super) type KeepTests = dyn Keep<TestProgress, TestReport>;

pub(super) struct Draft {
    id: String,
    test: TestType,
    /// None if nobody asked for this test.
    keep: Option<Arc<KeepTests>>,
    state: Mutex<DraftState>,
}

#[derive(Default)]
struct DraftState {
    /// When it began; none before that.
    began: Option<String>,
    is_done: bool,
    details: Map<String, Value>,
    findings: Vec<Finding>,
    error: Option<String>,
    done: u64,
    of: u64,
}

impl Draft {
    pub(super) fn new(test: TestType, keep: Option<Arc<KeepTests>>) -> Self {
        Self {
            id: new_uuid(),
            test,
            keep,
            state: Mutex::default(),
        }
    }

    pub(super) fn test(&self) -> TestType {
        self.test
    }

    pub(super) fn begin(&self, steps: usize) {
        self.change(|state| {
            state.began.get_or_insert_with(ccd_base::clock::now);
            state.of = steps as u64;
        });
    }

    pub(super) fn step(&self) {
        self.steps(1);
    }

    pub(super) fn steps(&self, count: usize) {
        self.change(|state| state.done = (state.done + count as u64).min(state.of));
    }

    /// Changes the result, and reports the progress.
    fn change(&self, change: impl FnOnce(&mut DraftState)) {
        let mut state = self.state.lock();
        change(&mut state);
        let progress = TestProgress {
            test: self.test,
            done: state.done,
            of: state.of,
            findings: state.findings.len() as u64,
        };
        drop(state);
        if let Some(keep) = &self.keep {
            keep.progress(&progress);
        }
    }

    pub(super) fn set(&self, key: &str, value: impl Into<Value>) {
        self.state
            .lock()
            .details
            .insert(key.to_owned(), value.into());
    }

    pub(super) fn find(&self, finding: Finding) {
        self.change(|state| state.findings.push(finding));
    }

    /// Notes why the program fails, if it has not failed for another reason.
    pub(super) fn fail(&self, why: impl Into<String>) {
        self.state.lock().error.get_or_insert_with(|| why.into());
    }

    /// Notes that the test is done; each finding fails it.
    pub(super) fn finish(&self) {
        self.change(|state| {
            state.is_done = true;
            state.done = state.of;
        });
    }

    /// Ends a test that cannot go on.
    pub(super) fn give_up(&self, why: String) {
        self.begin(1);
        self.fail(why);
        self.finish();
    }

    /// Returns the result; none if the test may still begin. `why` is why the run ended early, once it has ended.
    pub(super) fn result(&self, program: &str, why: Option<&str>) -> Option<TestResult> {
        let state = self.state.lock();
        let has_begun = state.began.is_some();
        let timestamp = match why {
            None => state.began.clone()?,
            Some(_) => state.began.clone().unwrap_or_else(ccd_base::clock::now),
        };
        let why = why.unwrap_or("the run goes on");
        let mut details = state.details.clone();
        if !state.findings.is_empty() || self.test == TestType::Fuzz {
            let findings = serde_json::to_value(&state.findings).unwrap_or_default();
            details.insert("findings".into(), findings);
        }
        if !state.is_done {
            details.insert("complete".into(), json!(false));
        }
        let error = state.error.clone().or_else(|| sentence(&state.findings));
        let error = match (error, state.is_done) {
            (error, true) => error,
            (Some(error), false) => Some(format!("{error}; not finished: {why}")),
            (None, false) if !has_begun => Some(format!("not begun: {why}")),
            (None, false) => Some(format!("not finished: {why}")),
        };
        Some(TestResult {
            id: self.id.clone(),
            program: program.to_owned(),
            timestamp,
            test_type: self.test,
            passed: error.is_none(),
            details,
            error,
        })
    }
}

/// Returns what was found in one sentence; none if nothing was.
fn sentence(findings: &[Finding]) -> Option<String> {
    const SHOWN: usize = 3;
    let messages: Vec<&str> = findings.iter().map(|found| &*found.message).collect();
    match messages.len() {
        0 => None,
        1 => Some(format!("1 finding: {}", messages[0])),
        len if len <= SHOWN => Some(format!("{len} findings: {}", messages.join("; "))),
        len => Some(format!(
            "{len} findings: {}; and {} more",
            messages[..SHOWN].join("; "),
            len - SHOWN
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::finding;
    use super::*;
    use ccd_protocol::investigate::FindingKind;

    fn draft() -> Draft {
        Draft::new(TestType::Exit, None)
    }

    #[test]
    fn a_result_passes_unless_something_was_found_or_is_missing() {
        assert!(draft().result("p", None).is_none());
        let result = draft().result("p", Some("cancelled")).unwrap();
        assert_eq!(result.error.as_deref(), Some("not begun: cancelled"));
        assert!(!result.passed);
        let passed = draft();
        passed.begin(2);
        passed.finish();
        let result = passed.result("p", Some("")).unwrap();
        assert!(result.passed && result.error.is_none() && result.details.is_empty());

        let cut = draft();
        cut.begin(2);
        let result = cut.result("p", Some("cancelled")).unwrap();
        assert_eq!(result.error.as_deref(), Some("not finished: cancelled"));

        let found = draft();
        found.begin(1);
        found.find(finding(FindingKind::Leak, Some(b"x"), "it leaks".into()));
        found.finish();
        let result = found.result("p", Some("")).unwrap();
        assert_eq!(result.error.as_deref(), Some("1 finding: it leaks"));
        assert_eq!(result.details["findings"][0]["kind"], "leak");
    }
}
