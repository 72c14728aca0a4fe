//! What an event says: texts of its context.

use crate::event::Event;
use serde_json::Value;

/// What findings read of an event's context. The rest of it is not even loaded.
pub(crate) const CONTEXT_KEYS: [&str; 11] = [
    "command",
    "content",
    "file",
    "file_path",
    "similar_count",
    "similar_messages",
    "skill_name",
    "stderr",
    "stderr_preview",
    "verified_action",
    "violations",
];

pub(super) fn value_of<'a>(event: &'a Event, key: &str) -> Option<&'a Value> {
    debug_assert!(CONTEXT_KEYS.contains(&key), "{key}");
    event.context.get(key)
}

/// Returns a text of an event's context, or an empty one.
pub(super) fn text_of<'a>(event: &'a Event, key: &str) -> &'a str {
    value_of(event, key)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

pub(super) fn content(event: &Event) -> &str {
    if event.content.trim().is_empty() {
        text_of(event, "content")
    } else {
        &event.content
    }
}

pub(super) fn stderr(event: &Event) -> &str {
    ["stderr", "stderr_preview"]
        .into_iter()
        .map(|key| text_of(event, key))
        .find(|text| !text.is_empty())
        .unwrap_or_else(|| content(event))
}

/// Returns the command that an event is about. Events of this program's own sessions have it, like those of hooks.
pub(super) fn command(event: &Event) -> &str {
    text_of(event, "command")
}
