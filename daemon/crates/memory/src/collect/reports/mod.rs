//! Reports of test runs: `files` has where they are, `collector` puts those of one run together, the others read one kind each.

mod collector;
mod files;
mod go;
mod javascript;
mod junit;
mod origin;
mod output;
mod tap;
#[cfg(test)]
mod tests;

use super::facts::{SuiteFacts, rfc3339};
use crate::model::{pattern, percentage};
use ccd_protocol::memory::{TestFailure, TestStatus};
use origin::{FileLine, Origin, message};
use regex::Regex;
use std::path::Path;
use time::OffsetDateTime;
use time::format_description::well_known::Iso8601;

pub(crate) use collector::reports;

/// The text ends before the report does.
#[derive(Debug)]
struct CutOff;

/// What a run did; nothing if the text is no report.
type Reading = Result<Option<SuiteFacts>, CutOff>;

/// Reads a report by what is in it. `module` is the part of the project that was tested; it and `path` are relative.
fn read(root: &Path, module: &Path, path: &Path, text: &str) -> Reading {
    let origin = Origin { root, module, path };
    let start = text.trim_start();
    match start.as_bytes().first() {
        Some(b'{') => Ok(javascript::read(origin, start)?.or_else(|| go::events(origin, start))),
        Some(b'<') => junit::read(origin, start),
        _ => Ok(output::read(origin, text)),
    }
}

/// Returns what a command that ran tests printed of them; nothing if no test program printed this.
pub(super) fn of_output(root: &Path, text: &str) -> Option<SuiteFacts> {
    read(root, Path::new(""), Path::new(""), text).ok()?
}

fn first_group<'a>(pattern: &Regex, text: &'a str) -> Option<&'a str> {
    let found = pattern.captures(text)?;
    let group = found.iter().skip(1).flatten().next()?;
    Some(group.as_str())
}

fn facts_of(framework: &str) -> SuiteFacts {
    let mut facts = SuiteFacts::default();
    facts.suite.framework = framework.to_owned();
    facts
}

fn failure(test_name: &str, (file, line): FileLine, said: &str) -> TestFailure {
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
        let whole = failure("the whole run", FileLine::default(), &why);
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
    let parse = |text: &str| OffsetDateTime::parse(text, &Iso8601::DEFAULT).ok();
    let time = parse(text).or_else(|| parse(&format!("{text}Z")));
    time.map(rfc3339)
}
