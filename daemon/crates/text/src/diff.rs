//! Differences of two texts. The crate `similar` is generic: it is compiled here, once.

use similar::DiffTag;
use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use std::collections::HashMap;
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
    let a: Vec<&str> = a.split_inclusive('\n').collect();
    let b: Vec<&str> = b.split_inclusive('\n').collect();
    // Numbers are compared faster than lines.
    let mut numbers = HashMap::new();
    let mut number = |line| {
        let next = numbers.len();
        *numbers.entry(line).or_insert(next)
    };
    let old: Vec<usize> = a.iter().copied().map(&mut number).collect();
    let new: Vec<usize> = b.iter().copied().map(&mut number).collect();
    let (all_old, all_new) = (0..old.len(), 0..new.len());
    let mut found = Compact::new(Replace::new(Capture::new()), &old, &new);
    let Ok(()) = myers::diff_deadline(&mut found, &old, all_old, &new, all_new, Some(deadline));
    let found = found.into_inner().into_inner();
    let mut text = String::new();
    for hunk in found.into_grouped_ops(CONTEXT_LINES) {
        text.push_str(&format!("{}\n", UnifiedHunkHeader::new(&hunk)));
        for change in hunk {
            let (tag, old, new) = change.as_tag_tuple();
            if tag == DiffTag::Equal {
                add(&mut text, ' ', &a[old]);
            } else {
                add(&mut text, '-', &a[old]);
                add(&mut text, '+', &b[new]);
            }
        }
    }
    text
}

fn add(text: &mut String, sign: char, lines: &[&str]) {
    for line in lines {
        text.push(sign);
        text.push_str(line);
        if !line.ends_with('\n') {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
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
