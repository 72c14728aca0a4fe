//! XML: an element whose tags are all closed in order.

use super::Line;
use memchr::memchr;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

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

/// A tag, or other markup. An attribute that has a value has it in quotes.
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?sx) ^ < (?: !-- .*? -- | \? .*? \? | ! [A-Z] [^>]* | (?<text> !\[CDATA\[ .*? \]\] )
            | / (?<close> [\p{L}_][\w.:-]* ) \s*
            | (?<open> [\p{L}_][\w.:-]* ) (?: \s (?: [^<>=] | = \s* (?: "[^"]*" | '[^']*' ) )*? )? (?<empty> / )?
        ) >"#,
    )
    .expect("a test finds elements")
});

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
        let tag = TAG.captures(&text[next..])?;
        at = next + tag[0].len();
        let part = |name| tag.name(name).map(|part| part.as_str());
        if let Some(name) = part("open") {
            has_begun = true;
            open.extend(part("empty").is_none().then_some(name));
        } else if let Some(name) = part("close") {
            open.pop().filter(|opened| *opened == name)?;
        } else if part("text").is_some() && open.is_empty() {
            return None;
        }
        if open.len() > MAX_DEPTH {
            return None;
        }
        if has_begun && open.is_empty() {
            return Some(at);
        }
    }
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
