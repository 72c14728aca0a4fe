//! Finds where keys and values stand in a JSON5 text.
//!
//! The json5 crate reads values but does not tell their places, and it recurses once for each level of nesting,
//! so that depth must be known before it is called.

use json5::char::{is_json5_line_terminator, is_json5_whitespace};
use std::ops::Range;

/// A member of an object, with byte spans into the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    /// The dotted path of the object, empty at the top.
    pub(super) parent: String,
    /// The dotted path of this member.
    pub(super) path: String,
    pub(super) key: Range<usize>,
    pub(super) value: Range<usize>,
}

/// Returns the offset of the first bracket that opens more than `max_depth` levels.
///
/// Works on any text; where the text is no JSON5, the place may be wrong but never deeper than json5 gets.
pub(super) fn too_deep(text: &str, max_depth: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for token in tokens(text) {
        match &text[token.clone()] {
            "{" | "[" => depth += 1,
            "}" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > max_depth {
            return Some(token.start);
        }
    }
    None
}

/// Returns the members of all objects, outer ones before their own members.
///
/// `text` is JSON5 that the parser took. Objects inside lists are left out.
pub(super) fn members(text: &str) -> Vec<Member> {
    let mut tokens = tokens(text).peekable();
    let mut found = Vec::new();
    if tokens.next().is_some_and(|token| &text[token] == "{") {
        object(text, &mut tokens, "", &mut found);
    }
    found
}

/// Returns where the entries of the list at `list` stand in `text`.
pub(super) fn entries(text: &str, list: &Range<usize>) -> Vec<Range<usize>> {
    let inner = TokenSpans {
        text: &text[..list.end],
        offset: list.start + "[".len(),
    };
    let mut tokens = inner.peekable();
    let mut found = Vec::new();
    while let Some(first) = tokens.next() {
        let end = match &text[first.clone()] {
            "]" => break,
            "," => continue,
            "{" | "[" => skip_list(text, &mut tokens),
            _ => first.end,
        };
        found.push(first.start..end);
    }
    found
}

/// Returns the offset of the first thing that is neither blank nor comment.
pub(super) fn first(text: &str) -> Option<usize> {
    tokens(text).next().map(|token| token.start)
}

type Tokens<'a> = std::iter::Peekable<TokenSpans<'a>>;

/// Reads members up to the closing brace and returns the end of that.
fn object(text: &str, tokens: &mut Tokens<'_>, parent: &str, found: &mut Vec<Member>) -> usize {
    while let Some(key) = tokens.next() {
        match &text[key.clone()] {
            "}" => return key.end,
            "," => continue,
            _ => {}
        }
        tokens.next(); // the colon
        let Some(first) = tokens.next() else { break };
        let path = join(parent, &text[key.clone()]);
        let index = found.len();
        found.push(Member {
            parent: parent.to_owned(),
            path: path.clone(),
            key,
            value: first.clone(),
        });
        found[index].value.end = match &text[first.clone()] {
            "{" => object(text, tokens, &path, found),
            "[" => skip_list(text, tokens),
            _ => first.end,
        };
    }
    text.len()
}

fn skip_list(text: &str, tokens: &mut Tokens<'_>) -> usize {
    let mut depth = 1_usize;
    for token in tokens.by_ref() {
        match &text[token.clone()] {
            "[" | "{" => depth += 1,
            "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return token.end;
        }
    }
    text.len()
}

/// A key that holds a dot itself keeps quotes, so that it is never taken for a path.
fn join(parent: &str, raw_key: &str) -> String {
    let key = match raw_key.chars().next() {
        Some('"' | '\'') => json5::from_str(raw_key).unwrap_or_else(|_| raw_key.to_owned()),
        _ => raw_key.to_owned(),
    };
    let key = if key.contains('.') {
        format!("{key:?}")
    } else {
        key
    };
    if parent.is_empty() {
        key
    } else {
        format!("{parent}.{key}")
    }
}

fn tokens(text: &str) -> TokenSpans<'_> {
    TokenSpans { text, offset: 0 }
}

/// Spans of punctuation, strings and words; comments and blanks are passed over.
struct TokenSpans<'a> {
    text: &'a str,
    offset: usize,
}

impl Iterator for TokenSpans<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        self.skip_blanks();
        let start = self.offset;
        let rest = &self.text[start..];
        let len = match rest.chars().next()? {
            '{' | '}' | '[' | ']' | ':' | ',' => 1,
            quote @ ('"' | '\'') => string_len(rest, quote),
            _ => word_len(rest),
        };
        self.offset += len;
        Some(start..self.offset)
    }
}

impl TokenSpans<'_> {
    fn skip_blanks(&mut self) {
        loop {
            let rest = &self.text[self.offset..];
            let len = if rest.starts_with("//") {
                rest.find(is_json5_line_terminator).unwrap_or(rest.len())
            } else if let Some(comment) = rest.strip_prefix("/*") {
                comment
                    .find("*/")
                    .map_or(rest.len(), |end| end + "/**/".len())
            } else {
                rest.find(|c| !is_json5_whitespace(c)).unwrap_or(rest.len())
            };
            if len == 0 {
                return;
            }
            self.offset += len;
        }
    }
}

fn string_len(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (offset, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return offset + 1,
            _ => {}
        }
    }
    rest.len()
}

fn word_len(rest: &str) -> usize {
    rest.char_indices()
        .skip(1)
        .find(|&(offset, c)| {
            is_json5_whitespace(c)
                || matches!(c, '{' | '}' | '[' | ']' | ':' | ',' | '"' | '\'')
                || rest[offset..].starts_with("//")
                || rest[offset..].starts_with("/*")
        })
        .map_or(rest.len(), |(offset, _)| offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn spans(text: &str) -> Vec<(String, &str)> {
        members(text)
            .into_iter()
            .map(|member| (member.path, &text[member.value]))
            .collect()
    }

    #[test]
    fn entries_of_a_list_are_found() {
        let text = "{ a: [1, 'b]', /* , */ [2, {c: 3}], {d: 4}, ] }";
        let list = members(text)[0].value.clone();
        let found: Vec<&str> = entries(text, &list)
            .into_iter()
            .map(|entry| &text[entry])
            .collect();
        assert_eq!(found, ["1", "'b]'", "[2, {c: 3}]", "{d: 4}"]);
        assert!(entries("[]", &(0..2)).is_empty());
    }

    #[test]
    fn members_are_found_through_comments_strings_and_nesting() {
        let text = r#"// { not: "this" }
            { a: 1, /* b: 2, */ 'c': "}, d: 3", "e\u0066": { g: [1, {h: 2}], i: {} , },
              "j.k": -.5e3, l: 0xFF/**/, }"#;
        let expected = [
            ("a", "1"),
            ("c", "\"}, d: 3\""),
            ("ef", "{ g: [1, {h: 2}], i: {} , }"),
            ("ef.g", "[1, {h: 2}]"),
            ("ef.i", "{}"),
            ("\"j.k\"", "-.5e3"),
            ("l", "0xFF"),
        ];
        let found = spans(text);
        let found: Vec<_> = found
            .iter()
            .map(|(path, value)| (path.as_str(), *value))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn depth_counts_brackets_outside_strings_and_comments() {
        assert_eq!(too_deep("[[[]]]", 2), Some(2));
        assert_eq!(too_deep("[[]][[]]", 2), None);
        assert_eq!(too_deep("{a: '[[[[', /* [[[ */ b: []} // [[[", 2), None);
        assert_eq!(too_deep(&"[".repeat(60_000), 32), Some(32));
    }

    fn depth(value: &Value) -> usize {
        match value {
            Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
            Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
            _ => 0,
        }
    }

    fn soup() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "{", "}", "[", "]", "{a:", "b:", "'k':", ":", ",", "1", "null", "'", "\"", "\\", "/",
            "//", "/*", "*/", "\n", "\r", "\u{2028}", " ", "'x'", "é",
        ]);
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn any_text_is_scanned_without_a_panic(text in "\\PC*", soup in soup()) {
            for text in [text, soup] {
                too_deep(&text, 2);
                members(&text);
            }
        }

        /// If the scanner saw fewer brackets than the parser, nesting could still overflow the parser's stack.
        #[test]
        fn the_parser_never_goes_deeper_than_the_scanner_says(text in soup()) {
            if let Ok(value) = json5::from_str::<Value>(&text)
                && let Some(limit) = depth(&value).checked_sub(1)
            {
                prop_assert!(too_deep(&text, limit).is_some());
            }
        }
    }
}
