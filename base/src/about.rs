//! What a call of a tool is about, in a few words.

use serde_json::Value;

/// Members of a tool's input that say most about a call, the best first.
const TELLING: [&str; 15] = [
    "command",
    "file_path",
    "notebook_path",
    "pattern",
    "url",
    "query",
    "description",
    "skill",
    "subject",
    "prompt",
    "path",
    "message",
    "task_id",
    "name",
    "id",
];

/// The part of a tool's input that says what the call is about.
#[must_use]
pub fn about(input: &Value) -> String {
    let telling = TELLING
        .iter()
        .find_map(|key| input[*key].as_str().filter(|text| !text.is_empty()));
    match (telling, input) {
        (Some(text), _) => text.to_owned(),
        (None, Value::Object(fields)) if !fields.is_empty() => input.to_string(),
        _ => String::new(),
    }
}
