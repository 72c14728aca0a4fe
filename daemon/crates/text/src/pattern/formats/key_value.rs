//! Keys and values: several consecutive lines, each with its own key.

use super::super::lines::{Line, runs, span_of};
use std::collections::HashSet;
use std::ops::Range;

/// How many consecutive lines are needed; two are enough if their values are aligned.
const LEAST_LINES: usize = 3;

const MAX_KEY_BYTES: usize = 40;

/// A line with a key.
struct Pair<'a> {
    key: &'a str,
    /// Number of blanks before the value.
    gap: usize,
    /// Where the value starts, in bytes from the start of the line.
    column: usize,
}

/// Returns runs of lines with keys and values.
pub(super) fn find(lines: &[Line<'_>]) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    for sign in [':', '='] {
        let mut runs = runs(lines, 2, |line| pair(line.text, sign).is_some());
        runs.retain(|run| is_list(run, sign));
        spans.extend(runs.into_iter().map(span_of));
    }
    spans
}

fn is_list(run: &[Line<'_>], sign: char) -> bool {
    let pairs = run.iter().filter_map(|line| pair(line.text, sign));
    let pairs: Vec<Pair<'_>> = pairs.collect();
    let keys: HashSet<&str> = pairs.iter().map(|pair| pair.key).collect();
    // A word that is repeated names the speaker: `bash: …`.
    if keys.len() * 3 < pairs.len() * 2 {
        return false;
    }
    if pairs.len() >= LEAST_LINES {
        return true;
    }
    let is_aligned = pairs.windows(2).all(|two| two[0].column == two[1].column);
    is_aligned && pairs.iter().any(|pair| pair.gap >= 2)
}

fn pair(line: &str, sign: char) -> Option<Pair<'_>> {
    let (before, behind) = line.split_once(sign)?;
    let key = before.trim();
    let is_key = |c: char| c.is_alphanumeric() || " _-./()#%@".contains(c);
    if key.is_empty()
        || key.len() > MAX_KEY_BYTES
        || !key.starts_with(|c: char| c.is_alphabetic() || c == '_')
        || !key.chars().all(is_key)
        || key.split_whitespace().count() > 4
    {
        return None;
    }
    let value = behind.trim_start();
    let gap = behind.len() - value.len();
    let is_separated = match sign {
        // A colon inside a word is a path, a time or an address.
        ':' => gap > 0 && !value.is_empty(),
        _ => !key.contains(' ') || gap > 0,
    };
    // A doubled equals sign is a comparison.
    (is_separated && !value.starts_with('=')).then(|| Pair {
        key,
        gap,
        column: line.len() - value.len(),
    })
}
