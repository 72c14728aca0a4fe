//! Writes a memory as markdown, in the seed's sections and order.

use super::form::{FormLine, FormPart, List, PARTS, new};
use super::template::at;
use crate::model::{Cuts, Notes};
use ccd_protocol::memory::SessionMemory;
use serde_json::{Value, json, to_value};

/// Returns the markdown of a memory. `cuts` says what was left out of it, `notes` what else is to be said of it.
pub(crate) fn write(memory: &SessionMemory, cuts: &Cuts, notes: &Notes) -> String {
    let mut value = to_value(memory).unwrap_or_default();
    value["warnings"] = json!(notes.warnings);
    if !notes.provenance.is_empty() {
        value["provenance"] = json!(notes.provenance);
    }
    let defaults = new::<SessionMemory>();
    let mut out = Writer {
        text: String::new(),
        cuts,
    };
    for part in &*PARTS {
        out.part(part, at(&value, part.record), at(&defaults, part.record));
    }
    out.text
}

struct Writer<'a> {
    text: String,
    cuts: &'a Cuts,
}

impl Writer<'_> {
    fn put(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    fn heading(&mut self, heading: &str) {
        self.blank();
        if !heading.is_empty() {
            self.put(heading);
            self.blank();
        }
    }

    fn part(&mut self, part: &FormPart, record: &Value, default: &Value) {
        self.heading(part.heading);
        let mut number = 0;
        for line in &part.lines {
            match line {
                FormLine::Blank => self.blank(),
                FormLine::One(template) => {
                    number += 1;
                    let line = template.write(number, record, default);
                    line.iter().for_each(|line| self.put(line));
                }
                FormLine::Each(list) => self.list(part, list, record, default),
            }
        }
    }

    fn list(&mut self, part: &FormPart, list: &List, record: &Value, default: &Value) {
        let value = at(record, list.path);
        let entries = value.as_array().map_or(&[][..], Vec::as_slice);
        let left_out = match at(record, "failed").as_u64() {
            // Also what a report does not name.
            Some(failed) => failed.saturating_sub(entries.len() as u64),
            None => {
                let path = [part.record, list.path].join(".");
                let left_out = self.cuts.get(path.trim_start_matches('.'));
                left_out.copied().unwrap_or(0)
            }
        };
        if value != at(default, list.path) || left_out > 0 {
            list.head.iter().for_each(|line| self.put(line));
        } else if !list.none.is_empty() {
            self.put(list.none);
        }
        if list.groups.is_empty() {
            self.entries(list, entries.iter());
        }
        for [field, value, heading] in &list.groups {
            let ours = entries.iter().filter(|entry| entry[*field] == **value);
            if ours.clone().next().is_some() {
                self.heading(heading);
                self.entries(list, ours);
                self.blank();
            }
        }
        if left_out > 0 {
            // Without an empty line, it would be a row of the table.
            if list.head.len() > 1 {
                self.blank();
            }
            self.put(&list.more.replace('#', &left_out.to_string()));
        }
    }

    fn entries<'v>(&mut self, list: &List, entries: impl Iterator<Item = &'v Value>) {
        let default = list.new_entry();
        for (at, entry) in entries.enumerate() {
            let lines = list.entry.iter();
            lines
                .filter_map(|template| template.write(at + 1, entry, &default))
                .for_each(|line| self.put(&line));
        }
    }
}
