//! Writes a tape as the text of its file.

use super::model::{Chunk, Exchange, Stream, Tape, TypedInput};
use super::{json, quote};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ccd_base::json5;

const EXCHANGE: &str = "    ";
const MEMBER: &str = "      ";
const CHUNK: &str = "          ";

/// Writes a tape; [`super::read()`] parses the text into an equal tape.
/// The order of keys is always the same. A comment after each chunk of text shows its output.
pub fn write(tape: &Tape) -> String {
    let mut out = "{\n  meta: {\n".to_owned();
    let mut meta = json::meta(&tape.meta);
    if tape.meta.fits_any_terminal {
        // Without it, the tape leaves open whether there was a terminal.
        meta.shift_remove("pty");
    }
    for (name, value) in meta {
        let value = match &*name {
            // Without a decimal point, unless it has a fraction.
            "errorRate" => tape.meta.error_rate.to_string(),
            _ => json5::value(&value),
        };
        member(&mut out, EXCHANGE, &name, &value);
    }
    out.push_str("  },\n  session: {\n");
    for (name, value) in json::session(&tape.session) {
        member(&mut out, EXCHANGE, &name, &json5::value(&value));
    }
    out.push_str("  },\n  exchanges: [\n");
    for exchange in &tape.exchanges {
        out.push_str("    {\n");
        for (name, value) in members(exchange) {
            member(&mut out, MEMBER, name, &value);
        }
        out.push_str("    },\n");
    }
    out.push_str("  ],\n}\n");
    out
}

/// Writes the members of an exchange.
pub(super) fn members(exchange: &Exchange) -> [(&'static str, String); 6] {
    [
        ("pre", json5::value(&json::pre(&exchange.pre))),
        ("input", input(&exchange.input)),
        ("output", output(&exchange.chunks)),
        ("exit", json5::value(&serde_json::json!(exchange.exit))),
        ("dur_ms", exchange.dur_ms.to_string()),
        ("annotations", json5::map(&exchange.annotations, MEMBER)),
    ]
}

pub(crate) fn input(input: &TypedInput) -> String {
    json5::value(&json::input(input))
}

/// Writes the output of an exchange, one chunk per line.
pub(crate) fn output(chunks: &[Chunk]) -> String {
    if chunks.is_empty() {
        return "{ chunks: [] }".to_owned();
    }
    let mut out = "{\n        chunks: [\n".to_owned();
    for chunk in chunks {
        chunk_line(&mut out, chunk);
    }
    out + "        ],\n      }"
}

fn chunk_line(out: &mut String, chunk: &Chunk) {
    let stream = match chunk.stream {
        Stream::Stdout => "",
        Stream::Stderr => ", stream: \"stderr\"",
    };
    let data = BASE64_STANDARD.encode(&chunk.data);
    let is_utf8 = std::str::from_utf8(&chunk.data).is_ok();
    let delay_ms = chunk.delay_ms;
    let written =
        format!("{{ delay_ms: {delay_ms}, dataB64: \"{data}\", isUtf8: {is_utf8}{stream} }},");
    let comment = quote::comment(&chunk.data);
    let comment = comment.map(|comment| format!(" // {comment}"));
    for part in [CHUNK, &written, &comment.unwrap_or_default(), "\n"] {
        out.push_str(part);
    }
}

fn member(out: &mut String, indent: &str, name: &str, value: &str) {
    for part in [indent, &json5::key(name), ": ", value, ",\n"] {
        out.push_str(part);
    }
}
