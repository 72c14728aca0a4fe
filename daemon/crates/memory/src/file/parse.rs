//! Reads a memory back from its file. Never an error: what cannot be read is left out, and a warning says so.

use super::form::{FormLine, FormPart, Group, List, PARTS, new};
use super::task::IDS;
use super::template::{LineValues, Template, at_mut};
use crate::model::Notes;
use ccd_protocol::memory::SessionMemory;
use serde_json::{Value, from_value, json};
use std::cmp::Reverse;
use std::collections::HashSet;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parsed {
    pub memory: SessionMemory,
    pub notes: Notes,
    /// What is missing or could not be read.
    pub warnings: Vec<String>,
    /// False if the text has none of the sections of a memory.
    pub has_sections: bool,
    pub is_empty: bool,
}

/// More warnings than a person reads are counted only.
const MAX_WARNINGS: usize = 50;

pub(crate) fn parse(content: &str) -> Parsed {
    let mut reader = Reader::new();
    for (at, text) in content.trim_start_matches('\u{feff}').lines().enumerate() {
        reader.line(at + 1, text.trim());
    }
    let mut parsed = reader.finish();
    if content.trim().is_empty() {
        parsed.memory.summary.project_description = "No session data".to_owned();
        parsed.warnings = vec!["the file is empty".to_owned()];
        parsed.is_empty = true;
    }
    parsed
}

#[derive(Default)]
struct Reader {
    memory: Value,
    warnings: Vec<String>,
    left_out: usize,
    /// The part that lines belong to, and its section; `None` below a heading that is not ours.
    part: Option<usize>,
    section: Option<usize>,
    group: Option<&'static Group>,
    /// Headings and lines of each part that were there.
    seen: HashSet<(&'static str, &'static str)>,
}

/// It has no heading, nor has the last one, which may be below any.
const HEADER: usize = 0;

impl Reader {
    fn new() -> Self {
        let mut memory = new::<SessionMemory>();
        memory["warnings"] = json!([]);
        for (name, value) in [
            ("projectName", "unknown"),
            ("generatedAt", "unknown"),
            ("branch", "unknown"),
            ("version", "1.0"),
        ] {
            memory["metadata"][name] = json!(value);
        }
        Self {
            memory,
            part: Some(HEADER),
            ..Self::default()
        }
    }

    fn warn(&mut self, warning: String) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(warning)
        } else {
            self.left_out += 1;
        }
    }

    fn line(&mut self, number: usize, text: &str) {
        if text.starts_with("## ") {
            self.section = part_of(0, text);
            self.part = self.section;
            self.group = None;
            self.seen
                .extend(self.part.map(|part| (PARTS[part].heading, "")));
        } else if text.starts_with("### ") {
            if let Some(section) = self.section {
                self.subheading(section, number, text);
            }
        } else if !text.is_empty() && !is_known(text) {
            // Formatters of Markdown write emphasis so.
            let emphasis = text
                .strip_prefix('_')
                .and_then(|text| text.strip_suffix('_'));
            let emphasis = emphasis.map(|inner| format!("*{inner}*"));
            let text = emphasis.as_deref().unwrap_or(text);
            let mut parts = self.part.into_iter().chain([PARTS.len() - 1]);
            let is_read = parts.any(|part| self.read(&PARTS[part], number, text));
            let is_ours = self.part.is_some_and(|part| part != HEADER);
            if !is_read && is_ours {
                self.unread(number);
            }
        }
    }

    fn unread(&mut self, number: usize) {
        let section = self.section.map_or("", |section| PARTS[section].heading);
        let section = section.trim_start_matches("## ");
        self.warn(format!(
            "line {number} is not a line of the section \"{section}\"; it was left out"
        ));
    }

    fn subheading(&mut self, section: usize, number: usize, text: &str) {
        let mut lists = PARTS[section].lines.iter().filter_map(|line| match line {
            FormLine::Each(list) if !list.groups.is_empty() => Some(list),
            _ => None,
        });
        if let Some(list) = lists.next() {
            let mut groups = list.groups.iter();
            self.group = groups.find(|[_, _, heading]| heading.eq_ignore_ascii_case(text));
            if self.group.is_none() {
                let known = list.groups.iter().map(|[_, _, heading]| *heading);
                let known = known.collect::<Vec<_>>().join(", ");
                self.warn(format!("line {number}: {text:?} is none of {known}"));
            }
            return;
        }
        self.part = part_of(section + 1, text);
        if self.part.is_none() {
            self.unread(number);
        }
    }

    fn read(&mut self, part: &'static FormPart, number: usize, text: &str) -> bool {
        let mut lines: Vec<&FormLine> = part.lines.iter().collect();
        // "1. Current phase: …" is not the first sentence.
        lines.sort_by_key(|line| match line {
            FormLine::One(template) => Reverse(template.fixed_len),
            FormLine::Blank | FormLine::Each(_) => Reverse(0),
        });
        for line in lines {
            let found = match line {
                FormLine::Blank => None,
                // Each is there once.
                FormLine::One(line) if self.seen.contains(&(part.heading, line.text)) => None,
                FormLine::One(line) => line.read(text).map(|found| {
                    self.seen.insert((part.heading, line.text));
                    self.put(number, found, part.record, None);
                }),
                FormLine::Each(list) => self.entry(part, list, number, text),
            };
            if found.is_some() {
                return true;
            }
        }
        false
    }

    fn put(&mut self, number: usize, mut found: LineValues, record: &str, entry: Option<usize>) {
        for bad in std::mem::take(&mut found.bad) {
            self.warn(format!("line {number}: {bad}"));
        }
        let record = at_mut(&mut self.memory, record);
        match entry {
            None => found.put_into(record),
            Some(at) => found.put_into(&mut record[at]),
        }
    }

    fn entry(&mut self, part: &FormPart, list: &List, number: usize, text: &str) -> Option<()> {
        let path = [part.record, list.path].join(".");
        let entries = at_mut(&mut self.memory, &path);
        let is_head = list.head.iter().any(|head| is_same(head, text));
        if entries.is_null() && is_head {
            *entries = json!([]);
        }
        let entries = entries.as_array_mut()?;
        if is_head || text == list.none {
            return Some(());
        }
        for (at, template) in list.entry.iter().enumerate() {
            let Some(found) = template.read(text) else {
                continue;
            };
            if at == 0 {
                let mut entry = list.new_entry();
                if let Some([field, value, _]) = self.group {
                    entry[*field] = json!(value);
                }
                entries.push(entry);
            }
            let last = entries.len().checked_sub(1)?;
            self.put(number, found, &path, Some(last));
            return Some(());
        }
        None
    }

    fn finish(mut self) -> Parsed {
        let mut parsed = Parsed::default();
        for part in &*PARTS {
            let is_seen = self.seen.contains(&(part.heading, ""));
            parsed.has_sections |= is_seen;
            if part.heading.starts_with("## ") && !is_seen {
                let name = &part.heading[3..];
                self.warn(format!("the section \"{name}\" is missing"));
            }
            for line in &part.lines {
                if let FormLine::One(Template { text: template, .. }) = line
                    && (is_seen || part.heading.is_empty())
                    && template.contains('{')
                    && !template.starts_with('«')
                    && !self.seen.contains(&(part.heading, *template))
                {
                    let start = template.split('{').next().unwrap_or(template);
                    let start = start.trim_start_matches('-').trim();
                    self.warn(format!("the line \"{start} …\" is missing"));
                }
            }
        }
        if self.left_out > 0 {
            self.warnings
                .push(format!("... and {} more warnings", self.left_out));
        }
        let mut memory = self.memory;
        let tasks = &mut memory["taskStatus"];
        if tasks["nextTasks"] == json!([]) && tasks[IDS].is_array() {
            tasks["nextTasks"] = tasks[IDS].take();
        }
        parsed.warnings = self.warnings;
        parsed.notes.warnings = from_value(memory["warnings"].take()).unwrap_or_default();
        parsed.notes.provenance = from_value(memory["provenance"].take()).unwrap_or_default();
        parsed.memory = from_value(memory).unwrap_or_default();
        parsed
    }
}

/// Returns the part with a heading: from the first on a section, else a part of the same section.
fn part_of(first: usize, heading: &str) -> Option<usize> {
    let parts = PARTS.iter().enumerate().skip(first);
    let mut parts = parts.take_while(|(_, part)| first == 0 || part.heading.starts_with("### "));
    let found = parts.find(|(_, part)| part.heading.eq_ignore_ascii_case(heading));
    found.map(|(at, _)| at)
}

/// The head of a table may have other blanks and rules.
fn is_same(head: &str, text: &str) -> bool {
    let plain = |line: &str| line.replace([' ', '-', ':'], "");
    plain(head) == plain(text)
}

/// Lines that say nothing that the memory would hold.
fn is_known(text: &str) -> bool {
    text == "---" || text == "None" || (text.starts_with("... and ") && text.contains(" more "))
}
