//! An input that no tape has, told in a block that a person can read.

use crate::failure::Failure;
use ccd_protocol::{ErrorCode, ErrorObject};
use serde_json::{Map, Value};
use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

/// Columns of a field's name.
const NAME_WIDTH: usize = 10;

/// Lines of one field; a difference may be long.
const MAX_FIELD_LINES: usize = 40;

/// Keys of the data that are for programs, or stand in the last line.
const NOT_SHOWN: [&str; 3] = ["kind", "hint", "session"];

/// Returns the daemon's error, if it is that no tape has an answer.
pub(crate) fn miss_of(failure: &Failure) -> Option<&ErrorObject> {
    failure
        .refusal()
        .filter(|error| error.known() == Some(ErrorCode::TapeMiss))
}

/// Returns what was missed, one line each: what happened, what is known of it, what to do.
pub(crate) fn block(error: &ErrorObject) -> Vec<String> {
    let mut lines = vec![format!("ccctl: {}", error.message.trim_end())];
    if let Some(data) = &error.data {
        fields("", data, &mut lines);
    }
    if let Some(hint) = error.hint().filter(|hint| !error.message.contains(hint)) {
        lines.push(field("try", hint));
    }
    lines
}

/// Prints a block for each; who has closed standard error does not want to know.
pub(crate) fn print_blocks<'a>(errors: impl IntoIterator<Item = &'a ErrorObject>) {
    let mut out = io::stderr().lock();
    for line in errors.into_iter().flat_map(block) {
        let _ = writeln!(out, "{line}");
    }
}

/// One line a field; those of a field that has fields carry its name in front.
fn fields(before: &str, data: &Map<String, Value>, lines: &mut Vec<String>) {
    for (key, value) in data.iter().filter(|(key, _)| !NOT_SHOWN.contains(&&***key)) {
        let name = match before {
            "" => key.replace('_', " "),
            before => format!("{before} {}", key.replace('_', " ")),
        };
        match value {
            Value::Null => {}
            Value::Object(inner) => fields(&name, inner, lines),
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(plain).collect();
                lines.push(field(&name, &items.join(", ")));
            }
            value => {
                let text = plain(value);
                if text.trim_end().contains('\n') {
                    lines.push(format!("  {name}:"));
                    let shown = text.lines().take(MAX_FIELD_LINES);
                    lines.extend(shown.map(|line| format!("    {}", visible(line))));
                } else {
                    lines.push(field(&name, &text));
                }
            }
        }
    }
}

fn field(name: &str, value: &str) -> String {
    format!(
        "  {name:<NAME_WIDTH$} {}",
        visible(value.trim_end_matches('\n'))
    )
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// What a program printed must not act on the terminal.
fn visible(text: &str) -> String {
    crate::render::printable(text)
}

/// What was missed in another thread, which nobody was told of yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct Misses(Arc<Mutex<Vec<ErrorObject>>>);

impl Misses {
    /// Keeps a miss.
    pub(crate) fn add(&self, error: &ErrorObject) {
        self.lock().push(error.clone());
    }

    /// What there was so far.
    pub(crate) fn take(&self) -> Vec<ErrorObject> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<ErrorObject>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn error(data: &Value) -> ErrorObject {
        let error = json!({"code": 3001, "message": "no tape has this input here", "data": data});
        serde_json::from_value(error).unwrap()
    }

    #[test]
    fn a_miss_names_what_is_near_and_what_to_do() {
        let error = error(&json!({
            "kind": "tape_miss", "program": "sqlite3", "prompt": "sqlite> ", "input": "select 2;\n",
            "nearest": {"tape": "sqlite3/a", "exchange": 3, "line": 40}, "differs": ["input"],
            "diff": "-select 1;\n+select 2;\n", "expected": null,
            "hint": "record it: ccctl rec sqlite3",
        }));
        let expected = "ccctl: no tape has this input here
  program    sqlite3
  prompt     sqlite> 
  input      select 2;
  nearest tape sqlite3/a
  nearest exchange 3
  nearest line 40
  differs    input
  diff:
    -select 1;
    +select 2;
  try        record it: ccctl rec sqlite3";
        let mut lines = block(&error);
        let mut expected: Vec<String> = expected.lines().map(str::to_owned).collect();
        // The order of the fields is that of the JSON, which may be sorted.
        lines.sort();
        expected.sort();
        assert_eq!(lines, expected);
    }

    #[test]
    fn what_was_typed_cannot_act_on_the_terminal() {
        let lines = block(&error(&json!({"kind": "tape_miss", "input": "\u{1b}[2J"})));
        assert_eq!(lines[1], "  input      \\u{1b}[2J");
    }
}
