//! Reads JSON strictly: an object is never written as a list, nor a name as an object. A mistake is reported with its path.
//!
//! The code that serde derives takes a list for any struct, its items for the fields in order, and `{"name": null}` for
//! a name. In JSON both are mistakes. [`Strict`] wraps a deserializer and whatever it hands out, and asks for a map where
//! a struct is read, and for a string where an enum is read.
//!
//! Every type is read from text, by this one deserializer: each further one would compile all types once more.

use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Visitor,
};
use std::cell::RefCell;
use std::fmt;

/// Why a text could not be read, and where in it.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.located())]
pub struct JsonMistake {
    /// Such as `steps[0].name`; empty for the whole.
    pub path: String,
    pub error: serde_json::Error,
}

/// Reads JSON text.
///
/// # Errors
///
/// It is not JSON, or not of this type.
pub fn read<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, JsonMistake> {
    let trail = Trail::default();
    let mut json = serde_json::Deserializer::from_str(text);
    let strict = Strict {
        inner: &mut json,
        trail: &trail,
    };
    T::deserialize(strict)
        .and_then(|value| json.end().map(|()| value))
        .map_err(|error| JsonMistake {
            path: path_of(text, trail.0.take()),
            error,
        })
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
    /// Returns the message in JSON's terms, without its path.
    pub fn message(&self) -> String {
        let message = self.error.to_string();
        // The position is relative to the text, which the caller may not see: leave it out.
        let end = message.rfind(" at line ").unwrap_or(message.len());
        let message = &message[..end];
        let Some((found, wanted)) = message.split_once(", expected ") else {
            return message.to_owned();
        };
        let words = WORDS.iter().find(|(rust, _)| *rust == wanted);
        let wanted = match words {
            _ if wanted.starts_with("struct ") => "an object",
            Some((_, json)) => json,
            None => wanted,
        };
        format!("{found}, expected {wanted}")
    }

    fn located(&self) -> String {
        match &*self.path {
            "" => self.message(),
            path => format!("{path}: {}", self.message()),
        }
    }
}

/// The numbers of the members and items in which a mistake is, the innermost first.
#[derive(Debug, Default)]
struct Trail(RefCell<Vec<usize>>);

/// Returns the path that leads to the member or item with these numbers. So names are looked at only after a mistake.
fn path_of(text: &str, mut trail: Vec<usize>) -> String {
    let mut rest = text;
    let mut path = String::new();
    while let Some(number) = trail.pop() {
        rest = rest.trim_ascii_start();
        let is_object = rest.starts_with('{');
        let mut values = Values(rest.get(1..).unwrap_or_default());
        let mut name = "";
        for at in 0..=number {
            if at > 0 {
                values.skip();
            }
            if is_object {
                name = values.skip();
            }
        }
        rest = values.0;
        if is_object {
            let dot = if path.is_empty() { "" } else { "." };
            let name = serde_json::from_str(name).unwrap_or_else(|_| name.to_owned());
            path.push_str(dot);
            path.push_str(&name);
        } else {
            path.push_str(&format!("[{number}]"));
        }
    }
    path
}

/// Text that was read as far as it is looked at.
struct Values<'a>(&'a str);

impl<'a> Values<'a> {
    /// Skips a value, or the name of a member, with the separators around it, and returns it.
    fn skip(&mut self) -> &'a str {
        let is_around = |c: char| c.is_ascii_whitespace() || matches!(c, ',' | ':');
        let text = self.0.trim_start_matches(is_around);
        let (mut depth, mut in_string, mut is_escaped) = (0usize, false, false);
        let mut end = text.len();
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => in_string = !in_string,
                _ if in_string => continue,
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            let next = text.as_bytes().get(at + 1);
            let is_last = next.is_none_or(|next| b",:]} \t\r\n".contains(next));
            if depth == 0 && !in_string && is_last {
                end = at + 1;
                break;
            }
        }
        let (value, rest) = text.split_at(end);
        self.0 = rest.trim_start_matches(is_around);
        value
    }
}

/// A deserializer, or a part of one, that reads strictly.
struct Strict<'t, T> {
    inner: T,
    trail: &'t Trail,
}

impl<'t, T> Strict<'t, T> {
    fn wrap<U>(&self, inner: U) -> Strict<'t, U> {
        Strict {
            inner,
            trail: self.trail,
        }
    }
}

/// The members of an object, or the items of a list, of which so many were read.
struct Counted<'t, A> {
    inner: A,
    trail: &'t Trail,
    count: usize,
}

impl<'t, A> Counted<'t, A> {
    fn seed<S>(&self, inner: S) -> Strict<'t, S> {
        Strict {
            inner,
            trail: self.trail,
        }
    }

    /// Notes the number of a value that is wrong.
    fn note<T, E>(&mut self, read: Result<T, E>) -> Result<T, E> {
        if read.is_err() {
            self.trail.0.borrow_mut().push(self.count);
        }
        self.count += 1;
        read
    }
}

macro_rules! pass_on {
    ($($method:ident($($argument:ident: $type:ty),*))*) => {
        $(
            fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
                let visitor = self.wrap(visitor);
                self.inner.$method($($argument,)* visitor)
            }
        )*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Strict<'_, D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = self.wrap(visitor);
        self.inner.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_str(Name(visitor))
    }

    pass_on! {
        deserialize_any() deserialize_bool() deserialize_char() deserialize_str() deserialize_string()
        deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64() deserialize_i128()
        deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64() deserialize_u128()
        deserialize_f32() deserialize_f64() deserialize_bytes() deserialize_byte_buf()
        deserialize_option() deserialize_unit() deserialize_seq() deserialize_map()
        deserialize_identifier() deserialize_ignored_any()
        deserialize_unit_struct(name: &'static str) deserialize_newtype_struct(name: &'static str)
        deserialize_tuple(len: usize) deserialize_tuple_struct(name: &'static str, len: usize)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! pass_value {
    ($($method:ident($type:ty))*) => {
        $(
            fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
                self.inner.$method(value)
            }
        )*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Strict<'_, V> {
    type Value = V::Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(out)
    }

    pass_value! {
        visit_bool(bool) visit_char(char) visit_str(&str) visit_borrowed_str(&'de str) visit_string(String)
        visit_i8(i8) visit_i16(i16) visit_i32(i32) visit_i64(i64) visit_i128(i128)
        visit_u8(u8) visit_u16(u16) visit_u32(u32) visit_u64(u64) visit_u128(u128)
        visit_f32(f32) visit_f64(f64)
        visit_bytes(&[u8]) visit_borrowed_bytes(&'de [u8]) visit_byte_buf(Vec<u8>)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        let value = self.wrap(value);
        self.inner.visit_some(value)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        let value = self.wrap(value);
        self.inner.visit_newtype_struct(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(Counted {
            inner: items,
            trail: self.trail,
            count: 0,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Counted {
            inner: members,
            trail: self.trail,
            count: 0,
        })
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(data)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Strict<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<S::Value, D::Error> {
        let value = self.wrap(value);
        self.inner.deserialize(value)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Counted<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let read = self.inner.next_element_seed(self.seed(seed));
        self.note(read)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Counted<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let read = self.inner.next_value_seed(self.seed(seed));
        self.note(read)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

/// Reads an enum, all of whose variants are names, from a string.
struct Name<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for Name<V> {
    type Value = V::Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<V::Value, E> {
        self.0.visit_enum(StrDeserializer::new(name))
    }

    fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<V::Value, E> {
        self.0.visit_enum(BorrowedStrDeserializer::new(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Outer {
        inner: Option<Inner>,
        list: Vec<Inner>,
        direct: Inner,
        pair: [u64; 2],
        map: BTreeMap<String, Inner>,
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Inner {
        kind: Option<Kind>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Small,
    }

    #[test]
    fn objects_and_names_are_read_as_serde_reads_them() {
        let text = r#"{"inner": {"kind": "small"}, "list": [{}, {"kind": null}], "pair": [1, 2]}"#;
        let expected: Outer = serde_json::from_str(text).unwrap();
        assert_eq!(read::<Outer>(text).unwrap(), expected);
    }

    #[test]
    fn a_mistake_is_named_with_its_path() {
        let list = "invalid type: sequence, expected an object";
        for (text, path, message) in [
            ("{} 5", "", "trailing characters"),
            ("[]", "", list),
            (r#"{"inner": []}"#, "inner", list),
            (r#"{"inner": ["small"]}"#, "inner", list),
            (r#"{"list": [[]]}"#, "list[0]", list),
            (
                r#" { "pair" : [ 1 , 2 ] , "direct" : [ ] } "#,
                "direct",
                list,
            ),
            (
                r#"{"inner": {"kind": {"small": null}}}"#,
                "inner.kind",
                "invalid type: map, expected a string",
            ),
            (
                r#"{"x": "a\"]}", "pair": [[{"a,": ":"}], 5]}"#,
                "pair[0]",
                "invalid type: sequence, expected a whole number of 0 or more",
            ),
            (
                r#"{"map": {"a\"\n, é": {"kind": "large"}}}"#,
                "map.a\"\n, é.kind",
                "unknown variant `large`, expected `small`",
            ),
            (r#"{"pair": [1, "#, "pair[1]", "EOF while parsing a value"),
            (
                r#"{"pair": [1]}"#,
                "pair",
                "invalid length 1, expected an array of length 2",
            ),
        ] {
            let mistake = read::<Outer>(text).unwrap_err();
            assert_eq!(
                (&*mistake.path, &*mistake.message()),
                (path, message),
                "{text}"
            );
        }
    }
}
