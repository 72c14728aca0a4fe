//! Differences of two texts. The crate `similar` is generic: it is compiled here, once.

use similar::TextDiff;
use std::time::{Duration, Instant};

/// Lines of context around each difference.
const CONTEXT_LINES: usize = 3;

/// After this time, the difference is computed less precisely, with more lines than necessary.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns the differences between two texts, with their names, as a unified diff; empty if there are none.
/// As for git, only a line feed ends a line.
pub fn unified((a_name, a): (&str, &str), (b_name, b): (&str, &str)) -> String {
    match hunks(a, b, Instant::now() + PATIENCE) {
        hunks if hunks.is_empty() => hunks,
        hunks => format!("--- {a_name}\n+++ {b_name}\n{hunks}"),
    }
}

fn hunks(a: &str, b: &str, deadline: Instant) -> String {
    let lines = |text| -> Vec<&str> { str::split_inclusive(text, '\n').collect() };
    let mut config = TextDiff::configure();
    config.deadline(deadline).newline_terminated(true);
    let diff = config.diff_slices(&lines(a), &lines(b));
    let mut hunks = diff.unified_diff();
    hunks.context_radius(CONTEXT_LINES).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_written_as_git_writes_them() {
        for (a, b, expected) in [
            ("", "", ""),
            ("a\n", "a\n", ""),
            ("", "a\n", "--- a\n+++ b\n@@ -0,0 +1 @@\n+a\n"),
            (
                "a",
                "a\n",
                "--- a\n+++ b\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n",
            ),
            (
                "1\n2\n3\n4\nx\n6\r7\n8\n",
                "1\n2\n3\n4\ny\n6\r7\n8\n",
                "--- a\n+++ b\n@@ -2,6 +2,6 @@\n 2\n 3\n 4\n-x\n+y\n 6\r7\n 8\n",
            ),
        ] {
            assert_eq!(unified(("a", a), ("b", b)), expected, "{a:?} {b:?}");
        }
    }

    #[test]
    fn without_patience_the_difference_is_complete_but_longer() {
        let numbers = |factor: usize| (0..500).map(move |n| n * n * factor % 7);
        let text = |factor| numbers(factor).map(|n| format!("{n}\n")).collect();
        let (a, b): (String, String) = (text(1), text(3));
        let now = Instant::now();
        let short = hunks(&a, &b, now + Duration::from_secs(60));
        let long = hunks(&a, &b, now);
        assert!(long.lines().count() > short.lines().count(), "{long}");
        let kept = |sign| {
            long.lines()
                .filter(move |line| !line.starts_with(['@', sign]))
        };
        let lines: Vec<&str> = kept('-').map(|line| &line[1..]).collect();
        assert_eq!(lines, b.lines().collect::<Vec<_>>());
    }
}
