//! Pages: what people see of replies, as `replies.txt` describes it.

use super::diff::diff;
use super::line::{Line, width};
use super::printer::Printer;
use super::style::Colour;
use super::table::Column;
use super::template::{Section, fill, filled, holds, items, section};
use super::{printable, readable};
use crate::fields::Fields as _;
use serde_json::Value;
use std::borrow::Cow;
use std::io;

/// What is shown of a record. The names of its fields take so many columns.
pub(crate) struct Page {
    names: usize,
    parts: Vec<Part>,
}

impl Page {
    /// The page of this name; an empty one if there is none, for replies that say nothing besides that it is done.
    pub(crate) fn named(name: &str) -> Self {
        let Some((names, mut lines)) = section(name) else {
            return Self {
                names: 0,
                parts: Vec::new(),
            };
        };
        Self {
            names: names.parse().unwrap_or(0),
            parts: parts(&mut lines, 0),
        }
    }

    /// The path of a list, and the note in place of an empty one.
    pub(crate) fn nothing(&self) -> Option<(&'static str, &'static str)> {
        let note = self.parts.iter().find_map(|part| match part {
            Part::None(note) => Some(*note),
            _ => None,
        })?;
        self.table().map(|(path, _)| (path, note))
    }

    fn table(&self) -> Option<(&'static str, &Vec<Column>)> {
        self.parts.iter().find_map(|part| match part {
            Part::Table(path, columns) => Some((*path, columns)),
            _ => None,
        })
    }
}

/// The columns of the table of this name.
pub(crate) fn columns(name: &str) -> Vec<Column> {
    let page = Page::named(name);
    page.table()
        .map(|(_, columns)| columns.clone())
        .unwrap_or_default()
}

/// What is shown in one or more lines. Texts are templates.
enum Part {
    /// A name, which is a template too, and a text that is not empty.
    Field(&'static str, &'static str),
    /// A text that is not empty.
    Line(&'static str),
    /// Parts, if nothing in the text is empty.
    If(&'static str, Vec<Part>),
    /// Parts of each item of the list at a path, or of each `key` and `value` of the object there.
    Each(&'static str, Vec<Part>),
    /// The list at a path.
    Table(&'static str, Vec<Column>),
    /// The note in place of an empty table, which is not a part of the output.
    None(&'static str),
    /// The items of the list at a path below its name and their number: a name and a text each, in two columns.
    Rows(&'static str, (&'static str, &'static str)),
    /// What is at a path, as another page shows it.
    Of(&'static str, &'static str),
    /// The diff at a path.
    Diff(&'static str),
    /// The lines of the text at a path.
    Text(&'static str),
    /// The same without control sequences in place of visible ones.
    Readable(&'static str),
    /// A name, and the lines of the text or the list at a path below each other.
    Lines(&'static str, &'static str),
    /// An empty line.
    Gap,
}

impl Printer<'_> {
    /// Writes a record as the page of this name describes it.
    pub(crate) fn reply(&mut self, name: &str, record: &Value) -> io::Result<()> {
        self.page(&Page::named(name), record)
    }

    pub(crate) fn page(&mut self, page: &Page, record: &Value) -> io::Result<()> {
        self.parts(page.names, &page.parts, record, 0)
    }

    fn parts(
        &mut self,
        names: usize,
        parts: &[Part],
        record: &Value,
        number: usize,
    ) -> io::Result<()> {
        let mut parts = parts.iter();
        parts.try_for_each(|part| self.part(names, part, record, number))
    }

    fn part(&mut self, names: usize, part: &Part, record: &Value, number: usize) -> io::Result<()> {
        match part {
            Part::Field(name, text) => {
                let name = fill(name, record, number, self.style).text();
                let text = fill(text, record, number, self.style);
                if text.width() == 0 {
                    return Ok(());
                }
                let mut line = Line::of(format!("{name:<names$}"), Some(Colour::Dim));
                line.append(text);
                self.lines([line], "")
            }
            Part::Line(text) => {
                let text = fill(text, record, number, self.style);
                self.lines((text.width() > 0).then_some(text), "")
            }
            Part::If(condition, _) if !holds(condition, record) => Ok(()),
            Part::If(_, parts) => self.parts(names, parts, record, number),
            Part::Each(path, parts) => {
                let items = items(record.at(path));
                let mut items = (1..).zip(&items);
                items.try_for_each(|(number, item)| self.parts(names, parts, item, number))
            }
            Part::Table(path, columns) => self.list(record.list(path), columns),
            Part::Rows(path, columns) => self.rows(record.at(path), path, *columns),
            Part::Diff(path) => diff(record.text(path), self),
            Part::Of(path, page) => self.reply(page, record.at(path)),
            Part::None(_) => Ok(()),
            Part::Text(path) => {
                let mut lines = record.text(path).lines();
                lines.try_for_each(|line| writeln!(self, "{}", printable(line)))
            }
            Part::Readable(path) => {
                writeln!(self, "{}", readable(record.text(path)).trim_end())
            }
            Part::Lines(name, path) => {
                let items = record.list(path).iter().filter_map(Value::as_str);
                let labels = std::iter::once(*name).chain(std::iter::repeat(""));
                let mut lines = labels.zip(record.text(path).lines().chain(items));
                lines.try_for_each(|(label, line)| self.field(names, label, line))
            }
            Part::Gap => writeln!(self),
        }
    }

    fn rows(&mut self, of: &Value, path: &str, (name, text): (&str, &str)) -> io::Result<()> {
        const MAX_WIDTH: usize = 28;
        let items = items(of);
        if items.is_empty() {
            return Ok(());
        }
        // `safety_notes` are notes.
        let heading = path.rsplit('_').next().unwrap_or(path);
        writeln!(self)?;
        self.line(Colour::Heading, &format!("{heading} ({})", items.len()))?;
        let row = |item: &Cow<'_, Value>| (filled(name, item), filled(text, item));
        let rows: Vec<(String, String)> = items.iter().map(row).collect();
        let names = rows.iter().map(|(name, _)| width(name));
        let widest = names.filter(|&wide| wide <= MAX_WIDTH).max().unwrap_or(0);
        for (name, text) in &rows {
            let blanks = widest.saturating_sub(width(name));
            let line = format!("  {name}{:blanks$}  {text}", "");
            writeln!(self, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Reads the parts that are indented so far.
fn parts(lines: &mut Section, indent: usize) -> Vec<Part> {
    let mut all = Vec::new();
    while let Some(line) = next_line(lines, indent) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        all.push(match word {
            ">" => Part::Line(rest),
            "@none" => Part::None(rest),
            "@gap" => Part::Gap,
            "@diff" => Part::Diff(rest),
            "@text" => Part::Text(rest),
            "@readable" => Part::Readable(rest),
            "@lines" => {
                let (name, path) = rest.split_once(" = ").unwrap_or_default();
                Part::Lines(name, path)
            }
            "@of" => {
                let (path, page) = rest.split_once(' ').unwrap_or_default();
                Part::Of(path, page)
            }
            "@if" => Part::If(rest, parts(lines, indent + 2)),
            "@each" => Part::Each(rest, parts(lines, indent + 2)),
            "@rows" => {
                let row = next_line(lines, indent + 2).and_then(|row| row.split_once(" = "));
                Part::Rows(rest, row.unwrap_or_default())
            }
            "@table" => {
                let column = std::iter::from_fn(|| next_line(lines, indent + 2));
                Part::Table(rest, column.map(self::column).collect())
            }
            _ => {
                let (name, text) = line.split_once(" = ").unwrap_or_default();
                Part::Field(name, text)
            }
        });
    }
    all
}

fn next_line(lines: &mut Section, indent: usize) -> Option<&'static str> {
    let is_inside =
        |line: &&str| line.len() - line.trim_start().len() == indent && !line.is_empty();
    lines.next_if(is_inside).map(str::trim_start)
}

fn column(line: &'static str) -> Column {
    let (heading, cell) = line.split_once("= ").unwrap_or_default();
    let mut words = heading.split_whitespace();
    let text = words.next().unwrap_or_default();
    let mut number = || words.next().and_then(|word| word.parse().ok());
    Column::new(text, number(), number().unwrap_or(0) as u8, cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_and_every_name_is_known() {
        let replies = include_str!("replies.txt");
        let sections = replies.split("\n# ").skip(1);
        let methods: Vec<&str> = ccd_protocol::methods().map(|method| method.name).collect();
        for text in sections {
            let (heading, _) = text.split_once('\n').unwrap();
            let name = heading.trim_end_matches(|c: char| c == ' ' || c.is_ascii_digit());
            let method = name.split(' ').next().unwrap();
            assert!(!method.contains('.') || methods.contains(&method), "{name}");
            if name != "texts" {
                let (_, mut lines) = section(name).unwrap();
                assert!(!parts(&mut lines, 0).is_empty(), "{name}");
                assert_eq!(lines.find(|line| !line.is_empty()), None, "{name}");
            }
        }
        for line in replies.lines() {
            for (_, name) in line.match_indices('&').map(|(at, _)| line.split_at(at + 1)) {
                let name = name.split('}').next().unwrap();
                assert!(replies.contains(&format!("\n{name} = ")), "{line}");
            }
            for (open, close) in [('{', '}'), ('[', ']')] {
                let count = |sign| {
                    line.replace("\\[", "")
                        .replace("\\]", "")
                        .matches(sign)
                        .count()
                };
                assert_eq!(count(open), count(close), "{line}");
            }
        }
    }
}
