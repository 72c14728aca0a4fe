//! Values as JSON5 text.

use crate::visible::is_invisible;
use serde_json::Value;
use std::fmt::Write as _;

/// Maximum length of an object that is written on one line, in bytes.
const LINE_LEN: usize = 100;

/// Writes a text between quotation marks; invisible characters are escaped.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            char if is_invisible(char) => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    // Writing to a String cannot fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            char => out.push(char),
        }
    }
    out.push('"');
    out
}

/// Writes a key, without quotation marks if it needs none.
pub fn key(name: &str) -> String {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
    let is_plain = name.bytes().all(is_part)
        && name
            .bytes()
            .next()
            .is_some_and(|first| !first.is_ascii_digit());
    if is_plain {
        name.to_owned()
    } else {
        quoted(name)
    }
}

pub fn value(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => list(items.iter().map(self::value)),
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, member)| (name, self::value(member)));
            object(members)
        }
        plain => plain.to_string(),
    }
}

/// Writes an object, with one member per line if it is long; `indent` is the indentation of the line where it starts.
pub fn map(members: &serde_json::Map<String, Value>, indent: &str) -> String {
    let short = object(members.iter().map(|(name, member)| (name, value(member))));
    if short.len() <= LINE_LEN {
        return short;
    }
    let mut out = "{\n".to_owned();
    for (name, member) in members {
        let _ = writeln!(out, "{indent}  {}: {},", key(name), value(member));
    }
    out + indent + "}"
}

/// Writes an object of written values on one line.
pub fn object<'k>(members: impl Iterator<Item = (&'k String, String)>) -> String {
    let members = members.map(|(name, member)| format!("{}: {member}", key(name)));
    let members = members.collect::<Vec<_>>();
    if members.is_empty() {
        return "{}".to_owned();
    }
    format!("{{ {} }}", members.join(", "))
}

/// Writes a list of written values on one line.
pub fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::scan::tests::read;
    use super::*;
    use proptest::prelude::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let plain = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[\u{0}-\u{1f}\"'\\\\\u{2028}\u{e0001}a]{0,8}".prop_map(Value::from),
        ];
        plain.prop_recursive(4, 30, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map("[a-z$0-9 .é\n]{0,5}", inner, 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(any in any_value()) {
            prop_assert_eq!(read(&value(&any)).unwrap(), any.clone());
            if let Some(members) = any.as_object() {
                prop_assert_eq!(read(&map(members, "  ")).unwrap(), any);
            }
        }
    }
}
