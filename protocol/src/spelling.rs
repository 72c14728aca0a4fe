//! Names of choices in requests: lower case; upper case is accepted.

use serde::de::value::StringDeserializer;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;

/// Reads one of an enum's names in any case.
pub(crate) fn any_case<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_str(NameVisitor(PhantomData))
}

/// The same, but the name may be null.
pub(crate) fn any_case_or_none<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    deserializer.deserialize_option(NameOrNone(PhantomData))
}

/// A visitor, so that an unknown name is reported where it is.
struct NameVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for NameVisitor<T> {
    type Value = T;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<T, E> {
        T::deserialize(StringDeserializer::new(name.to_ascii_lowercase()))
    }
}

struct NameOrNone<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for NameOrNone<T> {
    type Value = Option<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string")
    }

    fn visit_none<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, name: D) -> Result<Option<T>, D::Error> {
        any_case(name).map(Some)
    }
}
