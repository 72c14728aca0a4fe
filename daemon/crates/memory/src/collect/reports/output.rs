//! What test programs print: cargo test and nextest, pytest, go test, Vitest, Jest and Playwright, TAP.

use super::origin::plain;
use super::{Origin, SuiteFacts, facts_of, failure, finish, first_group, go, pattern, tap};
use crate::model::READ_FAILURES;
use ccd_protocol::memory::TestFailure;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// The name of a program, and patterns: see `formats.txt`.
static FORMATS: LazyLock<Vec<(&str, [Regex; 3])>> = LazyLock::new(|| {
    let formats = include_str!("formats.txt").split("\n\n").skip(1);
    let format = |format: &'static str| {
        let mut lines = format.lines();
        let name = lines.next().unwrap_or_default();
        (
            name,
            [(); 3].map(|()| pattern(lines.next().unwrap_or_default())),
        )
    };
    formats.map(format).collect()
});

static COUNT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(\d{1,9}) (passed|failed|errors?|timed out)\b"));

/// Reads what was printed; nothing if no test program did.
pub(super) fn read(origin: Origin<'_>, text: &str) -> Option<SuiteFacts> {
    let text = &*plain(text);
    let mut formats = FORMATS.iter();
    let found = formats.find_map(|(framework, patterns)| facts(origin, text, framework, patterns));
    let found = found.or_else(|| go::printed(origin, text));
    found.or_else(|| tap::read(origin, text))
}

fn facts(
    origin: Origin<'_>,
    text: &str,
    framework: &str,
    patterns: &[Regex; 3],
) -> Option<SuiteFacts> {
    let [counts, failure, broken] = patterns;
    let mut facts = facts_of(framework);
    facts.is_e2e = framework == "Playwright";
    let suite = &mut facts.suite;
    let lines = counts.captures_iter(text).filter_map(|line| line.get(1));
    for count in lines.flat_map(|line| COUNT.captures_iter(line.as_str())) {
        let number = count[1].parse().unwrap_or(0);
        match &count[2] {
            "passed" => suite.passed += number,
            _ => suite.failed += number,
        }
    }
    // A run that stopped at a failure is not broken.
    let why = first_group(broken, text).filter(|_| suite.failed == 0);
    facts.broken = why.map(str::to_owned);
    if facts.broken.is_none() && !counts.is_match(text) {
        return None;
    }
    // A flaky test is named too, but passed in the end.
    let is_failed = suite.failed > 0 || facts.broken.is_some();
    for found in failure.captures_iter(text).filter(|_| is_failed) {
        if facts.suite.failures.len() == READ_FAILURES {
            break;
        }
        // Some programs name a failure when it happens and at the end.
        facts.add(failure_of(origin, text, &found));
    }
    Some(finish(facts))
}

fn failure_of(origin: Origin<'_>, text: &str, found: &Captures<'_>) -> TestFailure {
    let group = |name: &str| found.name(name).map(|group| group.as_str());
    let name = group("name").or(group("file")).unwrap_or_default();
    let after = &text[found.get_match().end()..];
    let Some(file) = group("file") else {
        // A test of Rust says where it failed in the line `thread 'name' panicked at file:line:column:`.
        let panic = text.find(&format!("thread '{name}' "));
        let panic = panic.map_or("", |start| &text[start..]);
        let (place, said) = panic.split_once('\n').unwrap_or((panic, ""));
        return failure(name, origin.first(place).unwrap_or_default(), said);
    };
    let file = origin.file(file);
    let line = group("line").and_then(|line| line.parse().ok());
    // pytest prints where a test failed below a rule with its name.
    let section = text.find(&format!("_ {} _", name.replace("::", ".")));
    let below = section.map_or(after, |start| &text[start..]);
    let line = line.or_else(|| origin.line_in(below, &file));
    let line = line.or_else(|| origin.line_in(text, &file));
    failure(name, (file, line), group("said").unwrap_or(after))
}
