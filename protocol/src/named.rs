//! Enums whose values have names.

use serde::Deserializer;
use serde::de::{DeserializeSeed, EnumAccess, Error, Unexpected, VariantAccess, Visitor};
use std::fmt;

/// Declares an enum whose values are written as their names, on the wire and elsewhere. Upper case is read too.
macro_rules! named {
    ($(#[$about:meta])* $type:ident { $($(#[$about_one:meta])* $one:ident = $name:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        pub enum $type {
            $($(#[$about_one])* #[serde(rename = $name)] $one,)*
        }

        impl $type {
            /// All of them, in this order.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$one),*];

            /// The name on the wire.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$one => $name,)* }
            }

            /// The value with this name, in upper or lower case.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.name().eq_ignore_ascii_case(name))
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                const NAMES: &[&str] = &[$($name),*];
                let (all, names) = (&Self::ALL, NAMES);
                deserializer.deserialize_enum(stringify!($type), names, $crate::named::NameVisitor { all, names })
            }
        }
    };
}
pub(crate) use named;

/// Reads one of the values: its name or, in formats that are not text, its number.
pub(crate) struct NameVisitor<T: 'static> {
    pub(crate) all: &'static [T],
    pub(crate) names: &'static [&'static str],
}

impl<'de, T: Copy> Visitor<'de> for NameVisitor<T> {
    type Value = T;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<T, A::Error> {
        let (value, variant) = data.variant_seed(self)?;
        variant.unit_variant().map(|()| value)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<T, E> {
        let mut values = self.names.iter().zip(self.all);
        let found = values.find(|(one, _)| one.eq_ignore_ascii_case(name));
        let (_, value) = found.ok_or_else(|| E::unknown_variant(name, self.names))?;
        Ok(*value)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        let value = usize::try_from(number).ok().and_then(|at| self.all.get(at));
        let wrong = Unexpected::Unsigned(number);
        value.copied().ok_or_else(|| E::invalid_value(wrong, &self))
    }
}

impl<'de, T: Copy> DeserializeSeed<'de> for NameVisitor<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}
