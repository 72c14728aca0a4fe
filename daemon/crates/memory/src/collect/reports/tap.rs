//! TAP, the Test Anything Protocol: `ok 1 - name`, `not ok 2 - name`, with details between `---` and `...`.

use super::{Origin, SuiteFacts, facts_of, failure, finish, first_group, pattern};
use ccd_text::redact::redact;
use regex::Regex;
use std::sync::LazyLock;

/// With the lines of its details.
static RESULT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(not )?ok\b(?: +\d+)?(?: +-)? *(.*?)(?: *# *(?i:(skip|todo))\b.*)?\r?$((?:\n[ #].*){0,100})",
    )
});
static PLAN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:TAP version \d+|1\.\.(\d+)(?:\s+#.*)?)\s*$"));
/// In YAML, or in comments.
static MESSAGE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"^\s*(?:(?:message|error):\s*(?:[|>]-?\s+)?(?:"(.+)"|'(.+)'|(.+?))|#+\s*(.+?))\s*$"#)
});

/// Reads a report; nothing if it is none. Only the outermost tests count: each says how those inside it ended.
pub(super) fn read(origin: Origin<'_>, text: &str) -> Option<SuiteFacts> {
    PLAN.find(text)?;
    let mut plans = PLAN.captures_iter(text);
    let planned = plans.find_map(|plan| plan.get(1)?.as_str().parse::<u64>().ok());
    let mut results = 0;
    let mut facts = facts_of("TAP");
    for found in RESULT.captures_iter(text) {
        results += 1;
        match (found.get(1), found.get(3)) {
            // Skipped, or not expected to pass.
            (_, Some(_)) => (),
            (None, None) => facts.suite.passed += 1,
            (Some(_), None) => {
                let place = origin.first(&found[4]).unwrap_or_default();
                // Without its quotes, a secret may not be recognised.
                let details = redact(&found[4]).text;
                let said = first_group(&MESSAGE, &details).unwrap_or_default();
                facts.suite.failed += 1;
                facts.add(failure(&found[2], place, said));
            }
        }
    }
    let bail = text.lines().find(|line| line.starts_with("Bail out!"));
    let missing = planned.filter(|planned| *planned != results);
    let missing =
        missing.map(|planned| format!("the plan has {planned} tests, and {results} have results"));
    facts.broken = bail.map(str::to_owned).or(missing);
    (results > 0 || bail.is_some()).then(|| finish(facts))
}
