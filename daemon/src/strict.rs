//! Reads requests strictly: an object is never written as a list, nor a name as an object.
//!
//! The code that serde derives takes a list for any struct, its items for the fields in order, and `{"name": null}` for
//! a name. In JSON both are mistakes. [`Strict`] wraps a deserializer and whatever it hands out, and asks for a map where
//! a struct is read, and for a string where an enum is read.

use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Visitor,
};
use std::fmt;

/// A deserializer, or a part of one, that reads strictly.
pub(crate) struct Strict<T>(pub(crate) T);

/// Reads the JSON text of a request.
///
/// # Errors
///
/// It is not JSON, or not of this type.
pub(crate) fn of_text<'de, T: Deserialize<'de>>(text: &'de str) -> serde_json::Result<T> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = T::deserialize(Strict(&mut json))?;
    json.end()?;
    Ok(value)
}

macro_rules! pass_on {
    ($($method:ident($($argument:ident: $type:ty),*))*) => {
        $(
            fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
                self.0.$method($($argument,)* Strict(visitor))
            }
        )*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Strict<D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Strict(visitor))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_str(Name(visitor))
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
        self.0.is_human_readable()
    }
}

macro_rules! pass_value {
    ($($method:ident($type:ty))*) => {
        $(
            fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
                self.0.$method(value)
            }
        )*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Strict<V> {
    type Value = V::Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(out)
    }

    pass_value! {
        visit_bool(bool) visit_char(char) visit_str(&str) visit_borrowed_str(&'de str) visit_string(String)
        visit_i8(i8) visit_i16(i16) visit_i32(i32) visit_i64(i64) visit_i128(i128)
        visit_u8(u8) visit_u16(u16) visit_u32(u32) visit_u64(u64) visit_u128(u128)
        visit_f32(f32) visit_f64(f64)
        visit_bytes(&[u8]) visit_borrowed_bytes(&'de [u8]) visit_byte_buf(Vec<u8>)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(Strict(value))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        self.0.visit_newtype_struct(Strict(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(Strict(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(Strict(members))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<V::Value, A::Error> {
        self.0.visit_enum(data)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Strict<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Strict(value))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Strict<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(Strict(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Strict<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(Strict(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
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

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Outer {
        inner: Option<Inner>,
        list: Vec<Inner>,
        direct: Inner,
        pair: [u64; 2],
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
    fn objects_and_names_are_read_as_before() {
        let text = r#"{"inner": {"kind": "small"}, "list": [{}, {"kind": null}], "pair": [1, 2]}"#;
        let expected: Outer = serde_json::from_str(text).unwrap();
        assert_eq!(of_text::<Outer>(text).unwrap(), expected);
        assert_eq!(
            of_text::<Outer>("{} 5").unwrap_err().to_string(),
            "trailing characters at line 1 column 4"
        );
    }

    #[test]
    fn a_list_is_no_object_at_any_depth_and_an_object_no_name() {
        for text in [
            "[]",
            r#"{"inner": []}"#,
            r#"{"inner": ["small"]}"#,
            r#"{"list": [[]]}"#,
            r#"{"direct": []}"#,
            r#"{"inner": {"kind": {"small": null}}}"#,
        ] {
            serde_json::from_str::<Outer>(text).unwrap();
            let told = of_text::<Outer>(text).unwrap_err().to_string();
            assert!(told.starts_with("invalid type"), "{text}: {told}");
            let value: serde_json::Value = serde_json::from_str(text).unwrap();
            Outer::deserialize(Strict(&value)).unwrap_err();
        }
    }
}
