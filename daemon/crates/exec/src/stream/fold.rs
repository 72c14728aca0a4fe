//! One record after the other into the facts.
//! Records and members that are not known are skipped: each release of the CLI brings new ones.

use super::calls::Denial;
use super::facts::{StreamFacts, Tokens};
use super::outcome::TurnOutcome;
use ccd_policy::DENIAL;
use serde_json::Value;

/// Maximum length of what the model has said.
const MAX_SAID_BYTES: usize = 4 * 1024 * 1024;

/// The model of messages that the CLI itself writes.
const OWN_MODEL: &str = "<synthetic>";

/// Maximum number of answers, of errors and of tools that are kept.
const MAX_KEPT: usize = 1000;

/// Maximum length of ids and of the names of tools and errors; records with longer ones are damaged.
const MAX_NAME_BYTES: usize = 512;

/// Texts that the results of denied calls start with, in versions that do not mark them.
const DENIED: &[&str] = &[
    "Permission to use ",
    "Claude requested permissions to ",
    "This command requires approval",
];

pub(super) fn fold(facts: &mut StreamFacts, record: &Value, line: &[u8]) {
    match text(record, "type") {
        Some("system") => system(facts, record),
        Some("assistant") => assistant(facts, record),
        Some("user") => user(facts, record),
        Some("result") => result(facts, record, line),
        _ => {}
    }
}

fn text<'a>(record: &'a Value, member: &str) -> Option<&'a str> {
    record.get(member)?.as_str()
}

/// Returns a text that is kept many times, so that its length is limited.
fn name<'a>(record: &'a Value, member: &str) -> Option<&'a str> {
    text(record, member).filter(|text| text.len() <= MAX_NAME_BYTES)
}

fn list<'a>(record: &'a Value, member: &str) -> &'a [Value] {
    record
        .get(member)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

fn system(facts: &mut StreamFacts, record: &Value) {
    match text(record, "subtype") {
        Some("init") => {
            facts.is_answered = false;
            let tools = list(record, "tools").iter().filter_map(Value::as_str);
            let tools = tools.filter(|tool| tool.len() <= MAX_NAME_BYTES);
            facts.tools = tools.take(MAX_KEPT).map(str::to_owned).collect();
            facts.version = name(record, "claude_code_version")
                .map(str::to_owned)
                .or(facts.version.take());
            facts.model = name(record, "model")
                .map(str::to_owned)
                .or(facts.model.take());
        }
        Some("permission_denied") => {
            if let Some(id) = name(record, "tool_use_id") {
                facts.calls.deny(
                    id,
                    name(record, "tool_name"),
                    record.get("tool_input"),
                    Denial::Permission,
                );
            }
        }
        _ => {}
    }
}

fn assistant(facts: &mut StreamFacts, record: &Value) {
    let message = &record["message"];
    let parent = name(record, "parent_tool_use_id");
    let id = name(message, "id").unwrap_or_default();
    let is_new = id != facts.last_message;
    if parent.is_none() {
        facts.is_own_words = text(message, "model") == Some(OWN_MODEL);
    }
    if parent.is_none() && is_new {
        facts.turns += 1;
        facts.is_answered = false;
        facts.last_message = id.to_owned();
    }
    if let Some(error) = name(record, "error").filter(|_| facts.errors.len() < MAX_KEPT) {
        facts.errors.push(error.to_owned());
    }
    for block in list(message, "content") {
        match text(block, "type") {
            Some("tool_use") => {
                if let (Some(id), Some(name)) = (name(block, "id"), name(block, "name")) {
                    facts.calls.add(id, name, &block["input"], parent);
                }
            }
            Some("text") if parent.is_none() => say(facts, text(block, "text").unwrap_or_default()),
            _ => {}
        }
    }
}

fn say(facts: &mut StreamFacts, text: &str) {
    if text.is_empty() || facts.said.len() + text.len() + 2 > MAX_SAID_BYTES {
        return;
    }
    if !facts.said.is_empty() {
        facts.said.push_str("\n\n");
    }
    facts.said.push_str(text);
}

/// Reads the results of tools: those of denied calls say so.
fn user(facts: &mut StreamFacts, record: &Value) {
    for meta in list(record, "tool_result_meta") {
        let is_rejected = meta["permission_decision"]["decision"] == "reject";
        if let Some(id) = name(meta, "id").filter(|_| is_rejected) {
            facts.calls.deny(id, None, None, Denial::Permission);
        }
    }
    for block in list(&record["message"], "content") {
        let (Some("tool_result"), Some(id)) = (text(block, "type"), name(block, "tool_use_id"))
        else {
            continue;
        };
        if block["is_error"] != true {
            facts.calls.succeed(id);
            continue;
        }
        let parts = list(block, "content")
            .iter()
            .filter_map(|part| text(part, "text"));
        let content = text(block, "content")
            .or(parts.take(1).next())
            .unwrap_or_default();
        if let Some(denial) = denial(content) {
            facts.calls.deny(id, None, None, denial);
        }
    }
}

/// Returns why a call was denied, from the text of its result.
fn denial(content: &str) -> Option<Denial> {
    let content = content
        .trim_start_matches("<tool_use_error>")
        .trim_start_matches("Error: ");
    let of_hook = content
        .strip_prefix("PreToolUse:")
        .is_some_and(|rest| rest.contains(" hook error: "));
    if content.starts_with("No such tool available") {
        Some(Denial::Unavailable)
    } else if of_hook
        || content.starts_with(DENIAL)
        || DENIED.iter().any(|start| content.starts_with(start))
    {
        Some(Denial::Permission)
    } else {
        None
    }
}

fn result(facts: &mut StreamFacts, record: &Value, line: &[u8]) {
    let outcome = TurnOutcome::from_record(record, line);
    facts.is_answered = true;
    for denied in list(record, "permission_denials") {
        if let Some(id) = name(denied, "tool_use_id") {
            facts.calls.deny(
                id,
                name(denied, "tool_name"),
                denied.get("tool_input"),
                Denial::Permission,
            );
        }
    }
    facts.tokens = tokens(record).unwrap_or(facts.tokens);
    let answered: usize = facts.answers.iter().map(String::len).sum();
    let is_small =
        |text: &String| facts.answers.is_empty() || answered + text.len() <= MAX_SAID_BYTES;
    if let Some(answer) = outcome
        .text
        .clone()
        .filter(is_small)
        .filter(|_| facts.answers.len() < MAX_KEPT)
    {
        facts.answers.push(answer);
    }
    if !outcome.is_aborted() {
        facts.finished = Some(outcome.clone());
    }
    facts.outcome = Some(outcome);
}

/// Adds up the tokens of all models. The member `usage`, which lacks those of sub-agents, counts if no model is named, as in
/// older versions.
fn tokens(record: &Value) -> Option<Tokens> {
    let models = record.get("modelUsage").and_then(Value::as_object);
    let Some(models) = models.filter(|models| !models.is_empty()) else {
        let usage = record.get("usage")?;
        let count = |member: &str| usage[member].as_u64().unwrap_or(0);
        return Some(Tokens {
            input: count("input_tokens"),
            output: count("output_tokens"),
            cache_read: count("cache_read_input_tokens"),
            cache_creation: count("cache_creation_input_tokens"),
        });
    };
    let sum = |member: &str| -> u64 {
        models
            .values()
            .filter_map(|model| model[member].as_u64())
            .fold(0, u64::saturating_add)
    };
    Some(Tokens {
        input: sum("inputTokens"),
        output: sum("outputTokens"),
        cache_read: sum("cacheReadInputTokens"),
        cache_creation: sum("cacheCreationInputTokens"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_tokens_of_a_result_are_found_in_any_version() {
        let usage = json!({"input_tokens": 5, "output_tokens": 6, "cache_read_input_tokens": 7});
        let models = json!({"m": {"inputTokens": 1, "outputTokens": 2}, "n": {"inputTokens": 3}});
        for (record, expected) in [
            (
                json!({"usage": usage, "modelUsage": models}),
                Some((4, 2, 0)),
            ),
            (json!({"usage": usage, "modelUsage": {}}), Some((5, 6, 7))),
            (json!({"usage": usage}), Some((5, 6, 7))),
            (json!({}), None),
        ] {
            let found = tokens(&record).map(|found| (found.input, found.output, found.cache_read));
            assert_eq!(found, expected, "{record}");
        }
    }
}
