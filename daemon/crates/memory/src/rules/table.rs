//! The seed's rules, one row for each value that has one.

use ccd_protocol::memory::SessionMemory;
use serde_json::{Value, from_value, to_value};
use std::sync::LazyLock;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Rule {
    Time,
    Version,
    Percentage,
    Counts,
    RelativePath,
    Entries(usize),
    /// A text of one line with at most this many characters.
    Line(usize),
}

/// Paths of values, with what must be true of them.
static RULES: LazyLock<Vec<(&str, Rule)>> = LazyLock::new(|| {
    let lines = include_str!("rules.txt").lines();
    lines.filter_map(rule).collect()
});

fn rule(line: &'static str) -> Option<(&'static str, Rule)> {
    let words: Vec<&str> = line.split(' ').collect();
    let (kind, max, path) = match *words {
        [kind, max, path] => (kind, max.parse().ok()?, path),
        [kind, path] => (kind, usize::MAX, path),
        _ => return None,
    };
    let rule = match kind {
        "time" => Rule::Time,
        "version" => Rule::Version,
        "percentage" => Rule::Percentage,
        "counts" => Rule::Counts,
        "path" => Rule::RelativePath,
        "entries" => Rule::Entries(max),
        "line" => Rule::Line(max),
        _ => return None,
    };
    Some((path, rule))
}

/// Calls `look` with each value that has a rule, and the value's own path: `blockers[0].title`.
pub(super) fn each_rule(memory: &mut Value, mut look: impl FnMut(Rule, &str, &mut Value)) {
    for (path, rule) in &*RULES {
        each(memory, path, String::new(), &mut |name, value| {
            look(*rule, name, value)
        });
    }
}

/// Calls `look` with each value that is at a path and is not null.
pub(super) fn each(
    value: &mut Value,
    path: &str,
    name: String,
    look: &mut dyn FnMut(&str, &mut Value),
) {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    match (first, value) {
        (_, Value::Null) => (),
        ("", value) => look(&name, value),
        ("*", Value::Array(entries)) => {
            for (at, entry) in entries.iter_mut().enumerate() {
                each(entry, rest, format!("{name}[{at}]"), look);
            }
        }
        (names, value) => {
            for first in names.split('|') {
                if let Some(value) = value.get_mut(first) {
                    let dot = if name.is_empty() { "" } else { "." };
                    each(value, rest, format!("{name}{dot}{first}"), look);
                }
            }
        }
    }
}

/// Changes texts and lists; false if what comes out is no memory, which is then as it was.
pub(super) fn change(memory: &mut SessionMemory, change: impl FnOnce(&mut Value)) -> bool {
    let mut value = to_value(&*memory).unwrap_or_default();
    change(&mut value);
    match from_value(value) {
        Ok(changed) => *memory = changed,
        Err(_) => return false,
    }
    true
}

pub(super) fn change_texts(
    memory: &mut SessionMemory,
    mut change_text: impl FnMut(&mut String),
) -> bool {
    change(memory, |value| each_text(value, &mut change_text))
}

fn each_text(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(values) => values.iter_mut().for_each(|value| each_text(value, change)),
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|value| each_text(value, change)),
        _ => (),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_line_of_the_table_is_a_rule() {
        let lines = include_str!("rules.txt").lines();
        let rules = lines.filter(|line| !line.starts_with('#')).count();
        assert_eq!(super::RULES.len(), rules);
    }
}
