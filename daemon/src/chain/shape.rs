//! Unknown fields of a chain.

use crate::failure::{CallError, invalid};
use ccd_base::nearest::nearest;
use serde_json::Value;

const CHAIN: &str = "id name commands cwd timeout shared shell";
const COMMAND: &str =
    "chain_id sequence_order command expect_pattern send_text condition on_success on_failure";
const CONDITION: &str = "step success output_matches exit_code any all not";

/// Returns warnings about unknown fields, which are ignored.
/// In a condition, it is an error: if it were ignored, the condition could hold when it should not.
pub(crate) fn unknown_fields(chain: &Value) -> Result<Vec<String>, CallError> {
    let mut warnings = unknown(chain, "", CHAIN);
    for (index, command) in items(&chain["commands"]) {
        let place = format!("commands[{index}].");
        warnings.extend(unknown(command, &place, COMMAND));
        check_condition(&command["condition"], &format!("{place}condition."))?;
    }
    Ok(warnings)
}

fn check_condition(condition: &Value, place: &str) -> Result<(), CallError> {
    if let Some(wrong) = unknown(condition, place, CONDITION).into_iter().next() {
        return Err(invalid(wrong));
    }
    for key in ["any", "all"] {
        for (index, part) in items(&condition[key]) {
            check_condition(part, &format!("{place}{key}[{index}]."))?;
        }
    }
    match condition.get("not") {
        Some(part) => check_condition(part, &format!("{place}not.")),
        None => Ok(()),
    }
}

fn items(list: &Value) -> impl Iterator<Item = (usize, &Value)> {
    list.as_array().into_iter().flatten().enumerate()
}

fn unknown(object: &Value, place: &str, known: &'static str) -> Vec<String> {
    let keys = object.as_object().into_iter().flatten().map(|(key, _)| key);
    keys.filter(|key| !known.split(' ').any(|name| name == *key))
        .map(|key| match nearest(key, known.split(' ')) {
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
        assert_eq!(keys(&condition), sorted(CONDITION));
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
        assert_eq!(keys(&command), sorted(COMMAND));
        let chain = Chain {
            id: Some(String::new()),
            name: Some(String::new()),
            commands: Vec::new(),
            cwd: Some(String::new()),
            timeout: Some(1.0),
            shared: true,
            shell: true,
        };
        assert_eq!(keys(&chain), sorted(CHAIN));
    }

    fn sorted(names: &str) -> Vec<String> {
        let mut names: Vec<String> = names.split(' ').map(str::to_owned).collect();
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
    }
}
