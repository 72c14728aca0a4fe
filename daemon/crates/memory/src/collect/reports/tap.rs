//! TAP, the Test Anything Protocol: `ok 1 - name`, `not ok 2 - name`, with details between `---` and `...`.

use super::{Origin, SuiteFacts, facts_of, failure, finish, pattern};
use regex::Regex;
use std::sync::LazyLock;

static RESULT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(not )?ok\b(?: +\d+)?(?: +-)? *(.*?)(?: # *(?i:(skip|todo))\b.*)?\s*$")
});
static PLAN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:TAP version \d+|1\.\.(\d+)(?:\s+#.*)?)\s*$"));
/// In YAML, or in comments.
static MESSAGE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"^\s*(?:(?:message|error):\s*(?:[|>]-?\s+)?["']?(.+?)["']?|#+\s*(.+?))\s*$"#)
});

/// Of the details of a failure that are read.
const DETAIL_LINES: usize = 100;

/// Reads a report; nothing if it is none. Only the outermost tests count: each says how those inside it ended.
pub(super) fn read(origin: Origin<'_>, text: &str) -> Option<SuiteFacts> {
    PLAN.find(text)?;
    let mut plans = PLAN.captures_iter(text);
    let planned = plans.find_map(|plan| plan.get(1)?.as_str().parse::<u64>().ok());
    let mut results = 0;
    let mut facts = facts_of("TAP");
    for found in RESULT.captures_iter(text) {
        results += 1;
        // Skipped, or not expected to pass.
        if found.get(3).is_some() {
            continue;
        }
        if found.get(1).is_none() {
            facts.suite.passed += 1;
            continue;
        }
        let rest = text[found.get_match().end()..].lines().skip(1);
        let details = rest.take_while(|line| line.starts_with([' ', '#']));
        let details = details.take(DETAIL_LINES).collect::<Vec<_>>().join("\n");
        let place = origin.first(&details).unwrap_or_default();
        let said = MESSAGE.captures(&details);
        let said = said.and_then(|said| said.get(1).or(said.get(2)));
        let said = said.map_or("", |said| said.as_str());
        facts.suite.failures.push(failure(&found[2], place, said));
    }
    facts.suite.failed = facts.suite.failures.len() as u64;
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
