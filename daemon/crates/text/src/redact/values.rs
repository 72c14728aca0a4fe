//! Where in a document a secret stands.

use super::engine::{MASK, redact};
use serde_json::{Map, Value};

/// Returns the place of the first text in `document` that has a secret, as `steps[2].text`; `None` when none has.
///
/// What the members of an object are called counts: `{"password": "…"}` is found as well.
pub fn secret_place(document: &Value) -> Option<String> {
    place_in(document).map(|place| place.trim_start_matches('.').to_owned())
}

/// Takes the secrets out of all texts in `document`, by the same rules; returns how many there were.
fn redact_document(document: &mut Value) -> usize {
    match document {
        Value::String(text) => {
            let redacted = redact(text);
            let removed = redacted.removed;
            if removed > 0 {
                *text = redacted.text.into_owned();
            }
            removed
        }
        Value::Array(values) => values.iter_mut().map(redact_document).sum(),
        Value::Object(members) => redact_members(members),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// Likewise of the members of an object.
pub fn redact_members(members: &mut Map<String, Value>) -> usize {
    let each = members.iter_mut().map(|(name, value)| {
        let removed = redact_document(value);
        if removed == 0 && value.is_string() && place_in_member(name, value).is_some() {
            *value = MASK.into();
            return 1;
        }
        removed
    });
    each.sum()
}

fn place_in(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => (redact(text).removed > 0).then(String::new),
        Value::Array(values) => values
            .iter()
            .enumerate()
            .find_map(|(index, value)| Some(format!("[{index}]{}", place_in(value)?))),
        Value::Object(members) => members
            .iter()
            .find_map(|(name, value)| Some(format!(".{name}{}", place_in_member(name, value)?))),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn place_in_member(name: &str, value: &Value) -> Option<String> {
    place_in(value).or_else(|| {
        let member = Map::from_iter([(name.to_owned(), value.clone())]);
        let is_secret = value.is_string() && redact(&Value::Object(member).to_string()).removed > 0;
        is_secret.then(String::new)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_place_of_a_secret_is_told_at_any_depth() {
        let place = |document: Value| secret_place(&document);
        assert_eq!(place(json!({"a": ["b", 1, null], "c": {"d": "e"}})), None);
        assert_eq!(
            place(json!({"a": ["b", {"c": "password=hunter2hunter2"}]})).as_deref(),
            Some("a[1].c")
        );
        assert_eq!(
            place(json!({"tape": {"api_key": "hunter2hunter2"}})).as_deref(),
            Some("tape.api_key")
        );
        assert_eq!(place(json!({"tape": {"api_key": "{key}"}})), None);
        assert_eq!(place(json!("token=hunter2hunter2")).as_deref(), Some(""));
    }

    #[test]
    fn a_document_without_its_secrets_has_none() {
        let mut document = json!({"a": ["b", {"c": "password=abc x"}], "api_key": "abc", "n": 1});
        assert_eq!(redact_document(&mut document), 2);
        assert_eq!(
            document,
            json!({"a": ["b", {"c": "password=*** x"}], "api_key": "***", "n": 1})
        );
        assert_eq!(
            (redact_document(&mut document), secret_place(&document)),
            (0, None)
        );
    }
}
