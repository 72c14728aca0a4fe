//! Secrets in values that have a name: arguments, environment variables and members of documents.

use super::argument::{redact_args, redact_variable};
use super::engine::MASK;
use super::text::redact;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

pub enum Values<'a> {
    /// The arguments of a program.
    Args {
        /// The name of the program, which says what its options mean.
        program: &'a str,
        args: &'a mut [String],
    },
    Env(&'a mut BTreeMap<String, String>),
    /// The members of an object.
    Members(&'a mut Map<String, Value>),
    /// A whole document.
    Document(&'a mut Value),
}

/// A value that contained secrets.
#[derive(Debug, PartialEq, Eq)]
pub struct MaskedValue {
    /// `[1]` of arguments, `NAME` of variables, `steps[2].text` of documents.
    pub place: String,
    /// How many secrets were replaced. An argument or a variable counts as one.
    pub count: usize,
    /// The text that was replaced by each mask.
    pub texts: Vec<String>,
}

/// Replaces the secrets of all texts in `values`, including those that only their name or the option before them gives
/// away: `--password VALUE`, `{"password": "…"}`. Returns the values that contained some, in order.
pub fn redact_values(values: Values<'_>) -> Vec<MaskedValue> {
    let mut masked = Vec::new();
    match values {
        Values::Args { program, args } => {
            let clean = redact_args(program, args);
            for (index, (arg, clean)) in args.iter_mut().zip(clean).enumerate() {
                masked.extend(replace(arg, clean, 1, || format!("[{index}]")));
            }
        }
        Values::Env(variables) => {
            for (name, value) in variables {
                let clean = redact_variable(name, value);
                masked.extend(replace(value, clean, 1, || name.clone()));
            }
        }
        Values::Members(members) => redact_members(members, "", &mut masked),
        Values::Document(document) => redact_document(document, "", &mut masked),
    }
    masked
}

fn replace(
    value: &mut String,
    clean: String,
    count: usize,
    place: impl FnOnce() -> String,
) -> Option<MaskedValue> {
    if *value == clean {
        return None;
    }
    let masked = MaskedValue {
        place: place(),
        count,
        texts: masked_texts(value, &clean),
    };
    *value = clean;
    Some(masked)
}

fn redact_document(document: &mut Value, place: &str, masked: &mut Vec<MaskedValue>) {
    match document {
        Value::String(text) => {
            let redacted = redact(text);
            let (count, clean) = (redacted.removed, redacted.text.into_owned());
            masked.extend(replace(text, clean, count, || place.to_owned()));
        }
        Value::Array(values) => {
            for (index, value) in values.iter_mut().enumerate() {
                redact_document(value, &format!("{place}[{index}]"), masked);
            }
        }
        Value::Object(members) => redact_members(members, place, masked),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn redact_members(members: &mut Map<String, Value>, place: &str, masked: &mut Vec<MaskedValue>) {
    rename_secret_names(members, place, masked);
    for (name, value) in members {
        let place = place_of(place, name);
        let before = masked.len();
        redact_document(value, &place, masked);
        if masked.len() == before && is_named_secret(name, value) {
            let Value::String(text) = std::mem::replace(value, MASK.into()) else {
                continue;
            };
            masked.push(MaskedValue {
                place,
                count: 1,
                texts: vec![text],
            });
        }
    }
}

/// Renames the members whose name contains a secret, such as a token that is the key of a table.
fn rename_secret_names(
    members: &mut Map<String, Value>,
    place: &str,
    masked: &mut Vec<MaskedValue>,
) {
    let is_secret = |name: &&String| redact(name).removed > 0;
    let names: Vec<String> = members.keys().filter(is_secret).cloned().collect();
    for name in names {
        let Some(value) = members.remove(&name) else {
            continue;
        };
        let clean = redact(&name).text;
        // Two names may become the same one.
        let mut new = clean.to_string();
        let mut count = 2;
        while members.contains_key(&new) {
            new = format!("{clean}{count}");
            count += 1;
        }
        masked.push(MaskedValue {
            place: place_of(place, &new),
            count: 1,
            texts: masked_texts(&name, &clean),
        });
        members.insert(new, value);
    }
}

fn place_of(container: &str, name: &str) -> String {
    match container {
        "" => name.to_owned(),
        _ => format!("{container}.{name}"),
    }
}

/// Returns whether a text is a secret because of its name.
fn is_named_secret(name: &str, value: &Value) -> bool {
    let member = || Map::from_iter([(name.to_owned(), value.clone())]);
    value.is_string() && redact(&Value::Object(member()).to_string()).removed > 0
}

fn masked_texts(before: &str, after: &str) -> Vec<String> {
    let mut kept: Vec<&str> = after.split(MASK).collect();
    let end = kept.pop().unwrap_or_default();
    let Some((start, between)) = kept.split_first() else {
        return Vec::new();
    };
    let rest = before.strip_prefix(start);
    let Some(mut rest) = rest.and_then(|rest| rest.strip_suffix(end)) else {
        return Vec::new();
    };
    let mut texts = Vec::new();
    for text in between {
        let Some((masked, after)) = rest.split_once(text).filter(|_| !text.is_empty()) else {
            break;
        };
        texts.push(masked.to_owned());
        rest = after;
    }
    texts.push(rest.to_owned());
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Redacts a document; returns the number of secrets and the first place.
    fn redact_document(document: &mut Value) -> (usize, Option<String>) {
        let masked = redact_values(Values::Document(document));
        let count = masked.iter().map(|value| value.count).sum();
        (count, masked.into_iter().map(|value| value.place).next())
    }

    #[test]
    fn the_place_of_a_secret_is_reported_at_any_depth() {
        #[rustfmt::skip]
        let rows = [
            (json!({"a": ["b", 1, null], "c": {"d": "e"}}), None),
            (json!({"a": ["b", {"c": "password=hunter2hunter2"}]}), Some("a[1].c")),
            (json!({"tape": {"api_key": "hunter2hunter2"}}), Some("tape.api_key")),
            (json!({"tape": {"api_key": "{key}"}}), None),
            (json!("token=hunter2hunter2"), Some("")),
        ];
        for (mut document, place) in rows {
            assert_eq!(redact_document(&mut document).1.as_deref(), place);
        }
    }

    #[test]
    fn a_document_without_its_secrets_has_none() {
        let mut document = json!({"a": ["b", {"c": "password=abc x"}], "api_key": "abc", "n": 1});
        assert_eq!(redact_document(&mut document).0, 2);
        let clean = json!({"a": ["b", {"c": "password=*** x"}], "api_key": "***", "n": 1});
        assert_eq!(document, clean);
        assert_eq!(redact_document(&mut document), (0, None));
    }

    #[test]
    fn a_secret_that_is_the_name_of_a_member_goes() {
        let token = format!("ghp_{}", "a1b2".repeat(9));
        let other = format!("hf_{}", "a1b2".repeat(9));
        let mut document = json!({"t": {token.clone(): 1, other: {"x": "y"}, "z": 2}});
        let (count, place) = redact_document(&mut document);
        assert_eq!((count, place.as_deref()), (2, Some("t.***")));
        let clean = json!({"t": {"***": 1, "***2": {"x": "y"}, "z": 2}});
        assert_eq!(document, clean);
        assert_eq!(redact_document(&mut document), (0, None));
    }

    #[test]
    fn masked_texts_are_recovered_from_what_is_left() {
        assert_eq!(masked_texts("a=1 b=2 c", "a=*** b=*** c"), ["1", "2"]);
        assert_eq!(masked_texts("https://u:p@h@h", "https://u:***@h"), ["p@h"]);
        assert_eq!(masked_texts("abc", "***"), ["abc"]);
        assert_eq!(masked_texts("abc", "abc"), [""; 0]);
        assert_eq!(masked_texts("abc", "x***"), [""; 0]);
    }

    #[test]
    fn arguments_and_variables_are_masked_in_place() {
        let mut args = ["--password".to_owned(), "a b".to_owned()];
        let masked = redact_values(Values::Args {
            program: "x",
            args: &mut args,
        });
        assert_eq!((masked[0].place.as_str(), args[1].as_str()), ("[1]", MASK));
        assert_eq!(masked[0].texts, ["a b"]);
        let mut env = BTreeMap::from([("API_TOKEN".to_owned(), "1 2".to_owned())]);
        let masked = redact_values(Values::Env(&mut env));
        assert_eq!((masked.len(), masked[0].place.as_str()), (1, "API_TOKEN"));
        assert_eq!(env["API_TOKEN"], MASK);
    }
}
