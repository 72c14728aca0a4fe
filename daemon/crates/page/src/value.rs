//! Values of any type, read leniently: a transcript is another program's file.

use serde_json::Value;

pub(crate) static NULL: Value = Value::Null;

/// Returns a field, null if there is none.
pub(crate) fn field<'a>(value: &'a Value, name: &str) -> &'a Value {
    value.get(name).unwrap_or(&NULL)
}

/// Returns the first of some fields that is not null.
pub(crate) fn first<'a>(value: &'a Value, names: &[&str]) -> &'a Value {
    let fields = names.iter().map(|name| field(value, name));
    fields
        .into_iter()
        .find(|value| !value.is_null())
        .unwrap_or(&NULL)
}

/// Returns a string, nothing as an empty one, anything else as JSON.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => {
            serde_json::to_string_pretty(value).unwrap_or_default()
        }
        other => other.to_string(),
    }
}

pub(crate) fn text_of(value: &Value, name: &str) -> String {
    text(field(value, name))
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn is(value: &Value, name: &str) -> bool {
    field(value, name) == &Value::Bool(true)
}

/// Numbers up to this one have room to be added to.
const MAX_NUMBER: f64 = 9e15;

/// Returns a number from 0 on; `None` for anything else.
pub(crate) fn number(value: &Value, name: &str) -> Option<f64> {
    let number = field(value, name).as_f64();
    number.filter(|number| (0.0..=MAX_NUMBER).contains(number))
}
