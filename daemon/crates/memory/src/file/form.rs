//! The form of the file, from `form.md`: each line of it once, for writing and for reading.
//! A line is a template ([`super::template`]): `{KIND PATH}` is the value at PATH of the part's `@record`, and what is between
//! `«` and `»` is absent if its values are the default ones. From `@list PATH` to `@end` are the lines of an entry.

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

pub(super) struct FormLine {
    /// An empty line is before it.
    pub(super) is_apart: bool,
    pub(super) kind: LineKind,
}

pub(super) enum LineKind {
    One(&'static str),
    Each(List),
}

#[derive(Default)]
pub(super) struct List {
    pub(super) path: &'static str,
    /// The first line starts an entry.
    pub(super) entry: Vec<&'static str>,
    /// Before the entries, if there are any.
    pub(super) head: Vec<&'static str>,
    /// In place of entries.
    pub(super) none: &'static str,
    /// With `#` for the number of entries that were left out.
    pub(super) more: &'static str,
    /// Headings with the field that says below which of them an entry is, and its value.
    pub(super) groups: Vec<Group>,
}

pub(super) struct Group {
    pub(super) field: &'static str,
    pub(super) value: &'static str,
    pub(super) heading: &'static str,
}

/// The file starts with the lines of the first part and ends with those of the last.
pub(super) static PARTS: LazyLock<Vec<FormPart>> = LazyLock::new(|| parts(include_str!("form.md")));

fn parts(form: &'static str) -> Vec<FormPart> {
    let mut parts = vec![FormPart::default()];
    let (mut is_apart, mut list) = (false, None::<List>);
    for line in form.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, &mut list) {
            ("##" | "###", None) => parts.push(FormPart {
                heading: line,
                ..FormPart::default()
            }),
            ("@end", None) => parts.push(FormPart::default()),
            ("@list", None) => {
                list = Some(List {
                    path: rest,
                    ..List::default()
                });
                continue;
            }
            ("@head", Some(list)) => list.head.push(rest),
            ("@none", Some(list)) => list.none = rest,
            ("@more", Some(list)) => list.more = rest,
            ("@group", Some(list)) => {
                let mut words = rest.splitn(3, ' ');
                let mut word = || words.next().unwrap_or_default();
                list.groups.push(Group {
                    field: word(),
                    value: word(),
                    heading: word(),
                });
            }
            ("@end", _) => push(&mut parts, &mut is_apart, list.take().map(LineKind::Each)),
            (_, Some(list)) => list.entry.push(line),
            ("@record", _) => parts
                .last_mut()
                .into_iter()
                .for_each(|part| part.record = rest),
            ("", _) => is_apart = true,
            _ => push(&mut parts, &mut is_apart, Some(LineKind::One(line))),
        }
    }
    parts
}

fn push(parts: &mut [FormPart], is_apart: &mut bool, kind: Option<LineKind>) {
    if let (Some(part), Some(kind)) = (parts.last_mut(), kind) {
        let is_apart = std::mem::take(is_apart);
        part.lines.push(FormLine { is_apart, kind });
    }
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
