//! YAML: a document with a start line, or nested blocks of keys and items.

use super::super::lines::{Line, runs, span_of};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

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

/// The groups are the kinds of lines; tabs are not indentation.
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    let key = r#"(?:"[^"]*"|'[^']*'|[\p{Alphabetic}\p{N}_./$@-]+):"#;
    let line = format!(r"^(?:(---(?: .*)?)|\s*(#.*)|[ ]*(- +\S.*)|[ ]*({key}\s*)|[ ]*({key} .*))$");
    Regex::new(&line).expect("a test finds documents")
});

fn kind(line: &str) -> LineKind {
    const KINDS: [LineKind; 5] = [
        LineKind::Start,
        LineKind::Comment,
        LineKind::Item,
        LineKind::Parent,
        LineKind::Pair,
    ];
    let groups = LINE.captures(line);
    let found = groups.and_then(|groups| (0..KINDS.len()).find(|at| groups.get(at + 1).is_some()));
    found.map_or(LineKind::Other, |at| KINDS[at])
}

/// `key: |`, followed by text.
fn opens_block(line: &str) -> bool {
    let sign = line.rsplit(' ').next().unwrap_or_default();
    matches!(sign, "|" | ">" | "|-" | ">-" | "|+" | ">+")
}
