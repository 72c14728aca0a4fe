//! Serialises bytes in a line of the journal: as text if they are valid text, else as base64.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EncodedBytes {
    Text(String),
    B64(String),
}

pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    let form = match std::str::from_utf8(bytes) {
        Ok(text) => EncodedBytes::Text(text.to_owned()),
        Err(_) => EncodedBytes::B64(STANDARD.encode(bytes)),
    };
    form.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    match EncodedBytes::deserialize(deserializer)? {
        EncodedBytes::Text(text) => Ok(text.into_bytes()),
        EncodedBytes::B64(text) => STANDARD.decode(text).map_err(serde::de::Error::custom),
    }
}
