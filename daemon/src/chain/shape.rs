//! Unknown fields of a chain.

use super::error::ChainError;
use ccd_base::nearest::nearest;
use serde_json::Value;

const CHAIN: [&str; 7] = [
    "id", "name", "commands", "cwd", "timeout", "shared", "shell",
];
const COMMAND: [&str; 8] = [
    "chain_id",
    "sequence_order",
    "command",
    "expect_pattern",
    "send_text",
    "condition",
    "on_success",
    "on_failure",
];
const CONDITION: [&str; 7] = [
    "step",
    "success",
    "output_matches",
    "exit_code",
    "any",
    "all",
    "not",
];

pub(super) const MAX_DEPTH: usize = 16;

/// Returns warnings about unknown fields, which are ignored.
/// An unknown field is an error: if it were ignored, the condition could hold when it should not.
pub(crate) fn unknown_fields(chain: &Value) -> Result<Vec<String>, ChainError> {
    let mut warnings = unknown(chain, "", &CHAIN);
    let commands = chain.get("commands").and_then(Value::as_array);
    for (index, command) in commands.into_iter().flatten().enumerate() {
        let place = format!("commands[{index}].");
        warnings.extend(unknown(command, &place, &COMMAND));
        if let Some(condition) = command.get("condition") {
            check_condition(condition, &format!("{place}condition."), MAX_DEPTH)?;
        }
    }
    Ok(warnings)
}

fn check_condition(condition: &Value, place: &str, depth: usize) -> Result<(), ChainError> {
    if depth == 0 {
        return Err(ChainError::Wrong(format!(
            "{place} conditions can be nested at most {MAX_DEPTH} deep"
        )));
    }
    if let Some(wrong) = unknown(condition, place, &CONDITION).into_iter().next() {
        return Err(ChainError::Wrong(wrong));
    }
    for key in ["any", "all"] {
        let parts = condition.get(key).and_then(Value::as_array);
        for (index, part) in parts.into_iter().flatten().enumerate() {
            check_condition(part, &format!("{place}{key}[{index}]."), depth - 1)?;
        }
    }
    match condition.get("not") {
        Some(part) => check_condition(part, &format!("{place}not."), depth - 1),
        None => Ok(()),
    }
}

fn unknown(object: &Value, place: &str, known: &[&'static str]) -> Vec<String> {
    let object = object.as_object().into_iter();
    let keys = object.flat_map(|object| object.keys());
    keys.filter(|key| !known.contains(&key.as_str()))
        .map(|key| match nearest(key, known.iter().copied()) {
            Some(name) => format!("{place}{key} is not a known field: did you mean {name}?"),
            None => format!("{place}{key} is not a known field"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccd_protocol::chain::{Chain, ChainCommand, Condition};
    use serde_json::json;

    /// Sorted, because the order of JSON keys depends on the build's features.
    fn keys(value: &impl serde::Serialize) -> Vec<String> {
        let value = serde_json::to_value(value).unwrap();
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort_unstable();
        keys
    }

    #[test]
    fn the_known_fields_are_those_of_the_types() {
        let condition = Condition {
            step: Some(1),
            success: Some(true),
            output_matches: Some(String::new()),
            exit_code: Some(0),
            any: Some(Vec::new()),
            all: Some(Vec::new()),
            not: Some(Box::default()),
        };
        assert_eq!(keys(&condition), sorted(&CONDITION));
        let command = ChainCommand {
            chain_id: Some(String::new()),
            sequence_order: Some(1),
            command: String::new(),
            expect_pattern: Some(String::new()),
            send_text: Some(String::new()),
            condition: Some(condition),
            on_success: true,
            on_failure: true,
        };
        assert_eq!(keys(&command), sorted(&COMMAND));
        let chain = Chain {
            id: Some(String::new()),
            name: Some(String::new()),
            commands: Vec::new(),
            cwd: Some(String::new()),
            timeout: Some(1.0),
            shared: true,
            shell: true,
        };
        assert_eq!(keys(&chain), sorted(&CHAIN));
    }

    fn sorted(names: &[&str]) -> Vec<String> {
        let mut names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_slip_of_the_finger_names_what_was_meant() {
        let chain =
            json!({"comands": [], "commands": [{"command": "a", "on_sucess": true, "xyz": 1}]});
        let warnings = unknown_fields(&chain).unwrap();
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        assert!(
            warnings[0].ends_with("did you mean commands?"),
            "{warnings:?}"
        );
        assert!(
            warnings[1].starts_with("commands[0].on_sucess"),
            "{warnings:?}"
        );
        assert_eq!(warnings[2], "commands[0].xyz is not a known field");
    }

    #[test]
    fn in_a_condition_it_is_an_error() {
        let chain =
            |condition: Value| json!({"commands": [{"command": "a", "condition": condition}]});
        let wrong = chain(json!({"any": [{"success": true}, {"not": {"sucess": true}}]}));
        let error = unknown_fields(&wrong).unwrap_err().to_string();
        assert!(
            error.starts_with("commands[0].condition.any[1].not.sucess"),
            "{error}"
        );
        let mut deep = json!({"success": true});
        for _ in 0..MAX_DEPTH {
            deep = json!({ "not": deep });
        }
        assert!(unknown_fields(&chain(deep)).is_err());
    }
}
