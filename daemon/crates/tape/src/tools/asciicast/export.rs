//! Exports a tape as an asciicast.

use crate::format::{PtySize, Tape};
use crate::tools::timeline::{Moment, What, duration_ms, for_terminal, moments, size};
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
/// A character that is split between chunks, or between keys, is moved to the next one. For a program without a terminal,
/// the carriage returns are added that one would have added. An exit status is the last event.
pub fn export(tape: &Tape, version: Version) -> Cast {
    let mut events = Events {
        version,
        text: header(tape, version),
        last_ms: 0,
        is_lossy: false,
    };
    let (mut typed, mut printed) = (CutText::default(), CutText::default());
    for Moment { at_ms, what } in moments(tape) {
        match what {
            What::Begin(_) => events.text(at_ms, "i", typed.end()),
            What::Keys(keys) => events.text(at_ms, "i", typed.add(keys)),
            What::Output(chunk) => {
                let data = for_terminal(tape, &chunk.data);
                events.text(at_ms, "o", printed.add(&data));
            }
            What::Resize(PtySize { rows, cols }) => {
                events.push(at_ms, "r", &format!("{cols}x{rows}"));
            }
            What::Marker(label) => events.push(at_ms, "m", label),
        }
    }
    let end_ms = duration_ms(tape);
    events.text(events.last_ms, "i", typed.end());
    events.text(events.last_ms, "o", printed.end());
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

/// Text that arrives in parts.
#[derive(Default)]
struct CutText {
    /// The start of a character whose rest has not arrived.
    open: Vec<u8>,
}

impl CutText {
    /// Adds a part; returns what is complete now.
    fn add(&mut self, part: &[u8]) -> Vec<u8> {
        self.open.extend_from_slice(part);
        let whole = self.open.len() - cut_len(&self.open);
        let rest = self.open.split_off(whole);
        std::mem::replace(&mut self.open, rest)
    }

    /// Returns what was never completed.
    fn end(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.open)
    }
}

struct Events {
    version: Version,
    text: String,
    last_ms: u64,
    is_lossy: bool,
}

impl Events {
    fn text(&mut self, at_ms: u64, code: &str, bytes: Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let text = String::from_utf8_lossy(&bytes);
        self.is_lossy |= matches!(text, std::borrow::Cow::Owned(_));
        self.push(at_ms, code, &text);
    }

    fn push(&mut self, at_ms: u64, code: &str, data: &str) {
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
