//! Texts without secrets, on their way to the database and to clients.

use ccd_text::redact::{Values, redact, redact_values};
use serde_json::Value;

pub(crate) fn text(text: &str) -> String {
    redact(text).text.into_owned()
}

/// Returns a value whose texts have no secrets.
pub(crate) fn value(mut value: Value) -> Value {
    redact_values(Values::Document(&mut value));
    value
}
