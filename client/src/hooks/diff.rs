//! A unified diff of two texts.

use std::ops::Range;

const CONTEXT_LINES: usize = 3;

/// A line, and its sign: `-` if only the old text has it, `+` if only the new one has it, otherwise a space.
type DiffLine<'a> = (char, &'a str);

/// Returns the difference as `patch` reads it; empty if there is none.
pub(super) fn diff(old: &str, new: &str, name: &str) -> String {
    let lines = compare(&split(old), &split(new));
    let hunks = hunks(&lines);
    if hunks.is_empty() {
        return String::new();
    }
    let mut text = format!("--- {name}\n+++ {name}\n");
    for hunk in hunks {
        let (before, within) = (&lines[..hunk.start], &lines[hunk]);
        let place = |other: char| {
            let count = |lines: &[DiffLine<'_>]| lines.iter().filter(|one| one.0 != other).count();
            let len = count(within);
            // A place without lines is named by the line before it.
            format!("{},{len}", count(before) + usize::from(len > 0))
        };
        text += &format!("@@ -{} +{} @@\n", place('+'), place('-'));
        for (sign, line) in within {
            text.push(*sign);
            text += line;
            if !line.ends_with('\n') {
                text += "\n\\ No newline at end of file\n";
            }
        }
    }
    text
}

fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Ranges of lines with changes and the lines around them.
fn hunks(lines: &[DiffLine<'_>]) -> Vec<Range<usize>> {
    let mut hunks: Vec<Range<usize>> = Vec::new();
    let changed = lines.iter().enumerate();
    for (at, _) in changed.filter(|(_, line)| line.0 != ' ') {
        let start = at.saturating_sub(CONTEXT_LINES);
        let end = (at + 1 + CONTEXT_LINES).min(lines.len());
        match hunks.last_mut() {
            Some(last) if last.end >= start => last.end = end,
            _ => hunks.push(start..end),
        }
    }
    hunks
}

/// Finds the longest common lines, after those at both ends.
fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<DiffLine<'a>> {
    let same =
        |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let first = same(&mut old.iter().zip(new));
    let (a, b) = (&old[first..], &new[first..]);
    let last = same(&mut a.iter().rev().zip(b.iter().rev()));
    let (a, b) = (&a[..a.len() - last], &b[..b.len() - last]);
    // Length of the longest common lines from each pair of places on.
    let mut common = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i][j] = if a[i] == b[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let unchanged = |lines: &[&'a str]| lines.iter().map(|line| (' ', *line)).collect();
    let mut lines: Vec<DiffLine<'a>> = unchanged(&old[..first]);
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            lines.push((' ', a[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || (i < a.len() && common[i + 1][j] >= common[i][j + 1]) {
            lines.push(('-', a[i]));
            i += 1;
        } else {
            lines.push(('+', b[j]));
            j += 1;
        }
    }
    lines.extend(unchanged(&old[old.len() - last..]));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn changes_are_shown_with_the_lines_around_them() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = "1\n2\n3\n4\nnew\n6\n7\n8\n9\nlast";
        assert_eq!(
            diff(old, new, "f"),
            "--- f\n+++ f\n@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-5\n+new\n 6\n 7\n 8\n 9\n+last\n\\ No newline at end of file\n"
        );
        assert_eq!(diff("", "a\n", "f"), "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+a\n");
        assert_eq!(diff(old, old, "f"), "");
    }

    proptest! {
        #[test]
        fn both_texts_are_in_the_difference(old in "[ab\n]{0,20}", new in "[ab\n]{0,20}") {
            let lines = compare(&split(&old), &split(&new));
            let without = |sign: char| -> String {
                lines.iter().filter(|one| one.0 != sign).map(|one| one.1).collect()
            };
            prop_assert_eq!(without('+'), &*old);
            prop_assert_eq!(without('-'), &*new);
        }
    }
}
