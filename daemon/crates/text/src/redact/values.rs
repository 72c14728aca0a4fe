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
    match values {
        Values::Args { program, args } => {
            let clean = redact_args(program, args);
            let both = args.iter_mut().zip(clean).enumerate();
            both.filter_map(|(index, (arg, clean))| replace(arg, clean, || format!("[{index}]")))
                .collect()
        }
        Values::Env(variables) => variables
            .iter_mut()
            .filter_map(|(name, value)| {
                let clean = redact_variable(name, value);
                replace(value, clean, || name.clone())
            })
            .collect(),
        Values::Members(members) => from_root(in_members(members)),
        Values::Document(document) => from_root(in_document(document)),
    }
}

fn replace(
    value: &mut String,
    clean: String,
    place: impl FnOnce() -> String,
) -> Option<MaskedValue> {
    if *value == clean {
        return None;
    }
    let masked = MaskedValue {
        place: place(),
        count: 1,
        texts: masked_texts(value, &clean),
    };
    *value = clean;
    Some(masked)
}

fn from_root(mut masked: Vec<MaskedValue>) -> Vec<MaskedValue> {
    for value in &mut masked {
        value.place = value.place.trim_start_matches('.').to_owned();
    }
    masked
}

fn in_document(document: &mut Value) -> Vec<MaskedValue> {
    match document {
        Value::String(text) => in_text(text).into_iter().collect(),
        Value::Array(values) => {
            let each = values.iter_mut().enumerate();
            each.flat_map(|(index, value)| below(in_document(value), || format!("[{index}]")))
                .collect()
        }
        Value::Object(members) => in_members(members),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

fn in_members(members: &mut Map<String, Value>) -> Vec<MaskedValue> {
    let renamed = without_secret_names(members);
    let each = members.iter_mut().flat_map(|(name, value)| {
        let mut masked = in_document(value);
        if masked.is_empty() && is_named_secret(name, value) {
            masked.extend(mask_whole(value));
        }
        below(masked, || format!(".{name}"))
    });
    renamed.into_iter().chain(each).collect()
}

/// Renames the members whose name contains a secret, such as a token that is the key of a table.
fn without_secret_names(members: &mut Map<String, Value>) -> Vec<MaskedValue> {
    let is_secret = |name: &&String| redact(name).removed > 0;
    let names: Vec<String> = members.keys().filter(is_secret).cloned().collect();
    let rename = |name: String| {
        let value = members.remove(&name)?;
        let mut masked = None;
        let clean = redact(&name).text.into_owned();
        // Two names may become the same one.
        let new = (1..).map(|count| {
            if count == 1 {
                clean.clone()
            } else {
                format!("{clean}{count}")
            }
        });
        if let Some(new) = new.into_iter().find(|new| !members.contains_key(new)) {
            masked = Some(MaskedValue {
                place: format!(".{new}"),
                count: 1,
                texts: masked_texts(&name, &clean),
            });
            members.insert(new, value);
        }
        masked
    };
    names.into_iter().filter_map(rename).collect()
}

fn in_text(text: &mut String) -> Option<MaskedValue> {
    let redacted = redact(text);
    if redacted.removed == 0 {
        return None;
    }
    let masked = MaskedValue {
        place: String::new(),
        count: redacted.removed,
        texts: masked_texts(text, &redacted.text),
    };
    *text = redacted.text.into_owned();
    Some(masked)
}

/// Returns whether a text is a secret because of its name.
fn is_named_secret(name: &str, value: &Value) -> bool {
    let member = || Map::from_iter([(name.to_owned(), value.clone())]);
    value.is_string() && redact(&Value::Object(member()).to_string()).removed > 0
}

fn mask_whole(value: &mut Value) -> Option<MaskedValue> {
    match std::mem::replace(value, MASK.into()) {
        Value::String(text) => Some(MaskedValue {
            place: String::new(),
            count: 1,
            texts: vec![text],
        }),
        _ => None,
    }
}

/// Puts the place of their container before the places of `masked`.
fn below(mut masked: Vec<MaskedValue>, container: impl Fn() -> String) -> Vec<MaskedValue> {
    for value in &mut masked {
        value.place.insert_str(0, &container());
    }
    masked
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
        let place = |mut document: Value| redact_document(&mut document).1;
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
        assert_eq!(redact_document(&mut document).0, 2);
        assert_eq!(
            document,
            json!({"a": ["b", {"c": "password=*** x"}], "api_key": "***", "n": 1})
        );
        assert_eq!(redact_document(&mut document), (0, None));
    }

    #[test]
    fn a_secret_that_is_the_name_of_a_member_goes() {
        let token = format!("ghp_{}", "a1b2".repeat(9));
        let other = format!("hf_{}", "a1b2".repeat(9));
        let mut document = json!({"t": {token.clone(): 1, other: {"x": "y"}, "z": 2}});
        let (count, place) = redact_document(&mut document);
        assert_eq!((count, place.as_deref()), (2, Some("t.***")));
        assert_eq!(
            document,
            json!({"t": {"***": 1, "***2": {"x": "y"}, "z": 2}})
        );
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
