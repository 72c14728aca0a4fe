//! JSON with comments, and where each value is in the text.

use std::ops::Range;

/// Deepest nesting; settings have less than ten levels.
const MAX_DEPTH: usize = 100;

#[derive(Debug)]
pub(in crate::hooks) struct Value {
    pub(in crate::hooks) span: Range<usize>,
    pub(in crate::hooks) kind: Kind,
}

#[derive(Debug)]
pub(in crate::hooks) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Value>),
    Text(String),
    Bool(bool),
    /// A number or null.
    Other,
}

#[derive(Debug)]
pub(in crate::hooks) struct Member {
    pub(in crate::hooks) key: String,
    pub(in crate::hooks) start: usize,
    pub(in crate::hooks) value: Value,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub(in crate::hooks) struct Mistake {
    line: usize,
    /// In characters, from 1.
    column: usize,
    what: String,
}

impl Mistake {
    pub(super) fn at(text: &str, offset: usize, what: impl Into<String>) -> Self {
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            what: what.into(),
        }
    }
}

impl Value {
    /// The value of a member; of the last one if the key occurs several times, as in JavaScript.
    pub(in crate::hooks) fn get(&self, key: &str) -> Option<&Value> {
        let member = self.members().iter().rfind(|member| member.key == key);
        member.map(|member| &member.value)
    }

    /// The members of an object; of other values none.
    pub(in crate::hooks) fn members(&self) -> &[Member] {
        match &self.kind {
            Kind::Object(members) => members,
            _ => &[],
        }
    }

    /// The items of a list; of other values none.
    pub(in crate::hooks) fn items(&self) -> &[Value] {
        match &self.kind {
            Kind::Array(items) => items,
            _ => &[],
        }
    }

    pub(in crate::hooks) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(in crate::hooks) fn is_true(&self) -> bool {
        matches!(self.kind, Kind::Bool(true))
    }

    /// What the value is, for a message.
    pub(super) fn name(&self) -> &'static str {
        match self.kind {
            Kind::Object(_) => "an object",
            Kind::Array(_) => "a list",
            Kind::Text(_) => "a text",
            Kind::Bool(_) | Kind::Other => "neither an object nor a list",
        }
    }

    pub(super) fn children(&self) -> Vec<Range<usize>> {
        let members = self.members().iter();
        let members = members.map(|member| member.start..member.value.span.end);
        let items = self.items().iter().map(|item| item.span.clone());
        members.chain(items).collect()
    }
}

pub(in crate::hooks) fn parse(text: &str) -> Result<Value, Mistake> {
    let mut parser = Parser { text, at: 0 };
    parser.at = text.len() - text.trim_start_matches('\u{feff}').len();
    parser.skip()?;
    let value = parser.value(0)?;
    parser.skip()?;
    if parser.at == text.len() {
        Ok(value)
    } else {
        Err(parser.expected("the end of the file"))
    }
}

/// Returns the offset of the first byte from `at` on that is neither white space nor part of a comment, and whether the
/// last thing before it, white space aside, is a comment that ends with its line.
pub(super) fn skip(text: &str, mut at: usize) -> Result<(usize, bool), Mistake> {
    let mut after_line_comment = false;
    loop {
        let rest = &text[at..];
        if rest.starts_with([' ', '\t', '\r', '\n']) {
            at += 1;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            after_line_comment = true;
        } else if rest.starts_with("/*") {
            let end = rest.find("*/");
            at += end.ok_or_else(|| Mistake::at(text, at, "the comment is not closed"))? + 2;
            after_line_comment = false;
        } else {
            return Ok((at, after_line_comment));
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn skip(&mut self) -> Result<(), Mistake> {
        self.at = skip(self.text, self.at)?.0;
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn expected(&self, what: &str) -> Mistake {
        let found = match self.text[self.at..].chars().next() {
            Some(found) => format!("{found:?}"),
            None => "the end of the file".to_owned(),
        };
        Mistake::at(
            self.text,
            self.at,
            format!("{what} expected, found {found}"),
        )
    }

    fn value(&mut self, depth: usize) -> Result<Value, Mistake> {
        if depth > MAX_DEPTH {
            return Err(Mistake::at(self.text, self.at, "nested too deeply"));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => Kind::Object(self.list(b'}', |parser| parser.member(depth))?),
            Some(b'[') => Kind::Array(self.list(b']', |parser| parser.value(depth + 1))?),
            Some(b'"') => Kind::Text(self.string()?),
            _ => self.word()?,
        };
        let span = start..self.at;
        Ok(Value { span, kind })
    }

    fn list<T>(
        &mut self,
        close: u8,
        mut item: impl FnMut(&mut Self) -> Result<T, Mistake>,
    ) -> Result<Vec<T>, Mistake> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip()?;
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            self.skip()?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(found) if found == close => {
                    self.at += 1;
                    return Ok(items);
                }
                _ => return Err(self.expected(&format!("',' or {:?}", char::from(close)))),
            }
            self.skip()?;
        }
    }

    fn member(&mut self, depth: usize) -> Result<Member, Mistake> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.expected("a name in double quotes"));
        }
        let key = self.string()?;
        self.skip()?;
        if self.peek() != Some(b':') {
            return Err(self.expected("':'"));
        }
        self.at += 1;
        self.skip()?;
        let value = self.value(depth + 1)?;
        Ok(Member { key, start, value })
    }

    fn string(&mut self) -> Result<String, Mistake> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut end = start + 1;
        while bytes.get(end).is_some_and(|byte| !b"\"\n".contains(byte)) {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        if bytes.get(end) != Some(&b'"') {
            return Err(Mistake::at(self.text, start, "the text is not closed"));
        }
        self.at = end + 1;
        serde_json::from_str(&self.text[start..self.at]).map_err(|_| {
            Mistake::at(
                self.text,
                start,
                "the text has an invalid character or escape",
            )
        })
    }

    fn word(&mut self) -> Result<Kind, Mistake> {
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_alphanumeric() || "+-._".contains(c);
        let word = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        let kind = match word {
            "true" => Kind::Bool(true),
            "false" => Kind::Bool(false),
            "null" => Kind::Other,
            word if serde_json::from_str::<serde_json::Number>(word).is_ok() => Kind::Other,
            _ => return Err(self.expected("a value")),
        };
        self.at += word.len();
        Ok(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_found_where_they_are() {
        let text = "\u{feff}// c\n{ \"a\": [1, {}], /* x */ \"b\\n\": true, \"a\": \"ä\" } // end";
        let value = parse(text).unwrap();
        assert_eq!(value.get("a").unwrap().text(), Some("ä"));
        assert!(value.get("b\n").unwrap().is_true());
        let spans = value.children().into_iter().map(|span| &text[span]);
        assert!(spans.eq(["\"a\": [1, {}]", "\"b\\n\": true", "\"a\": \"ä\""]));
        let items = &value.members()[0].value;
        assert_eq!(&text[items.span.clone()], "[1, {}]");
    }

    #[test]
    fn a_mistake_is_named_with_its_place() {
        let deep = "[".repeat(9_999);
        for (text, mistake) in [
            (
                "{\n  \"ä\": tru\n}",
                "line 2, column 8: a value expected, found 't'",
            ),
            (
                "{\"a\": 1,}",
                "line 1, column 9: a name in double quotes expected, found '}'",
            ),
            (
                "{",
                "line 1, column 2: a name in double quotes expected, found the end of the file",
            ),
            (
                "{} x",
                "line 1, column 4: the end of the file expected, found 'x'",
            ),
            ("[1 2]", "line 1, column 4: ',' or ']' expected, found '2'"),
            ("\"a\n\"", "line 1, column 1: the text is not closed"),
            ("/* x", "line 1, column 1: the comment is not closed"),
            ("\"\\x\"", "invalid"),
            (&deep, "too deeply"),
        ] {
            let found = parse(text).unwrap_err().to_string();
            assert!(found.contains(mistake), "{found}");
        }
    }

    proptest! {
        #[test]
        fn the_same_is_json_here_and_elsewhere(text in "[\\[\\]{}\",:a1.e\\- \\\\\ntrue]{0,12}") {
            let there = serde_json::from_str::<serde_json::Value>(&text);
            prop_assert_eq!(parse(&text).is_ok(), there.is_ok(), "{}", text);
        }

        #[test]
        fn no_text_makes_it_panic(text in ".{0,40}") {
            let _ = parse(&text);
        }
    }
}
