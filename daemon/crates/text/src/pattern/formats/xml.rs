//! XML: an element whose tags are all closed in order.

use super::Line;
use memchr::{memchr, memmem};
use std::ops::Range;

/// How many positions are tried: each may require reading the rest of the text.
const MAX_TRIES: usize = 8;

/// Maximum depth of elements.
const MAX_DEPTH: usize = 1000;

/// Returns the elements at the start of a line, from their prologue to their end.
pub(super) fn find(text: &str, lines: &[Line<'_>]) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut tries = 0;
    for line in lines {
        let start = line.start + line.indent();
        let is_behind = spans.last().is_none_or(|span| start >= span.end);
        if !is_behind || !line.text.trim_start().starts_with('<') || tries == MAX_TRIES {
            continue;
        }
        match element(&text[start..]) {
            Some(len) => spans.push(start..start + len),
            None => tries += 1,
        }
    }
    spans
}

/// A tag or other markup.
enum Tag<'a> {
    Open(&'a str),
    Close(&'a str),
    Empty,
    /// A comment, an instruction, a declaration.
    Other,
    Text,
}

/// Returns the length of the element with which `text` starts.
fn element(text: &str) -> Option<usize> {
    let mut open: Vec<&str> = Vec::new();
    let (mut at, mut has_begun) = (0, false);
    loop {
        let next = at + memchr(b'<', &text.as_bytes()[at..])?;
        // Between the prologue and the element, only blanks are allowed.
        if open.is_empty() && !text[at..next].trim().is_empty() {
            return None;
        }
        let (tag, len) = tag(&text[next..])?;
        at = next + len;
        match tag {
            Tag::Open(name) if open.len() < MAX_DEPTH => open.push(name),
            Tag::Open(_) => return None,
            Tag::Close(name) if open.pop()? != name => return None,
            Tag::Text if open.is_empty() => return None,
            _ => {}
        }
        has_begun |= !matches!(tag, Tag::Other);
        if has_begun && open.is_empty() {
            return Some(at);
        }
    }
}

fn tag(text: &str) -> Option<(Tag<'_>, usize)> {
    let markup = [
        ("<!--", "-->", Tag::Other),
        ("<![CDATA[", "]]>", Tag::Text),
        ("<?", "?>", Tag::Other),
        ("<!", ">", Tag::Other),
    ];
    for (begin, end, tag) in markup {
        if text.starts_with(begin) {
            let at = memmem::find(text.as_bytes(), end.as_bytes())?;
            return Some((tag, at + end.len()));
        }
    }
    if let Some(rest) = text.strip_prefix("</") {
        let end = memchr(b'>', rest.as_bytes())?;
        let name = rest[..end].trim_end();
        return is_name(name).then_some((Tag::Close(name), end + 3));
    }
    let name_len = text[1..].find(|c: char| c.is_whitespace() || matches!(c, '>' | '/'))?;
    let name = &text[1..=name_len];
    let attributes = &text[1 + name_len..];
    let len = attributes_len(attributes)?;
    let is_empty = attributes[..len].ends_with('/');
    let tag = if is_empty {
        Tag::Empty
    } else {
        Tag::Open(name)
    };
    is_name(name).then_some((tag, 1 + name_len + len + 1))
}

/// Returns the number of bytes before the `>`; each attribute must have a quoted value.
fn attributes_len(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        match *bytes.get(at)? {
            b'>' => return Some(at),
            b'<' => return None,
            b'=' => {
                at += 1;
                while bytes.get(at)?.is_ascii_whitespace() {
                    at += 1;
                }
                let quote = *bytes.get(at)?;
                if !matches!(quote, b'"' | b'\'') {
                    return None;
                }
                at += 2 + memchr(quote, &bytes[at + 1..])?;
            }
            _ => at += 1,
        }
    }
}

fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    name.starts_with(|c: char| c.is_alphabetic() || c == '_') && name.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::super::super::lines::lines;
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let spans = find(text, &lines(text));
        spans.into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn elements_are_found_with_their_prologue() {
        let text = "HTTP/1.1 200 OK\n\n<?xml version=\"1.0\"?>\n<!-- a > b -->\n<a x='1>2'>\n <b/>t<c:d y = \"\">é</c:d>\n</a>\nrest";
        let found_in_text = found(text);
        assert_eq!(found_in_text.len(), 1);
        assert!(found_in_text[0].starts_with("<?xml") && found_in_text[0].ends_with("</a>"));
        assert_eq!(
            found("<a/>\n<b><![CDATA[<x>]]></b>"),
            ["<a/>", "<b><![CDATA[<x>]]></b>"]
        );
    }
}
