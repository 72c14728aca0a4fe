//! A task on a line: `ID - title _(phase)_`.

use super::escape::{TEXT, line, not_word, unescape};
use crate::model::pattern;
use regex::Regex;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// What is written for no task and no list of tasks.
pub(super) const NONE: &str = "none";
/// Where ids are put: they only count if no tasks follow.
pub(super) const IDS: &str = "nextTaskIds";
const NO_ID: &str = "(no id)";

pub(super) fn write(task: &Value) -> String {
    let text = |name| line(task[name].as_str().unwrap_or_default());
    format!("{} - {} _({})_", id(task), text("title"), text("phase"))
}

pub(super) fn ids(tasks: &Value) -> String {
    let ids: Vec<String> = tasks.as_array().into_iter().flatten().map(id).collect();
    if ids.is_empty() {
        NONE.to_owned()
    } else {
        ids.join(", ")
    }
}

fn id(task: &Value) -> String {
    match task["id"].as_str().unwrap_or_default() {
        "" => NO_ID.to_owned(),
        id => not_word(id, NO_ID)
            .replace(", ", "\\u{2c} ")
            .replace(" -", " \\-"),
    }
}

static LINE: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"\A{TEXT}(?: - {TEXT})?(?: _\({TEXT}\)_)?\z")));

/// Reads what [`write()`] writes, and the seed's shorter forms: `ID`, `ID: title`.
pub(super) fn read(text: &str) -> Value {
    let found = LINE.captures(text);
    let group = |number| Some(found.as_ref()?.get(number)?.as_str());
    let first = group(1).unwrap_or_default();
    let (id, title) = match (group(2), first.split_once(": ")) {
        (Some(title), _) => (first, title),
        (None, Some((id, title))) if !id.contains(' ') => (id, title),
        _ if first.contains(' ') => (NO_ID, first),
        _ => (first, ""),
    };
    let id = if id == NO_ID { "" } else { id };
    let phase = group(3).unwrap_or_default();
    json!({"id": unescape(id), "title": unescape(title), "phase": unescape(phase)})
}

pub(super) fn read_ids(text: &str) -> Value {
    let ids = text.split(", ").filter(|id| !id.is_empty() && *id != NONE);
    ids.map(read).collect()
}
