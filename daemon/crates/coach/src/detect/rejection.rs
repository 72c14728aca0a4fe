//! USER_CORRECTION of a tool call: the user, or who decides for the user, rejected it.

use super::failure::add_action;
use super::found::signal;
use super::history::History;
use crate::payload::{HookEvent, Payload, ToolCall};
use crate::signal::{EventType, Signal, SignalType};
use crate::table::Patterns;
use serde_json::Value;
use std::sync::LazyLock;

static PATTERNS: LazyLock<Patterns> =
    LazyLock::new(|| Patterns::new(include_str!("rejection.txt")));

/// What kind of refusal it is, and its confidence.
type Refusal = (&'static str, f64);

/// A rejected call is the clearest correction there is.
const BY_USER: Refusal = ("tool use rejected", 0.9);

/// A classifier may have denied it in the user's name.
const BY_RULE: Refusal = ("permission denied", 0.8);

/// Nobody was there to approve it, as in `claude -p`: the user has only not allowed it.
const BY_NOBODY: Refusal = ("permission not granted", 0.5);

/// Returns the signal of a call that was rejected. The failure and the batch of one call give one signal together.
pub(super) fn detect(payload: &Payload, history: &mut History) -> Option<Signal> {
    let mut is_new = |call: &ToolCall| history.add_rejected(call.tool_use_id.as_deref());
    let call = &payload.call;
    match payload.event {
        HookEvent::PermissionDenied => {
            let said = payload.reason.as_deref().or(payload.error.as_deref());
            let said = said.unwrap_or_default();
            is_new(call).then(|| rejected(payload, call, BY_RULE, said))
        }
        HookEvent::PostToolUseFailure => {
            let error = payload.error.as_deref()?;
            let is_new = PATTERNS.is_match("by user", error) && is_new(call);
            is_new.then(|| rejected(payload, call, BY_USER, what_was_said(error)))
        }
        HookEvent::PostToolBatch => payload.batch.iter().find_map(|call| {
            let answer = call.answer.as_deref().unwrap_or_default();
            let refusal = refusal(answer)?;
            is_new(call).then(|| rejected(payload, call, refusal, what_was_said(answer)))
        }),
        _ => None,
    }
}

/// Returns what kind of refusal the answer is. A tool may print the words as data, but a refusal starts with them.
fn refusal(answer: &str) -> Option<Refusal> {
    let by_user = PATTERNS.get("by user").find(answer);
    if by_user.is_some_and(|found| found.start() < 40) {
        Some(BY_USER)
    } else if PATTERNS.is_match("by rule", answer) {
        Some(BY_RULE)
    } else {
        PATTERNS.is_match("by nobody", answer).then_some(BY_NOBODY)
    }
}

fn rejected(payload: &Payload, call: &ToolCall, refusal: Refusal, said: &str) -> Signal {
    let (name, confidence) = refusal;
    let content = if said.trim().is_empty() {
        call.command.as_deref().unwrap_or(name)
    } else {
        said
    };
    let matches = vec![Value::from(name)];
    let mut signal = signal(SignalType::UserCorrection, matches, confidence, content);
    signal.event_type = EventType::Tool;
    add_action(&mut signal, payload, call);
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
                Some(BY_USER),
            ),
            (
                "Permission to use Bash with command rm -f README.md has been denied.",
                Some(BY_RULE),
            ),
            (
                "Claude requested permissions to write to /etc/y.txt, but you haven't granted it yet.",
                Some(BY_NOBODY),
            ),
            ("This command requires approval", Some(BY_NOBODY)),
            (
                "touch in '/p/x.txt' needs approval. The path is inside the working directories",
                Some(BY_NOBODY),
            ),
            ("docs/a.md:4: This command requires approval", None),
            ("The change needs approval", None),
            ("", None),
        ] {
            assert_eq!(refusal(answer), expected, "{answer}");
        }
    }
}
