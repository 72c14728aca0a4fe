//! Templates: texts with the values of a record in them, in which replies are described.
//!
//! | in a template | is |
//! |---|---|
//! | `{path}` | the value there ([`crate::fields::Fields::at`]); empty if it is missing |
//! | `{path:form}` | the value in a [`form`], or in a [`Colour`]; several apply in turn |
//! | `{path?}` `{path!}` | no text, but empty unless the record has a value there, or has none ([`crate::fields::Fields::has`]) |
//! | `{path=word}` `{path#word}` | no text, but empty unless the text there is the word, or is another one; `.path` is the text there |
//! | `{path*gap*template}` | each item of a list, or each `key` and `value` of an object, that is not empty |
//! | `{#}` | the number of the item of a list, from 1 |
//! | `{path&name}` | the template of this name with the values there |
//! | `[one\|other]` | the first of these in which nothing is empty; no text if there is none |
//! | `<dim>text</>` | a text in a colour |
//! | `\[` | a bracket, like the other signs |

use super::form::{form, plain};
use super::line::Line;
use super::style::Colour;
use super::{Style, printable};
use crate::fields::Fields as _;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Lines;

const REPLIES: &str = include_str!("replies.txt");

pub(super) type Section = Peekable<Lines<'static>>;

/// Returns what follows the name of a section in its heading, and its lines.
pub(super) fn section(name: &str) -> Option<(&'static str, Section)> {
    let mut sections = REPLIES.split("\n# ").skip(1);
    let (rest, lines) = sections.find_map(|section| {
        let (heading, lines) = section.split_once('\n')?;
        let rest = heading.strip_prefix(name)?;
        let is_width = |c: char| c == ' ' || c.is_ascii_digit();
        rest.chars().all(is_width).then_some((rest.trim(), lines))
    })?;
    Some((rest, lines.lines().peekable()))
}

/// The template of this name, which others contain as `{&name}`.
fn template(name: &str) -> &'static str {
    let (_, mut lines) = section("texts").unwrap_or_else(|| ("", "".lines().peekable()));
    let found = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
    found.unwrap_or_default()
}

/// Returns the template of this name with the values of a record, in a line.
pub(crate) fn text_line(name: &str, record: &Value, style: Style) -> Line {
    fill(template(name), record, 0, style)
}

/// Returns the template of this name with the values of a record.
pub(crate) fn text(name: &str, record: &Value) -> String {
    filled(template(name), record)
}

/// Returns a template with the values of a record, as a script or a log reads it.
pub(crate) fn filled(template: &str, record: &Value) -> String {
    fill(template, record, 0, Style::default()).text()
}

/// True if nothing in a template is empty.
pub(super) fn holds(template: &str, record: &Value) -> bool {
    filled_whole(template, record).is_some()
}

/// Returns what [`filled`] does, if nothing in the template is empty.
pub(crate) fn filled_whole(template: &str, record: &Value) -> Option<String> {
    let mut filling = Filling {
        rest: template,
        record,
        number: 0,
        style: Style::default(),
    };
    let mut line = Line::default();
    filling.sequence(None, &mut line).then(|| line.text())
}

/// Returns a template with the values of a record in a line. What controls a terminal is escaped in values.
pub(crate) fn fill(text: &str, record: &Value, number: usize, style: Style) -> Line {
    let mut line = Line::default();
    let mut filling = Filling {
        rest: text,
        record,
        number,
        style,
    };
    filling.sequence(None, &mut line);
    line
}

struct Filling<'a> {
    rest: &'a str,
    record: &'a Value,
    number: usize,
    style: Style,
}

impl Filling<'_> {
    /// Appends what comes up to the end of an alternative; false if something in it is empty.
    fn sequence(&mut self, outer: Option<Colour>, line: &mut Line) -> bool {
        let (mut is_whole, mut colour) = (true, outer);
        while let Some(at) = self.rest.find(['{', '[', '|', ']', '<', '\\']) {
            line.push(&self.rest[..at], colour);
            let (sign, rest) = self.rest[at..].split_at(1);
            self.rest = &self.rest[at..];
            match sign {
                "{" => is_whole &= self.value(colour, line),
                "[" => self.group(colour, line),
                "<" => {
                    let (name, rest) = rest.split_once('>').unwrap_or_default();
                    (colour, self.rest) = (Colour::named(name).or(outer), rest);
                }
                "\\" => {
                    let len = rest.chars().next().map_or(0, char::len_utf8);
                    line.push(&rest[..len], colour);
                    self.rest = &rest[len..];
                }
                _ => return is_whole,
            }
        }
        line.push(self.rest, colour);
        self.rest = "";
        is_whole
    }

    /// Appends the first alternative in which nothing is empty.
    fn group(&mut self, colour: Option<Colour>, line: &mut Line) {
        let mut found = None;
        while let Some(rest) = self.rest.strip_prefix(['[', '|']) {
            self.rest = rest;
            let mut part = Line::default();
            let is_whole = self.sequence(colour, &mut part);
            found = found.or(is_whole.then_some(part));
        }
        line.append(found.unwrap_or_default());
        self.rest = self.rest.get(1..).unwrap_or_default();
    }

    /// Appends a value; false if it is empty.
    fn value(&mut self, colour: Option<Colour>, line: &mut Line) -> bool {
        let (field, rest) = enclosed(self.rest);
        self.rest = rest;
        let signs = ['?', '!', '=', '#', '*', '&', ':'];
        let (path, rest) = field.split_at(field.find(signs).unwrap_or(field.len()));
        let found = self.record.at(path);
        match rest.split_at_checked(1).unwrap_or_default() {
            ("#", "") if path.is_empty() => {
                line.push(self.number.to_string(), colour);
                true
            }
            ("?", _) => self.record.has(path),
            ("!", _) => !self.record.has(path),
            ("=", word) => plain(found) == self.word(word),
            ("#", word) => plain(found) != self.word(word),
            ("&", name) => {
                let named = fill(template(name), found, self.number, self.style);
                let is_empty = named.width() == 0;
                line.append(named.or_colour(colour));
                !is_empty
            }
            ("*", rest) => {
                let (gap, template) = rest.split_once('*').unwrap_or_default();
                let items = self.each(found, template);
                let is_empty = items.is_empty();
                for (index, item) in items.into_iter().enumerate() {
                    line.push(if index > 0 { gap } else { "" }, colour);
                    line.append(item);
                }
                !is_empty
            }
            (_, forms) => {
                let (text, colour) = self.formed(found, forms, colour);
                line.push(text.as_str(), colour);
                !text.is_empty()
            }
        }
    }

    /// A word to compare with, or the value at a path that starts with a dot.
    fn word<'b>(&'b self, word: &'b str) -> Cow<'b, str> {
        if word.starts_with('.') {
            plain(self.record.at(word))
        } else {
            Cow::Borrowed(word)
        }
    }

    /// Returns the template with each item that is not empty.
    fn each(&self, of: &Value, template: &str) -> Vec<Line> {
        let items = items(of);
        let filled = (1..)
            .zip(&items)
            .map(|(number, item)| fill(template, item, number, self.style));
        filled.filter(|line| line.width() > 0).collect()
    }

    fn formed(
        &self,
        found: &Value,
        forms: &str,
        mut colour: Option<Colour>,
    ) -> (String, Option<Colour>) {
        let mut value = Cow::Borrowed(found);
        for name in forms.split(':').filter(|name| !name.is_empty()) {
            if name == "state" {
                colour = Colour::of_state(&plain(found));
            } else if let Some(named) = Colour::named(name) {
                colour = Some(named);
            } else {
                value = Cow::Owned(form(name, &value, self.style).into());
            }
        }
        (printable(&plain(&value)), colour)
    }
}

/// The items of a list, or each `key` and `value` of an object.
pub(super) fn items(of: &Value) -> Vec<Cow<'_, Value>> {
    let member = |(key, value)| Cow::Owned(json!({"key": key, "value": value}));
    match of {
        Value::Array(items) => items.iter().map(Cow::Borrowed).collect(),
        Value::Object(members) => members.iter().map(member).collect(),
        _ => Vec::new(),
    }
}

/// Splits a template after the brace that ends the value at its start.
fn enclosed(template: &str) -> (&str, &str) {
    let mut depth = 0;
    let end = template.find(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    });
    let (field, rest) = template.split_at(end.unwrap_or(0));
    (
        field.get(1..).unwrap_or_default(),
        rest.get(1..).unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_filled_with_what_is_there() {
        let record = json!({
            "name": "a\u{1b}", "count": 2, "none": null, "off": false, "half": 0.5, "whole": 30.0, "empty": [],
            "list": [{"n": 1}, {"n": 0}, {"n": 3}], "map": {"x": 1, "y": 0}, "in": {"ner": ["p", "q"]},
        });
        for (template, text) in [
            ("{name} {count} {none}.", "a\\u{1b} 2 ."),
            ("{half} {whole} {off}", "0.5 30 false"),
            ("{in.ner.1} {in.ner:join +}", "q p+q"),
            ("[a {none}|b {count}|c]", "b 2"),
            ("[a {none}]", ""),
            ("x[ y[ {none}] z]", "x y z"),
            ("[{off?}yes|no] [{off!}no] [{empty?}|none]", "no no none"),
            (
                "[{count=2}two] [{count#2}not two] [{count=.count}same]",
                "two  same",
            ),
            ("{list*, *[{n?}{#}:{n}]}", "1:1, 3:3"),
            ("{map*; *{key} {value}}", "x 1; y 0"),
            ("\\[{count}\\] <dim>d</>", "[2] d"),
            (
                "{list:len} {list:count item} {count:count item}",
                "3 3 items 2 items",
            ),
        ] {
            assert_eq!(filled(template, &record), text, "{template}");
        }
    }

    #[test]
    fn colours_go_inwards() {
        let line = fill(
            "<dim>a[ b{n:good}]</>c",
            &json!({"n": 1}),
            0,
            Style::default(),
        );
        let mut expected = Line::of("a b", Some(Colour::Dim));
        expected.push("1", Some(Colour::Good));
        expected.push("c", None);
        assert_eq!(line, expected);
    }
}
