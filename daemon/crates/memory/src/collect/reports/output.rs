//! What test programs print: cargo test and nextest, pytest, go test, vitest and jest, TAP.

use super::place::{first, message, plain};
use super::{SuiteFacts, finish, go, javascript, pattern, tap};
use ccd_protocol::memory::TestFailure;
use regex::Regex;
use std::path::Path;
use std::sync::LazyLock;

static CARGO: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^\s*test result: \w+\. (\d+) passed; (\d+) failed;"));
static CARGO_FAILED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^test (\S+)(?: - .*)? \.\.\. FAILED\s*$"));
static NEXTEST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?m)^\s*Summary \[.*?\] \d+(?:/\d+)? tests? run: (\d+) passed(?: \([^)]*\))?(?:, (\d+) failed)?",
    )
});
static NEXTEST_FAILED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?m)^\s*(?:FAIL|SIGABRT|TIMEOUT) \[.*?\] (?:\(.*?\) )?\S+ (\S+)\s*$")
});
static CARGO_BROKEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?m)^error: (could not compile .*)$|\((signal: \d+, SIG\w+: .*)\)\s*$")
});
static PYTEST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?m)^(?:=+ )?((?:\d+ [a-z]+(?:, )?)*\d+ (?:passed|failed|errors?|skipped|deselected)\b.*?|no tests ran) in [\d.]+s\b.*$",
    )
});
static PYTEST_FAILED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^(?:FAILED|ERROR) ([^\s:]+\.py)(?:::(.+?))?(?: - (.*))?$"));
static PYTEST_BROKEN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^(?:INTERNALERROR> (\w*(?:Error|Exception).*)|!+ (.+?) !+)$"));
static COUNT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(\d+) (passed|failed|errors?)\b"));
static JAVASCRIPT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^\s*Tests:?\s+(.*\b(?:passed|failed)\b.*)$"));

static VITEST_FAILED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^\s*FAIL\s+(\S+\.[cm]?[jt]sx?) > (.+?)\s*$"));

/// Reads the counts and the failures; nothing if no test program printed this.
pub(in crate::collect) fn of_output(root: &Path, text: &str) -> Option<SuiteFacts> {
    let text = &*plain(text);
    if text.trim_start().starts_with('{') {
        return javascript::read(root, text).or_else(|| go::read(root, text));
    }
    nextest(root, text)
        .or_else(|| cargo(root, text))
        .or_else(|| pytest(root, text))
        .or_else(|| javascript_text(root, text))
        .or_else(|| go::of_text(root, text))
        .map(finish)
        .or_else(|| tap::read(root, text))
}

fn number(text: Option<regex::Match<'_>>) -> u64 {
    text.and_then(|text| text.as_str().parse().ok())
        .unwrap_or(0)
}

fn named(framework: &str) -> SuiteFacts {
    let mut facts = SuiteFacts::default();
    facts.suite.framework = framework.to_owned();
    facts
}

fn cargo(root: &Path, text: &str) -> Option<SuiteFacts> {
    let mut facts = named("cargo test");
    facts.broken = broken(&CARGO_BROKEN, text);
    if facts.broken.is_none() {
        CARGO.find(text)?;
    }
    for found in CARGO.captures_iter(text) {
        facts.suite.passed += number(found.get(1));
        facts.suite.failed += number(found.get(2));
    }
    for found in CARGO_FAILED.captures_iter(text) {
        facts
            .suite
            .failures
            .push(rust_failure(root, text, &found[1]));
    }
    Some(facts)
}

fn nextest(root: &Path, text: &str) -> Option<SuiteFacts> {
    let mut facts = named("cargo-nextest");
    let found = NEXTEST.captures_iter(text).last()?;
    facts.suite.passed = number(found.get(1));
    facts.suite.failed = number(found.get(2));
    for found in NEXTEST_FAILED.captures_iter(text) {
        let name = &found[1];
        if facts
            .suite
            .failures
            .iter()
            .all(|failure| failure.test_name != name)
        {
            facts.suite.failures.push(rust_failure(root, text, name));
        }
    }
    Some(facts)
}

/// A test of Rust says where it failed in the line `thread 'name' panicked at file:line:column:`.
fn rust_failure(root: &Path, text: &str, name: &str) -> TestFailure {
    let start = [
        format!("thread '{name}' panicked at "),
        format!("thread '{name}' ("),
    ];
    let panic = start.iter().find_map(|start| text.find(start));
    let rest = panic.map_or("", |at| &text[at..]);
    let (place, said) = rest.split_once('\n').unwrap_or((rest, ""));
    let (file, line) = match first(root, place) {
        Some((file, line)) => (file, Some(line)),
        None => (String::new(), None),
    };
    TestFailure {
        file,
        line,
        test_name: name.to_owned(),
        message: message(said),
    }
}

fn counts(text: &str, facts: &mut SuiteFacts) {
    for found in COUNT.captures_iter(text) {
        match &found[2] {
            "passed" => facts.suite.passed += number(found.get(1)),
            _ => facts.suite.failed += number(found.get(1)),
        }
    }
}

/// Returns why a whole run failed.
fn broken(pattern: &Regex, text: &str) -> Option<String> {
    let found = pattern.captures(text)?;
    let why = found.get(1).or(found.get(2))?;
    Some(why.as_str().to_owned())
}

fn pytest(root: &Path, text: &str) -> Option<SuiteFacts> {
    let mut facts = named("pytest");
    let is_internal = text.contains("\nINTERNALERROR> ");
    match PYTEST.captures_iter(text).last() {
        Some(found) => counts(&found[1], &mut facts),
        None if is_internal => {}
        None => return None,
    }
    // With `-x`, a run stops at its first failure.
    facts.broken = broken(&PYTEST_BROKEN, text).filter(|_| is_internal || facts.suite.failed == 0);
    for found in PYTEST_FAILED.captures_iter(text) {
        let file = crate::collect::paths::relative(root, &found[1]);
        facts.suite.failures.push(TestFailure {
            line: super::place::line_in(root, text, &file),
            file,
            test_name: found
                .get(2)
                .map_or(&found[1], |name| name.as_str())
                .to_owned(),
            message: found.get(3).and_then(|text| message(text.as_str())),
        });
    }
    Some(facts)
}

fn javascript_text(root: &Path, text: &str) -> Option<SuiteFacts> {
    let line = JAVASCRIPT.captures_iter(text).last()?;
    let mut facts = named(if text.contains("Test Suites:") {
        "Jest"
    } else {
        "Vitest"
    });
    counts(&line[1], &mut facts);
    for found in VITEST_FAILED.captures_iter(text) {
        let file = crate::collect::paths::relative(root, &found[1]);
        let after = found.get(0).map_or("", |line| &text[line.end()..]);
        facts.suite.failures.push(TestFailure {
            line: super::place::line_in(root, after, &file),
            file,
            test_name: found[2].to_owned(),
            message: message(after),
        });
    }
    Some(facts)
}
