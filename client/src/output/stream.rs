//! A session's output as it arrives; output that this reader missed is read back.

use super::base64::decode;
use super::follow::Follow;
use crate::Failure;
use crate::call::{Connection, DaemonAddress, fetch_within};
use crate::fields::Fields as _;
use crate::lifeline::Lifeline;
use crate::typed::typed;
use ccd_protocol::session::{Ended, Lagged, OutputEvent, SessionSubscribeParams};
use serde_json::json;
use std::collections::VecDeque;
use std::io::IsTerminal as _;

/// Most bytes that are read back at once.
const CATCH_UP_BYTES: u64 = 1 << 20;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum OutputChunk {
    Output(Vec<u8>),
    /// Standard error of a program with pipes.
    Error(Vec<u8>),
    /// This many bytes are neither in memory nor in the log.
    Missing(u64),
    /// The session has ended; there is no more output.
    Ended(Ended),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputForm {
    /// Without control sequences.
    Text,
    /// With control sequences, as a terminal may show it.
    Raw,
    /// Each byte as the program wrote it.
    Exact,
}

#[derive(Debug)]
pub(crate) struct Output {
    place: DaemonAddress,
    follow: Follow,
    session: String,
    is_raw: bool,
    parts: VecDeque<OutputChunk>,
    /// The range to read back before the next item.
    lagged: Option<Lagged>,
    missing_bytes: u64,
}

impl Output {
    /// Subscribes on `connection`, which is used for nothing else from now on.
    /// Further connections are made to `place`: to read output back, and to continue after a handover. `lifeline` is
    /// renewed with each connection that replaces this one.
    pub(crate) fn start(
        place: DaemonAddress,
        connection: Connection,
        session: &str,
        since: u64,
        content: OutputForm,
        lifeline: Option<Lifeline>,
    ) -> Result<Self, Failure> {
        let is_raw = content != OutputForm::Text;
        let params = SessionSubscribeParams {
            session: session.to_owned(),
            since: Some(since),
            // The daemon has answered the terminal queries; this terminal would answer again, as if the reply were
            // typed.
            strip_queries: content == OutputForm::Raw && std::io::stdout().is_terminal(),
            text: !is_raw,
        };
        Ok(Self {
            follow: Follow::start(place.clone(), connection, params, lifeline)?,
            place,
            session: session.to_owned(),
            is_raw,
            parts: VecDeque::new(),
            lagged: None,
            missing_bytes: 0,
        })
    }

    pub(crate) fn next(&mut self) -> Result<OutputChunk, Failure> {
        loop {
            if let Some(part) = self.parts.pop_front() {
                return Ok(part);
            }
            if self.catch_up()? {
                continue;
            }
            if self.missing_bytes > 0 {
                return Ok(OutputChunk::Missing(std::mem::take(
                    &mut self.missing_bytes,
                )));
            }
            match self.follow.next()?.item.event {
                OutputEvent::Output {
                    text: Some(text), ..
                } if !self.is_raw => return Ok(OutputChunk::Output(text.into_bytes())),
                OutputEvent::Output {
                    start,
                    data_b64,
                    stderr,
                    ..
                } => self
                    .parts
                    .extend(parts_of(start, &decode(&data_b64)?, &stderr)),
                OutputEvent::Lagged { lagged } => self.lagged = Some(lagged),
                OutputEvent::Ended { ended } => return Ok(OutputChunk::Ended(ended)),
                OutputEvent::KeepAlive { .. } | OutputEvent::Repaint { .. } => {}
            }
        }
    }

    /// Reads back a part of the missed output; false if there is nothing more to read.
    fn catch_up(&mut self) -> Result<bool, Failure> {
        let Some(lagged) = self.lagged.take() else {
            return Ok(false);
        };
        if lagged.from >= lagged.to {
            return Ok(false);
        }
        let len = CATCH_UP_BYTES.min(lagged.to - lagged.from);
        let params = json!({
            "session": self.session, "since": lagged.from, "max_bytes": len, "raw": self.is_raw,
        });
        let reply = fetch_within(&self.place, "session.read", &params, None)?.value;
        let (start, end) = (reply.number("start"), reply.number("end"));
        // Lost bytes come before those that were read; if nothing was read, the whole rest is lost.
        let read_from = start.clamp(lagged.from, lagged.to);
        let read_to = end.clamp(read_from, lagged.to);
        if read_to == read_from {
            self.missing_bytes += lagged.to - lagged.from;
            return Ok(false);
        }
        self.missing_bytes += read_from - lagged.from;
        self.lagged = Some(Lagged {
            from: read_to,
            ..lagged
        });
        let bytes = match reply["text"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => decode(reply.text("data_b64"))?,
        };
        // Offsets count bytes, not text.
        let stderr = Some(reply.at("stderr")).filter(|_| self.is_raw);
        let stderr: Vec<[u64; 2]> = stderr.and_then(|all| typed(all).ok()).unwrap_or_default();
        self.parts.extend(parts_of(start, &bytes, &stderr));
        Ok(true)
    }
}

/// Splits output that starts at an offset wherever its stream changes.
fn parts_of(start: u64, bytes: &[u8], stderr: &[[u64; 2]]) -> Vec<OutputChunk> {
    let at = |offset: u64| {
        let at = usize::try_from(offset.saturating_sub(start)).unwrap_or(usize::MAX);
        at.min(bytes.len())
    };
    let (mut parts, mut done) = (Vec::new(), 0);
    for &[from, upto] in stderr {
        let (from, upto) = (at(from).max(done), at(upto).max(done));
        parts.push(OutputChunk::Output(bytes[done..from].to_vec()));
        parts.push(OutputChunk::Error(bytes[from..upto].to_vec()));
        done = upto;
    }
    parts.push(OutputChunk::Output(bytes[done..].to_vec()));
    parts.retain(
        |part| !matches!(part, OutputChunk::Output(bytes) | OutputChunk::Error(bytes) if bytes.is_empty()),
    );
    parts
}

#[cfg(test)]
#[path = "stream_tests.rs"]
mod tests;
