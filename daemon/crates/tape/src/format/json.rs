//! Converts a tape to JSON: the same keys, and text in place of base64 where the bytes are text.

use super::keys::TapeObject;
use super::model::{Annotations, Chunk, Exchange, Meta, Pre, RecordedBy, Stream, Tape, TypedInput};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

/// Writes a tape as JSON, from which [`super::read()`] makes an equal tape.
pub fn write_json(tape: &Tape) -> String {
    let exchanges: Vec<Value> = tape.exchanges.iter().map(exchange).collect();
    let tape = json!({
        "meta": meta(&tape.meta),
        "session": session(&tape.session),
        "exchanges": exchanges,
    });
    format!("{tape:#}\n")
}

pub(crate) fn meta(meta: &Meta) -> Annotations {
    let mut known = json!({
        "createdAt": meta.created_at,
        "program": meta.program,
        "args": meta.args,
        "env": meta.env,
        "cwd": meta.cwd,
        "pty": meta.pty,
        "tag": meta.tag,
        "latency": meta.latency,
        "errorRate": meta.error_rate,
        "seed": meta.seed,
        "redact": meta.redact,
    });
    if meta.plain {
        known["plain"] = true.into();
    }
    with_others(known, &meta.other, TapeObject::Meta)
}

pub(crate) fn session(session: &RecordedBy) -> Annotations {
    let known = json!({
        "platform": session.platform,
        "version": session.version,
        "flags": session.flags,
        "format": session.format,
    });
    with_others(known, &session.other, TapeObject::Session)
}

/// Adds the keys that this version does not know. Keys that it knows are skipped, because they would be written twice.
fn with_others(mut known: Value, other: &Annotations, part: TapeObject) -> Annotations {
    let mut members = known
        .as_object_mut()
        .map(std::mem::take)
        .unwrap_or_default();
    let other = other.iter().filter(|(name, _)| part.known(name).is_none());
    members.extend(other.map(|(name, value)| (name.clone(), value.clone())));
    members
}

fn exchange(exchange: &Exchange) -> Value {
    let chunks: Vec<Value> = exchange.chunks.iter().map(chunk).collect();
    json!({
        "pre": pre(&exchange.pre),
        "input": input(&exchange.input),
        "output": {"chunks": chunks},
        "exit": exchange.exit,
        "dur_ms": exchange.dur_ms,
        "annotations": exchange.annotations,
    })
}

pub(crate) fn pre(pre: &Pre) -> Value {
    let mut value = json!({"prompt": pre.prompt, "stateHash": pre.state_hash});
    if pre.hidden {
        value["hidden"] = true.into();
    }
    if pre.keys {
        value["keys"] = true.into();
    }
    value
}

pub(super) fn input(input: &TypedInput) -> Value {
    let (kind, text) = input.written();
    let bytes = text.is_none().then(|| BASE64_STANDARD.encode(&input.bytes));
    let mut value = json!({
        "type": kind,
        "dataText": text,
        "dataBytesB64": bytes,
    });
    if input.unfinished {
        value["unfinished"] = true.into();
    }
    value
}

fn chunk(chunk: &Chunk) -> Value {
    let mut value = json!({"delay_ms": chunk.delay_ms});
    match std::str::from_utf8(&chunk.data) {
        Ok(text) => value["dataText"] = text.into(),
        Err(_) => value["dataB64"] = BASE64_STANDARD.encode(&chunk.data).into(),
    }
    if chunk.stream == Stream::Stderr {
        value["stream"] = "stderr".into();
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::read;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_tape_as_json_is_the_same_tape(tape in read::tests::tape()) {
            let text = write_json(&tape);
            prop_assert!(serde_json::from_str::<Value>(&text).is_ok());
            prop_assert_eq!(read(text.as_bytes()).unwrap(), tape);
        }
    }
}
