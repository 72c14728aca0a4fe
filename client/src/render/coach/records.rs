//! Signals in payloads.

use crate::fields::Fields as _;
use crate::render::Printer;
use serde_json::{Value, json};
use std::io;

/// Writes one line per signal, after the number of its payload, counted from 1.
pub(crate) fn detected(reply: &Value, out: &mut Printer<'_>) -> io::Result<()> {
    let mut rows = Vec::new();
    for (number, payload) in (1..).zip(reply.list("results")) {
        let error = payload.get("error").filter(|error| error.is_string());
        rows.extend(error.map(|error| json!({"payload": number, "error": error})));
        let signals = payload.list("signals").iter();
        rows.extend(signals.map(|signal| json!({"payload": number, "signal": signal})));
    }
    out.reply("coach.detect", &json!({"signals": rows}))
}
