//! Bytes in JSON.

use crate::Failure;
use crate::call::garbled;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

pub(crate) fn decode(data: &str) -> Result<Vec<u8>, Failure> {
    BASE64
        .decode(data)
        .map_err(|error| garbled("output", &error))
}

pub(crate) fn encode(data: &[u8]) -> String {
    BASE64.encode(data)
}
