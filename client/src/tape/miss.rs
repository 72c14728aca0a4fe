//! Reports an input that is on no tape, in a block for people.

use super::options::is_ci;
use crate::Failure;
use crate::context::say;
use crate::fields::Fields as _;
use crate::render::{filled_whole, printable};
use ccd_protocol::{ErrorCode, ErrorObject};
use parking_lot::Mutex;
use serde_json::Value;
use std::sync::Arc;

const NAME_WIDTH: usize = 10;

/// What is said of a difference, by names and templates of lines: the first that fit.
const DIFFERENCES: [&[(&str, &str)]; 4] = [
    &[("differs", "{part=state}other inputs came before it")],
    &[(
        "differs",
        "{part=unfinished}the recording ended in the middle of this input",
    )],
    &[(
        "differs",
        "{part=terminal}it was recorded {recorded}, but now runs {asked}",
    )],
    &[
        ("recorded", "{part} [{recorded:quoted}|none]"),
        ("now", "{part} [{asked:quoted}|none]"),
    ],
];

/// Returns the daemon's error if it is a miss.
pub(crate) fn miss_of(failure: &Failure) -> Option<&ErrorObject> {
    failure
        .refusal()
        .filter(|error| error.known() == Some(ErrorCode::TapeMiss))
}

/// True if a program on tapes takes no more input: the error is not a miss, not its end, and not temporary.
pub(crate) fn is_final(error: &ErrorObject) -> bool {
    !matches!(
        error.known(),
        Some(
            ErrorCode::TapeMiss
                | ErrorCode::Busy
                | ErrorCode::ShuttingDown
                | ErrorCode::InputFull
                | ErrorCode::HandedOver
                | ErrorCode::SessionNotAlive
                | ErrorCode::SessionNotFound
                | ErrorCode::InjectedError
        )
    )
}

/// True if a conversation at a terminal ends with this error: nothing else can be typed, or in a build nobody would.
pub(crate) fn ends_conversation(error: &ErrorObject) -> bool {
    is_final(error) || is_ci() && error.known() == Some(ErrorCode::TapeMiss)
}

/// Describes a miss in lines: what happened, the closest recorded exchange and its differences, and what to do, the most
/// likely advice first. The message also has all of it.
pub(crate) fn block(error: &ErrorObject) -> Vec<String> {
    let miss = error.data.clone().map(Value::Object).unwrap_or_default();
    let message = miss["summary"].as_str().unwrap_or(&error.message);
    let mut lines = vec![format!("ccctl: {}", printable(message))];
    let mut add = |name: &str, template: &str, record: &Value| {
        lines.extend(filled_whole(template, record).map(|text| line(name, &text)));
    };
    let nearest = &miss["nearest"];
    let place = "exchange {exchange} of {tape_id}, line {line}";
    add("closest", place, nearest);
    add(
        "differs",
        "{was_played?}it has already been played",
        nearest,
    );
    for differs in nearest.list("differs") {
        let mut known = DIFFERENCES.into_iter();
        let lines = known.find(|lines| filled_whole(lines[0].1, differs).is_some());
        for (name, template) in lines.unwrap_or_default() {
            add(name, template, differs);
        }
    }
    let hint = error.hint().map(Value::from);
    for (at, hint) in miss.list("hints").iter().chain(&hint).enumerate() {
        add(if at == 0 { "try" } else { "or" }, "{.}", hint);
    }
    lines
}

pub(crate) fn line(name: &str, value: &str) -> String {
    format!("  {name:<NAME_WIDTH$} {}", printable(value))
}

/// Prints a block for each error. Does nothing if standard error is closed.
pub(crate) fn print_blocks<'a>(errors: impl IntoIterator<Item = &'a ErrorObject>) {
    for error in errors {
        say(&block(error).join("\n"));
    }
}

/// Misses and refusals of another thread that are not reported yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct Misses(Arc<Mutex<Vec<ErrorObject>>>);

impl Misses {
    pub(crate) fn add(&self, error: &ErrorObject) {
        self.0.lock().push(error.clone());
    }

    pub(crate) fn take(&self) -> Vec<ErrorObject> {
        std::mem::take(&mut *self.0.lock())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn error(data: &Value) -> ErrorObject {
        let error =
            json!({"code": 3001, "message": "no tape has this input here; too bad", "data": data});
        serde_json::from_value(error).unwrap()
    }

    #[test]
    fn a_miss_names_the_closest_exchange_and_what_to_do() {
        let error = error(&json!({
            "kind": "tape_miss", "summary": "no tape of bc answers \"2; 2\"",
            "nearest": {"tape_id": "bc/a", "exchange": 3, "line": 40, "differs": [
                {"part": "input", "recorded": "1+1", "asked": "2+2"},
                {"part": "terminal", "recorded": "in a terminal", "asked": "with pipes"},
                {"part": "env LANG", "recorded": "C", "asked": null},
                {"part": "state", "recorded": "1", "asked": "2"},
            ]},
            "hints": ["record it with `ccctl rec bc`", "use `--fallback proxy` to let the real program answer"],
        }));
        let expected = "ccctl: no tape of bc answers \"2; 2\"
  closest    exchange 3 of bc/a, line 40
  recorded   input \"1+1\"
  now        input \"2+2\"
  differs    it was recorded in a terminal, but now runs with pipes
  recorded   env LANG \"C\"
  now        env LANG none
  differs    other inputs came before it
  try        record it with `ccctl rec bc`
  or         use `--fallback proxy` to let the real program answer";
        assert_eq!(block(&error).join("\n"), expected);
    }

    #[test]
    fn a_miss_says_that_the_closest_exchange_was_replayed_and_any_other_shape_is_unchanged() {
        let played = error(&json!({
            "summary": "no tape",
            "nearest": {"tape_id": "bc/a", "exchange": 3, "line": 40, "was_played": true, "differs": []},
            "hints": ["record more"],
        }));
        let expected = "ccctl: no tape
  closest    exchange 3 of bc/a, line 40
  differs    it has already been played
  try        record more";
        assert_eq!(block(&played).join("\n"), expected);
        let other = error(&json!({"kind": "tape_miss", "nearest": 5, "hint": "do \u{1b}"}));
        let expected = [
            "ccctl: no tape has this input here; too bad",
            "  try        do \\u{1b}",
        ];
        assert_eq!(block(&other), expected);
    }

    #[test]
    fn a_program_that_cannot_go_on_is_final_and_a_miss_is_not() {
        let is_final = |code: ErrorCode| {
            let error = json!({"code": code as i32, "message": "m"});
            is_final(&serde_json::from_value(error).unwrap())
        };
        assert!(is_final(ErrorCode::Unavailable) && is_final(ErrorCode::Storage));
        for passes in [
            ErrorCode::TapeMiss,
            ErrorCode::Busy,
            ErrorCode::SessionNotAlive,
        ] {
            assert!(!is_final(passes), "{passes:?}");
        }
    }
}
