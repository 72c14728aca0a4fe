//! Exports a tape as an asciicast.

use super::{MARKERS, Marker};
use crate::format::{Exchange, Tape};
use crate::tools::timeline::{What, duration_ms, for_terminal, moments, size};
use ccd_protocol::tape::TapeExit;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// What a shell adds to a signal number to make an exit status.
const SIGNAL_STATUS: i32 = 128;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// Times count from the start of the recording.
    V2,
    /// Times count from the previous event; the exit status is an event.
    V3,
}

/// An asciicast.
#[derive(Debug, PartialEq, Eq)]
pub struct Cast {
    pub text: String,
    /// Bytes that are not UTF-8 were replaced.
    pub is_lossy: bool,
}

#[derive(Serialize)]
struct CastHeader<'a> {
    version: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    term: Option<CastTerm<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<i64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    command: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    env: &'a BTreeMap<String, String>,
}

#[derive(Serialize)]
struct CastTerm<'a> {
    cols: u16,
    rows: u16,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'a String>,
}

/// Returns `tape` as an asciicast.
///
/// A character that is split between chunks is moved to the next chunk. For a program without a terminal, the carriage
/// returns are added that one would have added.
pub fn export(tape: &Tape, version: Version) -> Cast {
    let mut events = Events {
        version,
        text: header(tape, version),
        last_ms: 0,
        cut: Vec::new(),
        is_lossy: false,
    };
    let mut markers = Vec::new();
    for moment in moments(tape) {
        match moment.what {
            What::Begin(exchange) => {
                events.flush_markers(&mut markers, moment.at_ms);
                markers = markers_of(exchange, moment.at_ms);
                if !exchange.input.bytes.is_empty() {
                    let input = events.whole(&exchange.input.bytes);
                    events.push(moment.at_ms, "i", &input);
                }
            }
            What::Output(chunk) => {
                events.flush_markers(&mut markers, moment.at_ms);
                events.output(moment.at_ms, &for_terminal(tape, &chunk.data));
            }
        }
    }
    let end_ms = duration_ms(tape);
    events.end_of_output(end_ms);
    events.flush_markers(&mut markers, u64::MAX);
    let exit = tape.exchanges.last().and_then(|exchange| exchange.exit);
    if let (Version::V3, Some(status)) = (version, exit.and_then(status_of)) {
        events.push(end_ms, "x", &status.to_string());
    }
    Cast {
        text: events.text,
        is_lossy: events.is_lossy,
    }
}

fn header(tape: &Tape, version: Version) -> String {
    let meta = &tape.meta;
    let (rows, cols) = size(tape);
    let words = std::iter::once(&meta.program).chain(&meta.args);
    let command: Vec<String> = words.map(|word| ccd_text::shell::quoted(word)).collect();
    let created_at = OffsetDateTime::parse(&meta.created_at, &Rfc3339);
    let (is_v2, kind) = (version == Version::V2, meta.env.get("TERM"));
    let header = CastHeader {
        version: if is_v2 { 2 } else { 3 },
        width: is_v2.then_some(cols),
        height: is_v2.then_some(rows),
        term: (!is_v2).then_some(CastTerm { cols, rows, kind }),
        timestamp: created_at.ok().map(OffsetDateTime::unix_timestamp),
        command: command.join(" "),
        title: meta.tag.as_deref(),
        env: &meta.env,
    };
    // Texts and numbers can always be written as JSON.
    serde_json::to_string(&header).unwrap_or_default() + "\n"
}

fn status_of(exit: TapeExit) -> Option<i32> {
    exit.code
        .or_else(|| exit.signal.map(|signal| SIGNAL_STATUS + signal))
}

/// Returns the markers of an exchange that starts at `start_ms`, in reverse order.
fn markers_of(exchange: &Exchange, start_ms: u64) -> Vec<Marker> {
    let given = exchange.annotations.get(MARKERS).cloned();
    let mut markers: Vec<Marker> = match given {
        // An annotation written by hand may have any value, and is ignored then.
        Some(Value::Array(values)) => values
            .into_iter()
            .filter_map(|value| serde_json::from_value(value).ok())
            .collect(),
        _ => Vec::new(),
    };
    for marker in &mut markers {
        marker.at_ms = marker.at_ms.saturating_add(start_ms);
    }
    markers.sort_by_key(|marker| std::cmp::Reverse(marker.at_ms));
    markers
}

/// The events so far.
struct Events {
    version: Version,
    text: String,
    last_ms: u64,
    /// The start of a character whose rest has not arrived.
    cut: Vec<u8>,
    is_lossy: bool,
}

impl Events {
    fn output(&mut self, at_ms: u64, data: &[u8]) {
        let mut bytes = std::mem::take(&mut self.cut);
        bytes.extend_from_slice(data);
        let whole = bytes.len() - cut_len(&bytes);
        self.cut = bytes.split_off(whole);
        let text = self.whole(&bytes);
        if !text.is_empty() {
            self.push(at_ms, "o", &text);
        }
    }

    fn end_of_output(&mut self, at_ms: u64) {
        let cut = std::mem::take(&mut self.cut);
        if !cut.is_empty() {
            let text = self.whole(&cut);
            self.push(at_ms, "o", &text);
        }
    }

    fn flush_markers(&mut self, markers: &mut Vec<Marker>, until_ms: u64) {
        while let Some(marker) = markers.pop_if(|marker| marker.at_ms <= until_ms) {
            self.push(marker.at_ms, "m", &marker.label);
        }
    }

    /// Returns these bytes as text.
    fn whole(&mut self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes);
        self.is_lossy |= matches!(text, std::borrow::Cow::Owned(_));
        text.into_owned()
    }

    fn push(&mut self, at_ms: u64, code: &str, data: &str) {
        // A marker after the last output of an exchange may come late.
        let at_ms = at_ms.max(self.last_ms);
        let time = match self.version {
            Version::V2 => at_ms,
            Version::V3 => at_ms - self.last_ms,
        };
        self.last_ms = at_ms;
        let data = Value::from(data);
        // Writing to a String cannot fail.
        let _ = writeln!(
            self.text,
            "[{}.{:03}, \"{code}\", {data}]",
            time / 1000,
            time % 1000
        );
    }
}

/// Returns how many bytes at the end of `bytes` are the start of a character.
fn cut_len(bytes: &[u8]) -> usize {
    let tail = &bytes[bytes.len().saturating_sub(3)..];
    let lead = tail.iter().rposition(|byte| byte & 0xc0 != 0x80);
    let Some(open) = lead.map(|lead| &tail[lead..]) else {
        return 0;
    };
    match std::str::from_utf8(open) {
        Err(error) if error.error_len().is_none() => open.len(),
        _ => 0,
    }
}
