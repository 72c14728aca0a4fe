//! Reads JSON text; a mistake is told in JSON's terms, with its path.

use serde::Deserialize;
use serde::de::IgnoredAny;
use std::fmt::Write as _;

/// Why a text could not be read, and where in it.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.located())]
pub struct JsonMistake {
    /// Such as `steps[0].name`; empty for the whole.
    pub path: String,
    pub message: String,
}

/// Reads JSON text.
pub fn read<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, JsonMistake> {
    serde_json::from_str(text).map_err(|error| JsonMistake::of(text, &error))
}

/// Type names in serde's messages, and the words for them in JSON's terms.
const WORDS: [(&str, &str); 7] = [
    ("a sequence", "a list"),
    ("a map", "an object"),
    ("f64", "a number"),
    ("i64", "a whole number"),
    ("u64", "a whole number of 0 or more"),
    ("u16", "a whole number from 0 to 65535"),
    ("usize", "a whole number of 0 or more"),
];

impl JsonMistake {
    fn of(text: &str, error: &serde_json::Error) -> Self {
        let is_json = || serde_json::from_str::<IgnoredAny>(text).is_ok();
        let shown = error.to_string();
        // The position is relative to the text, which the caller may not see: the path is told instead.
        let end = shown.rfind(" at line ").unwrap_or(shown.len());
        let message = match shown[..end].split_once(", expected ") {
            // What serde says of anything but text in the place of a name.
            None if &shown[..end] == "expected value" && is_json() => {
                "expected a string".to_owned()
            }
            None => shown[..end].to_owned(),
            Some((found, wanted)) => {
                let words = WORDS.iter().find(|(rust, _)| *rust == wanted);
                let wanted = match words {
                    _ if wanted.starts_with("struct ") => "an object",
                    Some((_, json)) => json,
                    None => wanted,
                };
                format!("{found}, expected {wanted}")
            }
        };
        Self {
            path: path_to(&text[..offset(text, error)]),
            message,
        }
    }

    fn located(&self) -> String {
        match &*self.path {
            "" => self.message.clone(),
            path => format!("{path}: {}", self.message),
        }
    }
}

/// Returns how many bytes of the text were read before the error.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    let before = text.split_inclusive('\n').take(error.line().max(1) - 1);
    let offset = before.map(str::len).sum::<usize>() + error.column();
    text.floor_char_boundary(offset)
}

/// An object or a list that has begun.
enum Open<'a> {
    /// The name of the member that was read last, with its quotation marks.
    Object(Option<&'a str>),
    List(usize),
}

/// Returns the path of the value that `text`, the start of a JSON text, ends before, in or after.
fn path_to(text: &str) -> String {
    let mut open = Vec::new();
    let (mut rest, mut may_be_name) = (text, false);
    while let Some(first) = rest.bytes().next() {
        let len = match first {
            b'"' => string_len(rest),
            _ => 1,
        };
        match (first, open.last_mut()) {
            (b'"', Some(Open::Object(name))) if may_be_name => *name = Some(&rest[..len]),
            (b'{', _) => open.push(Open::Object(None)),
            (b'[', _) => open.push(Open::List(0)),
            (b'}' | b']', _) => drop(open.pop()),
            (b',', Some(Open::List(count))) => *count += 1,
            (b',', Some(Open::Object(name))) => *name = None,
            _ => {}
        }
        may_be_name = matches!(first, b'{' | b',') || may_be_name && first.is_ascii_whitespace();
        rest = rest.get(len..).unwrap_or_default();
    }
    let mut path = String::new();
    for step in &open {
        match step {
            Open::Object(None) => {}
            Open::Object(Some(name)) => {
                let dot = if path.is_empty() { "" } else { "." };
                let name = serde_json::from_str(name).unwrap_or_else(|_| (*name).to_owned());
                path.push_str(dot);
                path.push_str(&name);
            }
            Open::List(count) => {
                let _ = write!(path, "[{count}]"); // a String takes everything
            }
        }
    }
    path
}

/// Returns the length of the string that a text begins with; that of the text if it does not end.
fn string_len(text: &str) -> usize {
    let mut bytes = text.bytes().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return at + 1,
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Outer {
        inner: Option<Inner>,
        list: Vec<Inner>,
        direct: Inner,
        pair: [u64; 2],
        map: BTreeMap<String, Inner>,
        need: Option<Need>,
    }

    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Inner {
        kind: Option<Kind>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only mistakes are looked at")]
    struct Need {
        name: String,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Small,
    }

    #[test]
    fn a_mistake_is_named_with_its_path() {
        let number = "invalid type: integer `5`, expected an object";
        for (text, path, message) in [
            ("{} 5", "", "trailing characters"),
            ("5", "", number),
            (r#"{"inner": 5}"#, "inner", number),
            (r#"{"list": [{}, 5]}"#, "list[1]", number),
            (
                r#" { "pair" : [ 1 , 2 ] , "direct" : 5 } "#,
                "direct",
                number,
            ),
            (
                r#"{"inner": {"kind": 5}}"#,
                "inner.kind",
                "expected a string",
            ),
            (
                "{\"x\": \"a\\\"]},\",\n \"pair\": [{\"a,\": \":\"}, 5]}",
                "pair[0]",
                "invalid type: map, expected a whole number of 0 or more",
            ),
            (
                r#"{"map": {"a\"\n, é": {"kind": "large"}}}"#,
                "map.a\"\n, é.kind",
                "unknown variant `large`, expected `small`",
            ),
            (
                r#"{"pair": [1]}"#,
                "pair",
                "invalid length 1, expected an array of length 2",
            ),
            (
                r#"{"list": [], "need": {"x": "name"}}"#,
                "need",
                "missing field `name`",
            ),
            (r#"{"pair": [1, "#, "pair[1]", "EOF while parsing a value"),
        ] {
            let mistake = read::<Outer>(text).unwrap_err();
            assert_eq!(
                (&*mistake.path, &*mistake.message),
                (path, message),
                "{text}"
            );
        }
    }
}
