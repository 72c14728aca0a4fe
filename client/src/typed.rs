//! Values of JSON as records.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads a record from a value by way of its text, from which replies are read, too: each type has one reader in the program.
pub(crate) fn typed<T: DeserializeOwned>(value: &Value) -> serde_json::Result<T> {
    serde_json::from_str(&value.to_string())
}
