//! Insertion and removal of one member or item. A removal undoes an insertion to the byte.

use super::json::{Mistake, Value, skip};
use super::layout::{Layout, Node, line_indent};
use std::ops::Range;

/// Returns `text` with a node after the last child of `container`: as a member if it has a key, otherwise as an item.
pub(super) fn insert(
    text: &str,
    layout: Layout<'_>,
    container: &Value,
    key: Option<&str>,
    node: &Node,
) -> String {
    let children = container.children();
    let close = container.span.end - 1;
    let content_end = text[..close].trim_end_matches(is_space).len();
    let last_end = children.last().map(|last| last.end);
    let after_last = &text[last_end.unwrap_or(container.span.start + 1)..close];
    let child_indent = children
        .first()
        .and_then(|first| line_indent(text, first.start));
    let outer = indent_of_line(text, container.span.start);
    // A comment up to the end of its line must not swallow what is added.
    let is_open = child_indent.is_some()
        || after_last.contains('\n')
        || (children.is_empty() && layout.indent.is_some());
    let layout = Layout {
        indent: layout.indent.filter(|_| is_open),
        ..layout
    };
    let indent = match child_indent {
        Some(indent) => indent.to_owned(),
        None => format!("{outer}{}", layout.indent.unwrap_or_default()),
    };
    let key = key.map(|key| format!("\"{key}\":{}", layout.space));
    let entry = key.unwrap_or_default() + &layout.write(node, &indent);
    let entry = match (is_open, children.is_empty()) {
        (true, _) => format!("{}{indent}{entry}", layout.newline),
        (false, true) => entry,
        (false, false) => format!("{}{entry}", layout.space),
    };
    let closing = if is_open && children.is_empty() && !after_last.contains('\n') {
        format!("{}{outer}", layout.newline)
    } else {
        String::new()
    };
    let mut new = text.to_owned();
    new.insert_str(content_end, &(entry + &closing));
    if let Some(last_end) = last_end {
        new.insert(last_end, ',');
    }
    new
}

/// Returns `text` without the child of `container` at this index, without one comma and without the space before it.
pub(super) fn remove(text: &str, container: &Value, index: usize) -> Result<String, Mistake> {
    let children = container.children();
    let child = &children[index];
    let start = text[..child.start].trim_end_matches(is_space).len();
    let before = match index.checked_sub(1) {
        Some(previous) => children[previous].end,
        None => container.span.start + 1,
    };
    let (next, _) = skip(text, child.end)?;
    let comma = match text.as_bytes()[next] {
        b',' => Some(next),
        _ if index > 0 => Some(skip(text, before)?.0),
        _ => None,
    };
    let mut removed = [Some(start..child.end), comma.map(|at| at..at + 1)];
    removed.sort_by_key(|range| range.as_ref().map(|range| std::cmp::Reverse(range.start)));
    let mut new = text.to_owned();
    for range in removed.into_iter().flatten() {
        new.replace_range(range, "");
    }
    let comma_len = usize::from(comma.is_some_and(|comma| comma < start));
    let start = start - comma_len;
    let after_line_comment = ends_with_line_comment(text, before..child.start)?;
    if after_line_comment
        && !new[start..]
            .trim_start_matches([' ', '\t', '\r'])
            .starts_with('\n')
    {
        new.insert(start, '\n');
    }
    // An object that was empty before is empty again.
    let (open, gone) = (container.span.start + 1, text.len() - new.len());
    let close = container.span.end - 1 - gone;
    if children.len() == 1 && new[open..close].trim_matches(is_space).is_empty() {
        new.replace_range(open..close, "");
    }
    Ok(new)
}

/// True if a comment that ends with its line is the last thing in the range, white space aside.
fn ends_with_line_comment(text: &str, range: Range<usize>) -> Result<bool, Mistake> {
    let (at, is_last) = skip(text, range.start)?;
    if at < range.end {
        // The comma after the previous child.
        Ok(skip(text, at + 1)?.1)
    } else {
        Ok(is_last)
    }
}

/// The white space at the start of the line of `at`, whatever follows it.
fn indent_of_line(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

#[cfg(test)]
mod tests {
    use super::super::json::parse;
    use super::*;

    fn inserted(text: &str) -> String {
        let root = parse(text).unwrap();
        let node = Node::Array(vec![Node::Word("1".into())]);
        insert(text, Layout::of(text, &root), &root, Some("new"), &node)
    }

    /// Inserts and removes again.
    fn check(text: &str, expected: &str) {
        let new = inserted(text);
        assert_eq!(new, expected);
        let root = parse(&new).unwrap();
        let last = root.children().len() - 1;
        assert_eq!(remove(&new, &root, last).unwrap(), text);
    }

    #[test]
    fn what_is_added_looks_like_the_rest_and_leaves_no_trace() {
        check("{}", "{\n  \"new\": [\n    1\n  ]\n}");
        check("{\"a\":1}", "{\"a\":1,\"new\":[1]}");
        check("{\"a\": 1}\n", "{\"a\": 1, \"new\": [1]}\n");
        check("{ \"a\": 1 }", "{ \"a\": 1, \"new\": [1] }");
        check(
            "{\n  \"a\": 1\n}\n",
            "{\n  \"a\": 1,\n  \"new\": [\n    1\n  ]\n}\n",
        );
        check(
            "{\r\n\t\"a\": 1\r\n}",
            "{\r\n\t\"a\": 1,\r\n\t\"new\": [\r\n\t\t1\r\n\t]\r\n}",
        );
        check("{\n\"a\":1\n}", "{\n\"a\":1,\n\"new\":[\n  1\n]\n}");
        check(
            "// top\n{\n  \"a\": 1 // one\n  // last, with \"quotes\"\n}",
            "// top\n{\n  \"a\": 1, // one\n  // last, with \"quotes\"\n  \"new\": [\n    1\n  ]\n}",
        );
        check(
            "{ \"a\": 1 // one\n}",
            "{ \"a\": 1, // one\n\"new\": [1]\n}",
        );
        assert_eq!(
            inserted("{ /* none */ }"),
            "{ /* none */\n  \"new\": [\n    1\n  ]\n }"
        );
    }

    #[test]
    fn what_is_around_a_removed_child_stays() {
        let text = "[\n  1, // one\n  2, // two\n  3 // three\n]";
        for (text, index, without) in [
            (text, 0, "[ // one\n  2, // two\n  3 // three\n]"),
            (text, 1, "[\n  1, // one\n // two\n  3 // three\n]"),
            (text, 2, "[\n  1, // one\n  2 // two\n // three\n]"),
            ("[1, /* a */ 2 /* b */, 3]", 1, "[1, /* a */ /* b */ 3]"),
            ("[1, // one\n2, 3]", 1, "[1, // one\n 3]"),
            ("[1, // one\n2]", 1, "[1 // one\n]"),
            ("[ 1 ]", 0, "[]"),
            ("[ 1 // one\n]", 0, "[ // one\n]"),
        ] {
            let root = parse(text).unwrap();
            assert_eq!(remove(text, &root, index).unwrap(), without);
        }
    }
}
