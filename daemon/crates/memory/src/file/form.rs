//! The form of the file, from `form.md`: each line of it once, for writing and for reading.
//! A line is a template ([`super::template`]): `{KIND PATH}` is the value at PATH of the part's `@record`, and what is between
//! `«` and `»` is absent if its values are the default ones. From `@list PATH` to `@end` are the lines of an entry.

use super::template::Template;
use ccd_protocol::memory::{
    BlockerEntry, FileReference, NextStep, PhaseStatus, ServerInfo, TaskReference, TestFailure,
};
use serde::Serialize;
use serde_json::{Value, to_value};
use std::sync::LazyLock;

/// What is below a heading.
#[derive(Default)]
pub(super) struct FormPart {
    pub(super) heading: &'static str,
    /// Path in the memory of the record that the lines are about.
    pub(super) record: &'static str,
    pub(super) lines: Vec<FormLine>,
}

pub(super) enum FormLine {
    Blank,
    One(Template),
    Each(List),
}

#[derive(Default)]
pub(super) struct List {
    pub(super) path: &'static str,
    /// The first line starts an entry.
    pub(super) entry: Vec<Template>,
    /// Before the entries, if there are any.
    pub(super) head: Vec<&'static str>,
    /// In place of entries.
    pub(super) none: &'static str,
    /// With `#` for the number of entries that were left out.
    pub(super) more: &'static str,
    pub(super) groups: Vec<Group>,
}

/// The field that says below which heading an entry is, its value, and the heading.
pub(super) type Group = [&'static str; 3];

/// The file starts with the lines of the first part and ends with those of the last.
pub(super) static PARTS: LazyLock<Vec<FormPart>> = LazyLock::new(|| parts(include_str!("form.md")));

fn parts(form: &'static str) -> Vec<FormPart> {
    let (mut parts, mut part) = (Vec::new(), FormPart::default());
    let mut list = None::<List>;
    for line in form.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, &mut list) {
            ("##" | "###" | "@end", None) => {
                parts.push(std::mem::take(&mut part));
                part.heading = if word == "@end" { "" } else { line };
            }
            ("@record", None) => part.record = rest,
            ("@list", None) => {
                list = Some(List {
                    path: rest,
                    ..List::default()
                });
            }
            ("", None) => part.lines.push(FormLine::Blank),
            (_, None) => part.lines.push(FormLine::One(Template::new(line))),
            ("@head", Some(list)) => list.head.push(rest),
            ("@none", Some(list)) => list.none = rest,
            ("@more", Some(list)) => list.more = rest,
            ("@group", Some(list)) => {
                let words: Vec<&str> = rest.splitn(3, ' ').collect();
                list.groups.extend(Group::try_from(words).ok());
            }
            ("@end", Some(_)) => part.lines.extend(list.take().map(FormLine::Each)),
            (_, Some(list)) => list.entry.push(Template::new(line)),
        }
    }
    parts.push(part);
    parts
}

pub(super) fn new<T: Default + Serialize>() -> Value {
    to_value(T::default()).unwrap_or_default()
}

impl List {
    pub(super) fn new_entry(&self) -> Value {
        match self.path {
            "phases" => new::<PhaseStatus>(),
            "nextTasks" => new::<TaskReference>(),
            "blockers" => new::<BlockerEntry>(),
            "failures" => new::<TestFailure>(),
            "servers" => new::<ServerInfo>(),
            "filesNeedingAttention" => new::<FileReference>(),
            "nextSteps" => new::<NextStep>(),
            _ => new::<String>(),
        }
    }
}
