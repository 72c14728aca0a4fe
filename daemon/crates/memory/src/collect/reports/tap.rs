//! TAP, the Test Anything Protocol: `ok 1 - name`, `not ok 2 - name`, with details between `---` and `...`.

use super::place::{first, message};
use super::{SuiteFacts, finish};
use ccd_protocol::memory::TestFailure;
use ccd_text::redact::redact;
use regex::Regex;
use std::path::Path;
use std::sync::LazyLock;

#[expect(clippy::unwrap_used, reason = "compiled by the tests")]
static RESULT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(\s*)(not )?ok\b(?:\s+\d+)?(?:\s+-)?\s*(.*?)(?:\s#\s*(?i:(skip|todo))\b.*)?$")
        .unwrap()
});
#[expect(clippy::unwrap_used, reason = "compiled by the tests")]
static PLAN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^(?:TAP version \d+|1\.\.(\d+)(?:\s+#.*)?)\s*$").unwrap());

/// Of the details of a failure that are read.
const DETAIL_LINES: usize = 100;

/// Reads a report; nothing if it is none. Only the outermost tests count: each says how those inside it ended.
pub(super) fn read(root: &Path, text: &str) -> Option<SuiteFacts> {
    PLAN.find(text)?;
    let planned = PLAN
        .captures_iter(text)
        .find_map(|plan| plan.get(1)?.as_str().parse::<u64>().ok());
    let mut results = 0;
    let mut facts = SuiteFacts::default();
    facts.suite.framework = "TAP".to_owned();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(found) = RESULT.captures(line).filter(|found| found[1].is_empty()) else {
            continue;
        };
        results += 1;
        match (found.get(2), found.get(4)) {
            (_, Some(_)) => (), // skipped, or not expected to pass
            (None, None) => facts.suite.passed += 1,
            (Some(_), None) => {
                facts.suite.failed += 1;
                let mut details = Vec::new();
                while details.len() < DETAIL_LINES
                    && let Some(detail) = lines.next_if(|line| line.starts_with([' ', '#']))
                {
                    details.push(detail);
                }
                facts
                    .suite
                    .failures
                    .push(failure(root, found[3].trim(), &details));
            }
        }
    }
    let bail = text.lines().find_map(|line| line.strip_prefix("Bail out!"));
    facts.broken = match (bail, planned) {
        (Some(reason), _) => Some(format!("Bail out! {}", reason.trim())),
        (None, Some(planned)) if results != planned => Some(format!(
            "the plan has {planned} tests, and {results} have results"
        )),
        _ => None,
    };
    (results > 0 || bail.is_some()).then(|| finish(facts))
}

fn failure(root: &Path, name: &str, details: &[&str]) -> TestFailure {
    let (file, line) = match first(root, &details.join("\n")) {
        Some((file, line)) => (file, Some(line)),
        None => (String::new(), None),
    };
    let field = |name: &str| {
        let values = details.iter().map(|detail| detail.trim());
        let mut values = values.filter_map(|detail| detail.strip_prefix(name)?.strip_prefix(':'));
        values.find_map(|value| message(redact(value.trim()).text.trim_matches(['"', '\''])))
    };
    let said = details.iter().find(|detail| detail.starts_with('#'));
    TestFailure {
        file,
        line,
        test_name: name.to_owned(),
        message: field("message")
            .or_else(|| field("error"))
            .or_else(|| message(said?.trim_start_matches(['#', ' ']))),
    }
}
