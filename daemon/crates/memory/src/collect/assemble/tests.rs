//! Test results: of the newest report of each suite, or what the daemon recorded after it, else only how they would be run.

use super::KnownProject;
use crate::collect::facts::{Runner, Sourced, SuiteFacts};
use crate::collect::manifest::pytest;
use crate::model::{Provenance, since};
use ccd_protocol::memory::{TestResults, TestSuite};
use std::path::Path;

pub(super) fn results(known: &KnownProject<'_>, provenance: &mut Provenance) -> TestResults {
    let (root, facts) = (&known.project.root, &known.facts);
    let mut last_run = None;
    let mut suite = |is_e2e: bool, runner: &Runner, name: &str| {
        let report = facts
            .reports
            .iter()
            .find(|report| report.value.is_e2e == is_e2e)
            .cloned();
        // The newer of both; without a report there is no time.
        let time = |found: &Sourced<SuiteFacts>| found.at.as_deref().and_then(since);
        let reported = report.as_ref().and_then(time);
        let ran = known.recorded.tests(root, is_e2e);
        let found = ran.filter(|ran| time(ran) > reported).or(report);
        if let Some(found) = &found {
            provenance.insert(format!("testResults.{name}"), found.fact());
            last_run = last_run.take().max(found.value.last_run.clone());
        }
        named(root, found, runner)
    };
    let unit = suite(false, &facts.manifest.unit, "unit");
    let e2e = suite(true, &facts.manifest.e2e, "e2e");
    TestResults {
        last_run,
        unit,
        e2e,
    }
}

fn named(root: &Path, found: Option<Sourced<SuiteFacts>>, runner: &Runner) -> TestSuite {
    let mut suite = found.map(|found| found.value.suite).unwrap_or_default();
    if suite.framework.is_empty() {
        suite.framework = runner.framework.unwrap_or("unknown").to_owned();
    }
    if suite.command.is_empty() {
        // The command of the manifest runs what that names; a report may be of something else.
        let own = match &*suite.framework {
            "pytest" => Some(pytest(root)),
            "cargo test" if runner.framework != Some("cargo test") => Some("cargo test"),
            name if name.starts_with("go test") => Some("go test ./..."),
            _ => None,
        };
        let own = own.map(str::to_owned);
        suite.command = own.or_else(|| runner.command.clone()).unwrap_or_default();
    }
    suite
}
