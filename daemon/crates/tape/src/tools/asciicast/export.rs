//! Exports a tape as an asciicast.

use crate::format::{PtySize, Tape};
use crate::tools::cut_text::CutText;
use crate::tools::timeline::{Moment, MomentKind, duration_ms, for_terminal, moments, size};
use ccd_protocol::tape::TapeExit;
use serde_json::{Value, json};
use std::fmt::Write as _;
use time::OffsetDateTime;

/// What a shell adds to a signal number to make an exit status.
const SIGNAL_STATUS: i32 = 128;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CastVersion {
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

/// Returns `tape` as an asciicast.
/// A character that is split between chunks, or between keys, is moved to the next one. For a program without a terminal,
/// the carriage returns are added that one would have added. An exit status is the last event.
pub fn export(tape: &Tape, version: CastVersion) -> Cast {
    let mut events = Events {
        version,
        text: header(tape, version),
        last_ms: 0,
        is_lossy: false,
    };
    let (mut typed, mut printed) = (CutText::default(), CutText::default());
    for Moment { at_ms, what } in moments(tape) {
        match what {
            MomentKind::Begin(_) => events.text(at_ms, "i", typed.end()),
            MomentKind::Keys(keys) => events.text(at_ms, "i", typed.add(keys)),
            MomentKind::Output(chunk) => {
                let data = for_terminal(tape, &chunk.data);
                events.text(at_ms, "o", printed.add(&data));
            }
            MomentKind::Resize(PtySize { rows, cols }) => {
                events.push(at_ms, "r", &format!("{cols}x{rows}"));
            }
            MomentKind::Marker(label) => events.push(at_ms, "m", label),
        }
    }
    let end_ms = duration_ms(tape);
    events.text(events.last_ms, "i", typed.end());
    events.text(events.last_ms, "o", printed.end());
    let exit = tape.exchanges.last().and_then(|exchange| exchange.exit);
    if let (CastVersion::V3, Some(status)) = (version, exit.and_then(status_of)) {
        events.push(end_ms, "x", &status.to_string());
    }
    Cast {
        text: events.text,
        is_lossy: events.is_lossy,
    }
}

fn header(tape: &Tape, version: CastVersion) -> String {
    let meta = &tape.meta;
    let (rows, cols) = size(tape);
    let (is_v2, kind) = (version == CastVersion::V2, meta.env.get("TERM"));
    let mut term = json!({"cols": cols, "rows": rows});
    if let Some(kind) = kind {
        term["type"] = kind.as_str().into();
    }
    let command = meta.command_line();
    let mut header = json!({
        "version": if is_v2 { 2 } else { 3 },
        "width": is_v2.then_some(cols),
        "height": is_v2.then_some(rows),
        "term": (!is_v2).then_some(term),
        "timestamp": meta.recorded_at().map(OffsetDateTime::unix_timestamp),
        "command": Some(command).filter(|command| !command.is_empty()),
        "title": meta.tag,
        "env": Some(&meta.env).filter(|env| !env.is_empty()),
    });
    if let Some(members) = header.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    format!("{header}\n")
}

fn status_of(exit: TapeExit) -> Option<i32> {
    exit.code
        .or_else(|| exit.signal.map(|signal| SIGNAL_STATUS + signal))
}

struct Events {
    version: CastVersion,
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
            CastVersion::V2 => at_ms,
            CastVersion::V3 => at_ms - self.last_ms,
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
