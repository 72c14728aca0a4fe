//! Values that may have any type: one of an unexpected type counts as absent.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A text; borrowed from the line unless it has escapes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Text<'a>(pub(super) Option<Cow<'a, str>>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Number(pub(super) Option<u64>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Flag(pub(super) bool);

/// An object with the fields of `T`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Object<T>(pub(super) Option<T>);

/// Reads the fields of an object one by one; the last of several with one name counts.
pub(super) trait Fields<'de>: Default {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error>;
}

/// Defines the methods of a visitor that skip values of other types.
macro_rules! skips {
    ($value:ty: $($kind:ident)*) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("any value")
        }
        $(skips!(@ $kind $value);)*
    };
    (@ bool $value:ty) => { fn visit_bool<E>(self, _: bool) -> Result<$value, E> { Ok(<$value>::default()) } };
    (@ numbers $value:ty) => {
        fn visit_u64<E>(self, _: u64) -> Result<$value, E> { Ok(<$value>::default()) }
        fn visit_i64<E>(self, _: i64) -> Result<$value, E> { Ok(<$value>::default()) }
        fn visit_f64<E>(self, _: f64) -> Result<$value, E> { Ok(<$value>::default()) }
    };
    (@ str $value:ty) => { fn visit_str<E>(self, _: &str) -> Result<$value, E> { Ok(<$value>::default()) } };
    (@ null $value:ty) => { fn visit_unit<E>(self) -> Result<$value, E> { Ok(<$value>::default()) } };
    (@ list $value:ty) => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<$value, A::Error> {
            while list.next_element::<IgnoredAny>()?.is_some() {}
            Ok(<$value>::default())
        }
    };
    (@ object $value:ty) => {
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(<$value>::default())
        }
    };
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    skips!(Text<'de>: bool numbers null list object);

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text(Some(Cow::Borrowed(text))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text(Some(Cow::Owned(text.to_owned()))))
    }
}

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct NumberVisitor;

impl<'de> Visitor<'de> for NumberVisitor {
    type Value = Number;

    skips!(Number: bool str null list object);

    fn visit_u64<E>(self, number: u64) -> Result<Number, E> {
        Ok(Number(Some(number)))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Number, E> {
        Ok(Number(u64::try_from(number).ok()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Number, E> {
        // A whole number that some program wrote as 12.0.
        let is_whole = number >= 0.0 && number.fract() == 0.0 && number <= 9e15;
        Ok(Number(is_whole.then_some(number as u64)))
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct FlagVisitor;

impl<'de> Visitor<'de> for FlagVisitor {
    type Value = Flag;

    skips!(Flag: numbers str null list object);

    fn visit_bool<E>(self, flag: bool) -> Result<Flag, E> {
        Ok(Flag(flag))
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FlagVisitor)
    }
}

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(None)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Fields<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    skips!(Object<T>: bool numbers str null list);

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<T>, A::Error> {
        let mut value = T::default();
        while let Some(Key(name)) = map.next_key()? {
            value.field(&name, &mut map)?;
        }
        Ok(Object(Some(value)))
    }
}

impl<'de, T: Fields<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ObjectVisitor(PhantomData))
    }
}

struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Text(name) = Text::deserialize(deserializer)?;
        Ok(Self(name.unwrap_or_default()))
    }
}

pub(super) fn skip<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    map.next_value::<IgnoredAny>().map(drop)
}
