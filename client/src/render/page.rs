//! Pages: what people see of replies, as `replies.txt` describes it.

use super::diff::{diff, patch};
use super::exec::files;
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
struct Page {
    names: usize,
    parts: Vec<Part>,
}

impl Page {
    /// The page of this name; an empty one if there is none, for replies that say nothing besides that it is done.
    fn named(name: &str) -> Self {
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

    fn table(self) -> Option<Vec<Column>> {
        self.parts.into_iter().find_map(|part| match part {
            Part::Table(_, columns) => Some(columns),
            _ => None,
        })
    }
}

/// The columns of the table of this name.
pub(crate) fn columns(name: &str) -> Vec<Column> {
    Page::named(name).table().unwrap_or_default()
}

/// What is shown in one or more lines. Texts are templates.
enum Part {
    /// A name, which is a template too, and a text that is not empty.
    Field(&'static str, &'static str),
    /// A text that is not empty.
    Line(&'static str),
    /// The value at a path as a script reads it: a string without quotes.
    Plain(&'static str),
    /// Parts, if nothing in the text is empty.
    If(&'static str, Vec<Part>),
    /// Parts of each of the first items of the list at a path, or of each `key` and `value` of the object there.
    Each(usize, &'static str, Vec<Part>),
    /// Parts with lines that are cut to the width of the terminal.
    Cut(Vec<Part>),
    /// The list, or the only record, at a path.
    Table(&'static str, Vec<Column>),
    /// The same with a header in a pipe too.
    Headed(&'static str, Vec<Column>),
    /// A note that is not empty, which is not a part of the output.
    Note(&'static str),
    /// A note to a person, who reads no JSON.
    Remark(&'static str),
    /// The command fails if nothing in the text is empty.
    Fail(&'static str),
    /// The items of the list at a path below its name and their number: a name and a text each, in two columns.
    Rows(&'static str, (&'static str, &'static str)),
    /// What is at a path, as another page shows it.
    Of(&'static str, &'static str),
    /// The diff at a path.
    Diff(&'static str),
    /// The same without a terminal as it is, for a program.
    Patch(&'static str),
    /// The lines of the text at a path.
    Text(&'static str),
    /// The same without control sequences in place of visible ones.
    Readable(&'static str),
    /// The same as it is, with the end of its last line.
    Whole(&'static str),
    /// A line for each of the first changed files of the list at a path.
    Files(&'static str, usize),
    /// The text at the path of this name, if there is one, below its name.
    Block(&'static str),
    /// The last lines of a command's output, at most so many.
    Output(usize),
    /// A name, and the lines of the text or the list at a path below each other.
    Lines(&'static str, &'static str),
    /// An empty line.
    Gap,
}

impl Printer<'_> {
    /// Writes a record as the page of this name describes it.
    pub(crate) fn reply(&mut self, name: &str, record: &Value) -> io::Result<()> {
        let page = Page::named(name);
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
                let most = if self.cuts {
                    self.width() - 2
                } else {
                    usize::MAX
                };
                self.lines([line.cut(most)], "")
            }
            Part::Line(text) => {
                let text = fill(text, record, number, self.style);
                let most = if self.cuts {
                    self.room_after(0, 0)
                } else {
                    usize::MAX
                };
                self.lines((text.width() > 0).then_some(text.cut(most)), "")
            }
            Part::Plain(path) => match record.at(path) {
                Value::String(text) => writeln!(self, "{text}"),
                other => writeln!(self, "{other}"),
            },
            Part::If(condition, _) if !holds(condition, record) => Ok(()),
            Part::If(_, parts) => self.parts(names, parts, record, number),
            Part::Cut(parts) => {
                self.cuts = true;
                let written = self.parts(names, parts, record, number);
                self.cuts = false;
                written
            }
            Part::Each(most, path, parts) => {
                let items = items(record.at(path));
                let mut items = (1..).zip(items.iter().take(*most));
                items.try_for_each(|(number, item)| self.parts(names, parts, item, number))
            }
            Part::Table(path, columns) => match record.at(path) {
                Value::Array(rows) => self.list(rows, columns),
                Value::Object(_) => self.list(std::slice::from_ref(record.at(path)), columns),
                _ => Ok(()),
            },
            Part::Headed(path, columns) => self.headed_list(record.list(path), columns),
            Part::Rows(path, columns) => self.rows(record.at(path), path, *columns),
            Part::Patch(path) => patch(record.text(path), self),
            Part::Diff(path) => diff(record.text(path), self),
            Part::Of(path, page) => self.reply(page, record.at(path)),
            Part::Note(text) => self.note(&filled(text, record)),
            Part::Remark(text) if self.is_for_people => self.note(&filled(text, record)),
            Part::Remark(_) => Ok(()),
            Part::Fail(condition) => {
                self.has_failed |= holds(condition, record);
                Ok(())
            }
            Part::Text(path) => {
                let mut lines = record.text(path).lines();
                lines.try_for_each(|line| writeln!(self, "{}", printable(line)))
            }
            Part::Readable(path) => {
                writeln!(self, "{}", readable(record.text(path)).trim_end())
            }
            Part::Whole(path) => write!(self, "{}", readable(record.text(path))),
            Part::Files(path, most) => files(record.list(path), *most, self),
            Part::Block(name) => {
                let text = readable(record.text(&name.replace(' ', "_")));
                if text.trim().is_empty() {
                    return Ok(());
                }
                writeln!(self)?;
                self.line(Colour::Heading, name)?;
                let mut lines = text.trim_end().split('\n');
                lines.try_for_each(|line| writeln!(self, "{}", format!("  {line}").trim_end()))
            }
            Part::Output(most) => self.output(record, *most),
            Part::Lines(name, path) => {
                let items = record.list(path).iter().filter_map(Value::as_str);
                let labels = std::iter::once(*name).chain(std::iter::repeat(""));
                let mut lines = labels.zip(record.text(path).lines().chain(items));
                lines.try_for_each(|(label, line)| self.field(names, label, line))
            }
            Part::Gap => writeln!(self),
        }
    }

    /// Writes the last lines of an output, each indented by two spaces.
    fn output(&mut self, result: &Value, most: usize) -> io::Result<()> {
        let lines: Vec<&str> = result.text("output").lines().collect();
        let from = lines.len().saturating_sub(most);
        let omitted = result.number("omitted_bytes");
        if omitted > 0 {
            writeln!(self, "  ({omitted} bytes before this are omitted)")?;
        } else if from > 0 {
            writeln!(self, "  ({from} lines before these are omitted)")?;
        }
        let mut lines = lines[from..].iter();
        lines.try_for_each(|line| writeln!(self, "  {line}"))
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
            "@note" => Part::Note(rest),
            "@remark" => Part::Remark(rest),
            "@fail" => Part::Fail(rest),
            "@plain" => Part::Plain(rest),
            "@gap" => Part::Gap,
            "@patch" => Part::Patch(rest),
            "@diff" => Part::Diff(rest),
            "@text" => Part::Text(rest),
            "@readable" => Part::Readable(rest),
            "@whole" => Part::Whole(rest),
            "@output" => Part::Output(rest.parse().unwrap_or(usize::MAX)),
            "@lines" => {
                let (name, path) = rest.split_once(" = ").unwrap_or_default();
                Part::Lines(name, path)
            }
            "@of" => {
                let (path, page) = rest.split_once(' ').unwrap_or_default();
                Part::Of(path, page)
            }
            "@if" => Part::If(rest, parts(lines, indent + 2)),
            "@each" => {
                let counted = rest.split_once(' ');
                let counted = counted.and_then(|(most, path)| Some((most.parse().ok()?, path)));
                let (most, path) = counted.unwrap_or((usize::MAX, rest));
                Part::Each(most, path, parts(lines, indent + 2))
            }
            "@cut" => Part::Cut(parts(lines, indent + 2)),
            "@files" => {
                let (path, most) = rest.split_once(' ').unwrap_or((rest, ""));
                Part::Files(path, most.parse().unwrap_or(usize::MAX))
            }
            "@block" => Part::Block(rest),
            "@rows" => {
                let row = next_line(lines, indent + 2).and_then(|row| row.split_once(" = "));
                Part::Rows(rest, row.unwrap_or_default())
            }
            "@table" | "@headed" => {
                let columns = std::iter::from_fn(|| next_line(lines, indent + 2));
                let columns = columns.map(column).collect();
                match word {
                    "@table" => Part::Table(rest, columns),
                    _ => Part::Headed(rest, columns),
                }
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
