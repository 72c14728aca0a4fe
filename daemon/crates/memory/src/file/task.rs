//! A task on a line: `ID - title _(phase)_`.

use super::escape::{find, find_last, line, not_word, unescape};
use serde_json::{Value, json};

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

/// Reads what [`write()`] writes, and the seed's shorter forms: `ID`, `ID: title`.
pub(super) fn read(text: &str) -> Value {
    let phase = text
        .strip_suffix(")_")
        .and_then(|text| Some((text, find_last(text, " _(")?)));
    let (text, phase) = match phase {
        Some((text, at)) => (&text[..at], &text[at + 3..]),
        None => (text, ""),
    };
    let (id, title) = match find(text, " - ") {
        Some(at) => (&text[..at], &text[at + 3..]),
        None => match text.split_once(": ") {
            Some((id, title)) if !id.contains(' ') => (id, title),
            _ if text.contains(' ') => (NO_ID, text),
            _ => (text.strip_suffix(" -").unwrap_or(text), ""),
        },
    };
    let id = if id == NO_ID { "" } else { id };
    json!({"id": unescape(id), "title": unescape(title), "phase": unescape(phase)})
}

pub(super) fn read_ids(text: &str) -> Value {
    let ids = text.split(", ").filter(|id| !id.is_empty() && *id != NONE);
    ids.map(read).collect()
}
