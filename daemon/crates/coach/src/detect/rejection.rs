//! USER_CORRECTION of a tool call: the user, or who decides for the user, rejected it.

use super::failure::add_action;
use super::found::signal;
use super::history::History;
use crate::payload::{HookEvent, Payload};
use crate::signal::{EventType, Signal, SignalType};
use crate::table::Patterns;
use serde_json::Value;
use std::sync::LazyLock;

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::of(include_str!("rejection.txt")));

/// A rejected call is the clearest correction there is.
const REJECTED: f64 = 0.9;

/// A classifier may have denied it in the user's name.
const DENIED: f64 = 0.8;

/// Nobody was there to approve it, as in `claude -p`: the user has only not allowed it.
const NOT_GRANTED: f64 = 0.5;

/// Returns the signal of a call that was rejected. The failure and the batch of one call give one signal together.
pub(super) fn detect(payload: &Payload, history: &mut History) -> Option<Signal> {
    match payload.event {
        HookEvent::PermissionDenied => {
            let said = payload.reason.as_deref().or(payload.error.as_deref());
            let said = said.unwrap_or_default();
            let is_new = history.add_rejected(payload.tool_use_id.as_deref());
            is_new.then(|| rejected(payload, "permission denied", DENIED, said))
        }
        HookEvent::PostToolUseFailure => {
            let error = payload.error.as_deref()?;
            if !PATTERNS.is_match("by user", error) {
                return None;
            }
            let is_new = history.add_rejected(payload.tool_use_id.as_deref());
            is_new.then(|| rejected(payload, "tool use rejected", REJECTED, what_was_said(error)))
        }
        HookEvent::PostToolBatch => {
            for call in &payload.batch {
                let answer = call.tool_response.text.as_deref().unwrap_or_default();
                let Some((name, confidence)) = refusal(answer) else {
                    continue;
                };
                if !history.add_rejected(call.tool_use_id.as_deref()) {
                    continue;
                }
                // The batch names the call within itself, and not at its top.
                let mut of_call = payload.clone();
                of_call.tool_name.clone_from(&call.tool_name);
                of_call.tool_input = call.tool_input.clone();
                return Some(rejected(&of_call, name, confidence, what_was_said(answer)));
            }
            None
        }
        _ => None,
    }
}

/// Returns what kind of refusal the answer is, and its confidence. A tool may print the words as data, but a refusal
/// starts with them.
fn refusal(answer: &str) -> Option<(&'static str, f64)> {
    if PATTERNS
        .get("by user")
        .find(answer)
        .is_some_and(|found| found.start() < 40)
    {
        return Some(("tool use rejected", REJECTED));
    }
    if PATTERNS.is_match("by rule", answer) {
        return Some(("permission denied", DENIED));
    }
    PATTERNS
        .is_match("by nobody", answer)
        .then_some(("permission not granted", NOT_GRANTED))
}

fn rejected(payload: &Payload, name: &str, confidence: f64, said: &str) -> Signal {
    let line = payload.tool_input.command.as_deref();
    let content = if said.trim().is_empty() {
        line.unwrap_or(name)
    } else {
        said
    };
    let matches = vec![Value::from(name)];
    let mut signal = signal(SignalType::UserCorrection, matches, confidence, content);
    signal.event_type = EventType::Tool;
    add_action(&mut signal, payload, line);
    signal
}

/// Returns what the user said to a rejection; the whole text when they said nothing.
fn what_was_said(text: &str) -> &str {
    let said = text
        .split_once("the user said:")
        .map(|(_, said)| said.trim());
    said.filter(|said| !said.is_empty()).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_claude_code_are_refusals_and_output_about_them_is_not() {
        for (answer, expected) in [
            (
                "The user doesn't want to proceed with this tool use.",
                Some(REJECTED),
            ),
            (
                "Permission to use Bash with command rm -f README.md has been denied.",
                Some(DENIED),
            ),
            (
                "Claude requested permissions to write to /etc/y.txt, but you haven't granted it yet.",
                Some(NOT_GRANTED),
            ),
            ("This command requires approval", Some(NOT_GRANTED)),
            (
                "touch in '/p/x.txt' needs approval. The path is inside the working directories",
                Some(NOT_GRANTED),
            ),
            ("docs/a.md:4: This command requires approval", None),
            ("The change needs approval", None),
            ("", None),
        ] {
            assert_eq!(refusal(answer).map(|found| found.1), expected, "{answer}");
        }
    }
}
