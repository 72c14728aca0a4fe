//! What test programs print: cargo test and nextest, pytest, go test, Vitest and Jest, TAP.

use super::origin::plain;
use super::{Origin, SuiteFacts, facts_of, failure, finish, go, pattern, tap};
use ccd_protocol::memory::TestFailure;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// What a test program prints.
struct Format {
    framework: &'static str,
    /// A line with counts such as `3 passed, 1 failed` in its group.
    counts: Regex,
    /// A failure: its `name` and its `file`, at least one of them, and what it `said`, else that follows.
    failure: Regex,
    /// Why a whole run failed, in one of its groups.
    broken: Option<Regex>,
}

/// nextest prints what cargo test does for each test that failed: it comes first.
static FORMATS: LazyLock<[Format; 5]> = LazyLock::new(|| {
    [
        Format {
            framework: "cargo-nextest",
            counts: pattern(r"^\s*Summary \[.*?\] \d+(?:/\d+)? tests? run: (.*)$"),
            failure: pattern(
                r"^\s*(?:FAIL|SIGABRT|TIMEOUT) \[.*?\] (?:\(.*?\) )?\S+ (?P<name>\S+)\s*$",
            ),
            broken: None,
        },
        Format {
            framework: "cargo test",
            counts: pattern(r"^\s*test result: \w+\. (.*)$"),
            failure: pattern(r"^test (?P<name>\S+)(?: - .*)? \.\.\. FAILED\s*$"),
            broken: Some(pattern(
                r"^error: (could not compile .*)$|\((signal: \d+, SIG\w+: .*)\)\s*$",
            )),
        },
        Format {
            framework: "pytest",
            counts: pattern(
                r"^(?:=+ )?((?:\d+ [a-z]+, )*\d+ (?:passed|failed|errors?|skipped|deselected)\b.*?|no tests ran) in [\d.]+s\b",
            ),
            failure: pattern(
                r"^(?:FAILED|ERROR) (?P<file>[^\s:]+\.py)(?:::(?P<name>.+?))?(?: - |$)(?P<said>.*)$",
            ),
            broken: Some(pattern(
                r"^(?:INTERNALERROR> (\w*(?:Error|Exception).*)|!+ (\S*(?:Interrupt|Exit).*?) !+)$",
            )),
        },
        Format {
            framework: "Jest",
            counts: pattern(r"^\s*Tests:\s+(.*\b(?:passed|failed)\b.*)$"),
            failure: pattern(r"^ +● (?P<name>.+ › .+?)\s*$"),
            broken: None,
        },
        Format {
            framework: "Vitest",
            counts: pattern(r"^\s*Tests\s+(.*\b(?:passed|failed)\b.*)$"),
            failure: pattern(r"^\s*FAIL\s+(?P<file>\S+\.[cm]?[jt]sx?) > (?P<name>.+?)\s*$"),
            broken: None,
        },
    ]
});

static COUNT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(\d{1,9}) (passed|failed|errors?|timed out)\b"));

/// Reads what was printed; nothing if no test program did.
pub(super) fn read(origin: Origin<'_>, text: &str) -> Option<SuiteFacts> {
    let text = &*plain(text);
    let mut formats = FORMATS.iter();
    let found = formats.find_map(|format| format.read(origin, text));
    let found = found.or_else(|| go::printed(origin, text));
    found.or_else(|| tap::read(origin, text))
}

impl Format {
    fn read(&self, origin: Origin<'_>, text: &str) -> Option<SuiteFacts> {
        let mut facts = facts_of(self.framework);
        let suite = &mut facts.suite;
        let mut has_counts = false;
        for line in self.counts.captures_iter(text) {
            has_counts = true;
            for count in COUNT.captures_iter(&line[1]) {
                let number = count[1].parse().unwrap_or(0);
                match &count[2] {
                    "passed" => suite.passed += number,
                    _ => suite.failed += number,
                }
            }
        }
        // A run that stopped at a failure is not broken.
        let broken = self.broken.as_ref().filter(|_| suite.failed == 0);
        let broken = broken.and_then(|broken| broken.captures(text));
        let why = broken.and_then(|found| found.iter().skip(1).flatten().next());
        facts.broken = why.map(|why| why.as_str().to_owned());
        if !has_counts && facts.broken.is_none() {
            return None;
        }
        for found in self.failure.captures_iter(text) {
            let failure = failure_of(origin, text, &found);
            // Some programs name a failure when it happens and at the end.
            if !suite.failures.contains(&failure) {
                suite.failures.push(failure);
            }
        }
        Some(finish(facts))
    }
}

fn failure_of(origin: Origin<'_>, text: &str, found: &Captures<'_>) -> TestFailure {
    let group = |name: &str| found.name(name).map(|group| group.as_str());
    let name = group("name").or(group("file")).unwrap_or_default();
    let after = &text[found.get_match().end()..];
    let Some(file) = group("file") else {
        // A test of Rust says where it failed in the line `thread 'name' panicked at file:line:column:`.
        let panic = text.find(&format!("thread '{name}' "));
        let panic = panic.map_or("", |start| &text[start..]);
        let place = panic.lines().next().and_then(|line| origin.first(line));
        let said = panic.split_once('\n').map_or("", |(_, said)| said);
        return failure(name, place.unwrap_or_default(), said);
    };
    let file = origin.file(file);
    let line = origin.line_in(after, &file);
    let line = line.or_else(|| origin.line_in(text, &file));
    failure(name, (file, line), group("said").unwrap_or(after))
}
