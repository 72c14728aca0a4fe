//! Reports of test runs: `files` has where they are, `collector` puts those of one run together, the others read one kind each.

mod collector;
mod files;
mod go;
mod javascript;
mod junit;
mod origin;
mod output;
mod tap;

use super::facts::{SuiteFacts, rfc3339};
use crate::model::percentage;
use ccd_protocol::memory::{TestFailure, TestStatus};
use origin::{Origin, Place, message};
use regex::Regex;
use std::path::Path;
use time::OffsetDateTime;
use time::format_description::well_known::Iso8601;

pub(super) use collector::{ReportCollector, reports};

/// The text ends before the report does.
#[derive(Debug)]
struct CutOff;

/// What a run did; nothing if the text is no report.
type Reading = Result<Option<SuiteFacts>, CutOff>;

/// Reads a report by what is in it.
fn read(origin: Origin<'_>, text: &str) -> Reading {
    let start = text.trim_start();
    match start.as_bytes().first() {
        Some(b'{') => Ok(javascript::read(origin, start)?.or_else(|| go::events(origin, start))),
        Some(b'<') => junit::read(origin, start),
        _ => Ok(output::read(origin, text)),
    }
}

/// Returns what a command that ran tests printed of them; nothing if no test program printed this.
pub(super) fn of_output(root: &Path, text: &str) -> Option<SuiteFacts> {
    let (module, path) = (Path::new(""), Path::new(""));
    read(Origin { root, module, path }, text).ok()?
}

/// In all patterns, `^` and `$` are the ends of a line.
fn pattern(pattern: &str) -> Regex {
    #[expect(clippy::unwrap_used, reason = "each is compiled by the tests")]
    Regex::new(&format!("(?m){pattern}")).unwrap()
}

fn facts_of(framework: &str) -> SuiteFacts {
    let mut facts = SuiteFacts::default();
    facts.suite.framework = framework.to_owned();
    facts
}

fn failure(test_name: &str, (file, line): Place, said: &str) -> TestFailure {
    TestFailure {
        file,
        line,
        test_name: test_name.to_owned(),
        message: message(said),
    }
}

/// Fills in what follows from the counts and the failures.
fn finish(mut facts: SuiteFacts) -> SuiteFacts {
    let suite = &mut facts.suite;
    if let Some(why) = facts.broken.take() {
        let whole = failure("the whole run", Place::default(), &why);
        suite.failures.insert(0, whole);
    }
    suite.total = suite.passed.saturating_add(suite.failed);
    suite.percentage = percentage(suite.passed, suite.total);
    suite.status = match (suite.failed, suite.total) {
        (0, 0) if suite.failures.is_empty() => TestStatus::NotRun,
        (0, _) if suite.failures.is_empty() => TestStatus::Passed,
        _ => TestStatus::Failed,
    };
    facts
}

/// Reads a time; one without a zone is taken for UTC.
fn time_of(text: &str) -> Option<String> {
    let time = OffsetDateTime::parse(text, &Iso8601::DEFAULT)
        .or_else(|_| OffsetDateTime::parse(&format!("{text}Z"), &Iso8601::DEFAULT));
    time.ok().map(rfc3339)
}
