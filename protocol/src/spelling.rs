//! Names of choices in requests: lower case; upper case is accepted.

use serde::de::value::StringDeserializer;
use serde::{Deserialize, Deserializer};

/// Reads one of an enum's names in any case.
///
/// # Errors
///
/// The deserializer's error, if the value is not a string or not one of the names.
pub(crate) fn any_case<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let name = String::deserialize(deserializer)?.to_ascii_lowercase();
    T::deserialize(StringDeserializer::new(name))
}

/// The same, but the name may be null.
///
/// # Errors
///
/// As [`any_case`].
pub(crate) fn any_case_or_none<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let name = Option::<String>::deserialize(deserializer)?;
    name.map(|name| T::deserialize(StringDeserializer::new(name.to_ascii_lowercase())))
        .transpose()
}
