//! Writes a tape as the text of its file.

use super::model::{Annotations, Chunk, Exchange, Meta, Pre, Recorder, Stream, Tape, TypedInput};
use super::{keys::TapeObject, quote};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ccd_protocol::tape::{Latency, LatencyName, TapeExit};
use ccd_text::json5;
use serde_json::{Map, Value};

const EXCHANGE: &str = "    ";
const MEMBER: &str = "      ";
const CHUNK: &str = "          ";

/// Writes a tape; [`super::read()`] parses the text into an equal tape.
/// The order of keys is always the same. A comment after each chunk of text shows its output.
pub fn write(tape: &Tape) -> String {
    let mut out = String::new();
    out.push_str("{\n  meta: {\n");
    for (name, value) in meta(&tape.meta) {
        member(&mut out, EXCHANGE, &name, &value);
    }
    out.push_str("  },\n  session: {\n");
    for (name, value) in session(&tape.session) {
        member(&mut out, EXCHANGE, &name, &value);
    }
    out.push_str("  },\n  exchanges: [\n");
    for exchange in &tape.exchanges {
        out.push_str(EXCHANGE);
        out.push_str(&write_exchange(exchange));
        out.push_str(",\n");
    }
    out.push_str("  ],\n}\n");
    out
}

/// Writes an exchange as on a tape, without the indentation of its first line.
fn write_exchange(exchange: &Exchange) -> String {
    let mut out = "{\n".to_owned();
    member(&mut out, MEMBER, "pre", &pre(&exchange.pre));
    member(&mut out, MEMBER, "input", &input(&exchange.input));
    member(&mut out, MEMBER, "output", &output(&exchange.chunks));
    member(&mut out, MEMBER, "exit", &exit(exchange.exit));
    member(&mut out, MEMBER, "dur_ms", &exchange.dur_ms.to_string());
    member(
        &mut out,
        MEMBER,
        "annotations",
        &annotations(&exchange.annotations),
    );
    out + EXCHANGE + "}"
}

/// Writes the output of an exchange, one chunk per line.
pub(super) fn output(chunks: &[Chunk]) -> String {
    if chunks.is_empty() {
        return "{ chunks: [] }".to_owned();
    }
    let mut out = "{\n        chunks: [\n".to_owned();
    for chunk in chunks {
        chunk_line(&mut out, chunk);
    }
    out + "        ],\n      }"
}

fn write_chunk(chunk: &Chunk) -> String {
    let stream = match chunk.stream {
        Stream::Stdout => "",
        Stream::Stderr => ", stream: \"stderr\"",
    };
    let data = BASE64_STANDARD.encode(&chunk.data);
    let is_utf8 = std::str::from_utf8(&chunk.data).is_ok();
    let delay_ms = chunk.delay_ms;
    format!("{{ delay_ms: {delay_ms}, dataB64: \"{data}\", isUtf8: {is_utf8}{stream} }}")
}

fn chunk_line(out: &mut String, chunk: &Chunk) {
    out.push_str(CHUNK);
    out.push_str(&write_chunk(chunk));
    out.push(',');
    if let Some(comment) = quote::comment(&chunk.data) {
        out.push_str(" // ");
        out.push_str(&comment);
    }
    out.push('\n');
}

fn member(out: &mut String, indent: &str, name: &str, value: &str) {
    for part in [indent, &json5::key(name), ": ", value, ",\n"] {
        out.push_str(part);
    }
}

type Members = Vec<(String, String)>;

fn meta(meta: &Meta) -> Members {
    let texts = |texts: &[String]| json5::list(texts.iter().map(|text| json5::quoted(text)));
    let env = meta
        .env
        .iter()
        .map(|(name, value)| (name, json5::quoted(value)));
    let pty = meta
        .pty
        .map(|size| format!("{{ rows: {}, cols: {} }}", size.rows, size.cols));
    let known = [
        ("createdAt", json5::quoted(&meta.created_at)),
        ("program", json5::quoted(&meta.program)),
        ("args", texts(&meta.args)),
        ("env", json5::object(env)),
        ("cwd", json5::quoted(&meta.cwd)),
    ];
    // Without it, the tape leaves open whether there was a terminal.
    let pty = (!meta.fits_any_terminal).then(|| ("pty", or_null(pty)));
    let more = [
        ("tag", or_null(meta.tag.as_deref().map(json5::quoted))),
        ("latency", or_null(meta.latency.as_ref().map(latency))),
        ("errorRate", meta.error_rate.to_string()),
        ("seed", or_null(meta.seed.map(|seed| seed.to_string()))),
        ("redact", meta.redact.to_string()),
    ];
    let plain = meta.plain.then(|| ("plain", true.to_string()));
    let known = known.into_iter().chain(pty).chain(more).chain(plain);
    with_others(known, &meta.other, TapeObject::Meta)
}

fn session(session: &Recorder) -> Members {
    let flags = session.flags.iter().map(|flag| json5::quoted(flag));
    let known = [
        ("platform", json5::quoted(&session.platform)),
        ("version", json5::quoted(&session.version)),
        ("flags", json5::list(flags)),
        ("format", session.format.to_string()),
    ];
    with_others(known, &session.other, TapeObject::Session)
}

/// Adds the keys that this version does not know. Keys that it knows are skipped, because they would be written twice.
fn with_others(
    known: impl IntoIterator<Item = (&'static str, String)>,
    other: &Map<String, Value>,
    part: TapeObject,
) -> Members {
    let known = known
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    let other = other.iter().filter(|(name, _)| part.known(name).is_none());
    let other = other.map(|(name, value)| (name.clone(), json5::value(value)));
    known.chain(other).collect()
}

pub(super) fn pre(pre: &Pre) -> String {
    let mut out = format!("{{ prompt: {}, stateHash: ", json5::quoted(&pre.prompt));
    out.push_str(&or_null(pre.state_hash.as_deref().map(json5::quoted)));
    if pre.hidden {
        out.push_str(", hidden: true");
    }
    if pre.keys {
        out.push_str(", keys: true");
    }
    out + " }"
}

pub(crate) fn input(input: &TypedInput) -> String {
    let (kind, text) = input.written();
    let data = match text {
        Some(text) => format!("dataText: {}, dataBytesB64: null", json5::quoted(text)),
        None => {
            let bytes = BASE64_STANDARD.encode(&input.bytes);
            format!("dataText: null, dataBytesB64: \"{bytes}\"")
        }
    };
    let mark = if input.unfinished {
        ", unfinished: true"
    } else {
        ""
    };
    format!("{{ type: \"{kind}\", {data}{mark} }}")
}

pub(super) fn exit(exit: Option<TapeExit>) -> String {
    let Some(exit) = exit else {
        return "null".to_owned();
    };
    let number = |number: Option<i32>| or_null(number.map(|number| number.to_string()));
    format!(
        "{{ code: {}, signal: {} }}",
        number(exit.code),
        number(exit.signal)
    )
}

pub(super) fn annotations(annotations: &Annotations) -> String {
    json5::map(annotations, MEMBER)
}

fn latency(latency: &Latency) -> String {
    match latency {
        Latency::Constant(ms) => ms.to_string(),
        Latency::Range([low, high]) => format!("[{low}, {high}]"),
        Latency::Named(LatencyName::Recorded) => "\"recorded\"".to_owned(),
    }
}

fn or_null(value: Option<String>) -> String {
    value.unwrap_or_else(|| "null".to_owned())
}
