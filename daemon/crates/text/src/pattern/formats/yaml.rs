//! YAML: a document with a start line, or nested blocks of keys and items.

use super::super::lines::{Line, runs, span_of};
use std::ops::Range;

/// The kind of a line of YAML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    /// `---`
    Start,
    /// `key: value`
    Pair,
    /// `key:`, followed by its contents.
    Parent,
    /// `- item`
    Item,
    Comment,
    Other,
}

/// Returns runs of lines that are YAML.
pub(super) fn find(lines: &[Line<'_>]) -> Vec<Range<usize>> {
    let mut blocks = runs(lines, 2, |line| !line.is_blank());
    blocks.retain(|block| is_yaml(block));
    blocks.into_iter().map(span_of).collect()
}

fn is_yaml(run: &[Line<'_>]) -> bool {
    let mut block_indent = None;
    let (mut pairs, mut items, mut nests) = (0, 0, false);
    let mut before = (LineKind::Other, 0);
    for (index, line) in run.iter().enumerate() {
        let indent = line.indent();
        if block_indent.is_some_and(|block| indent > block) {
            continue;
        }
        block_indent = None;
        let kind = kind(line.text);
        if matches!(kind, LineKind::Pair | LineKind::Item) && opens_block(line.text) {
            block_indent = Some(indent);
        }
        match kind {
            LineKind::Start if index == 0 => {}
            LineKind::Start | LineKind::Other => return false,
            LineKind::Item => {
                items += 1;
                nests |= before.0 == LineKind::Parent && indent >= before.1;
            }
            LineKind::Pair | LineKind::Parent => {
                pairs += 1;
                nests |= matches!(before.0, LineKind::Parent | LineKind::Item) && indent > before.1;
            }
            LineKind::Comment => continue,
        }
        before = (kind, indent);
    }
    let says_so = kind(run[0].text) == LineKind::Start;
    let is_nested = nests && (pairs >= 2 || (pairs == 1 && run.len() >= 3));
    (says_so && pairs + items >= 1) || is_nested
}

fn kind(line: &str) -> LineKind {
    if line == "---" || line.starts_with("--- ") {
        return LineKind::Start;
    }
    let text = line.trim();
    if text.starts_with('#') {
        return LineKind::Comment;
    }
    if let Some(item) = text.strip_prefix("- ") {
        return match item.trim() {
            "" => LineKind::Other,
            _ => LineKind::Item,
        };
    }
    if line.trim_start_matches(' ').starts_with('\t') {
        return LineKind::Other; // tabs are not indentation in YAML
    }
    match behind_key(text).map(str::trim) {
        None => LineKind::Other,
        Some("") => LineKind::Parent,
        Some(_) => LineKind::Pair,
    }
}

/// `key: |`, followed by text.
fn opens_block(line: &str) -> bool {
    let sign = line.rsplit(' ').next().unwrap_or_default();
    matches!(sign, "|" | ">" | "|-" | ">-" | "|+" | ">+")
}

/// Returns what follows a key and its colon.
fn behind_key(text: &str) -> Option<&str> {
    let rest = match text.chars().next()? {
        quote @ ('"' | '\'') => {
            let end = text[1..].find(quote)?;
            text[end + 2..].strip_prefix(':')?
        }
        _ => {
            let (key, rest) = text.split_once(':')?;
            let is_key = |c: char| c.is_alphanumeric() || "_./$@-".contains(c);
            if key.is_empty() || !key.chars().all(is_key) {
                return None;
            }
            rest
        }
    };
    (rest.is_empty() || rest.starts_with(' ')).then_some(rest)
}
