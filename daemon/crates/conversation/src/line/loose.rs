//! Values that may have any type: one of an unexpected type counts as absent.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// The most elements of a list that are read. A line may have millions, each of which takes a hundred bytes.
const MAX_ELEMENTS: usize = 10_000;

/// A value of any type; `T` has the fields of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Loose<'a, T = ()> {
    /// Borrowed from the line unless it has escapes.
    Text(Cow<'a, str>),
    Number(u64),
    Flag(bool),
    Object(T),
    #[default]
    Other,
}

impl<'a, T> Loose<'a, T> {
    pub(super) fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn object(self) -> Option<T> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }
}

/// Reads the fields of an object one by one; the last of several with one name counts.
pub(super) trait Fields<'de>: Default {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error>;
}

/// No field matters.
impl<'de> Fields<'de> for () {
    fn field<A: MapAccess<'de>>(&mut self, _: &str, map: &mut A) -> Result<(), A::Error> {
        skip(map)
    }
}

pub(super) fn text<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<Cow<'de, str>>, A::Error> {
    Ok(map.next_value::<Loose<'de>>()?.text())
}

pub(super) fn number<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<u64>, A::Error> {
    Ok(match map.next_value::<Loose<'de>>()? {
        Loose::Number(number) => Some(number),
        _ => None,
    })
}

pub(super) fn flag<'de, A: MapAccess<'de>>(map: &mut A) -> Result<bool, A::Error> {
    Ok(map.next_value::<Loose<'de>>()? == Loose::Flag(true))
}

pub(super) fn object<'de, A: MapAccess<'de>, T: Fields<'de>>(
    map: &mut A,
) -> Result<Option<T>, A::Error> {
    Ok(map.next_value::<Loose<'de, T>>()?.object())
}

pub(super) fn skip<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    map.next_value::<IgnoredAny>().map(drop)
}

struct LooseVisitor<T>(PhantomData<T>);

impl<'de, T: Fields<'de>> Visitor<'de> for LooseVisitor<T> {
    type Value = Loose<'de, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(Loose::Flag(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Loose::Number(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(u64::try_from(number).map_or(Loose::Other, Loose::Number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        // A whole number that some program wrote as 12.0.
        let is_whole = number >= 0.0 && number.fract() == 0.0 && number <= 9e15;
        Ok(if is_whole {
            Loose::Number(number as u64)
        } else {
            Loose::Other
        })
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Loose::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Loose::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut value = T::default();
        while let Some(name) = map.next_key::<Loose<'de>>()? {
            value.field(&name.text().unwrap_or_default(), &mut map)?;
        }
        Ok(Loose::Object(value))
    }
}

impl<'de, T: Fields<'de>> Deserialize<'de> for Loose<'de, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor(PhantomData))
    }
}

/// Returns the first [`MAX_ELEMENTS`] of a list; none if it is not one of such elements.
pub(super) fn elements<'de, T: Deserialize<'de>>(json: &'de str) -> Vec<T> {
    let list = serde_json::from_str::<List<T>>(json);
    list.map(|list| list.0).unwrap_or_default()
}

struct List<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Self, A::Error> {
        while self.0.len() < MAX_ELEMENTS
            && let Some(element) = list.next_element()?
        {
            self.0.push(element);
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(self)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Self(Vec::new()))
    }
}
