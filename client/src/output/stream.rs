//! A session's output as it comes, with what a slow reader missed read back.

use super::follow::Follow;
use crate::call::{Connection, call_at};
use crate::connect::Place;
use crate::failure::Failure;
use crate::lifeline::Lifeline;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use ccd_protocol::session::{
    Ended, Lagged, OutputEvent, SessionRead, SessionReadParams, SessionReadReply,
    SessionSubscribeParams,
};
use std::collections::VecDeque;
use std::io::IsTerminal as _;

/// How much is read back at a time.
const CATCH_UP_BYTES: u64 = 1 << 20;

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Output(Vec<u8>),
    /// Standard error of a program between pipes.
    Error(Vec<u8>),
    /// So many bytes are neither in memory nor in the log.
    Missing(u64),
    /// The session has ended, and this was all.
    Ended(Ended),
}

/// In which form output comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// Without control sequences.
    Text,
    /// With them, as a terminal may show it.
    Raw,
    /// Each byte as it was written.
    Exact,
}

/// Output of one session from an offset on.
#[derive(Debug)]
pub(crate) struct Output {
    place: Place,
    follow: Follow,
    session: String,
    is_raw: bool,
    /// Parts of what came last.
    parts: VecDeque<Piece>,
    /// What is to be read back before the next item.
    lagged: Option<Lagged>,
    missing_bytes: u64,
}

impl Output {
    /// Subscribes on `connection`, which is used for nothing else from now on.
    ///
    /// `place` leads to further connections: for what has to be read back, and to go on after a hand-over. Raw output
    /// has its control sequences; of a program between pipes it is as it was written. `lifeline` is told of the connection that takes the place of this one.
    ///
    /// # Errors
    ///
    /// Those of the call.
    pub(crate) fn start(
        place: Place,
        connection: Connection,
        session: &str,
        since: u64,
        content: Content,
        lifeline: Option<Lifeline>,
    ) -> Result<Self, Failure> {
        let is_raw = content != Content::Text;
        let params = SessionSubscribeParams {
            session: session.to_owned(),
            since: Some(since),
            // The daemon has answered them; our terminal would do it once more, as if it were typed.
            strip_queries: content == Content::Raw && std::io::stdout().is_terminal(),
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

    /// Waits for the next piece.
    ///
    /// # Errors
    ///
    /// [`Failure::Lost`] when nobody goes on with the session, else those of reading back.
    pub(crate) fn next(&mut self) -> Result<Piece, Failure> {
        loop {
            if let Some(part) = self.parts.pop_front() {
                return Ok(part);
            }
            if self.catch_up()? {
                continue;
            }
            if self.missing_bytes > 0 {
                return Ok(Piece::Missing(std::mem::take(&mut self.missing_bytes)));
            }
            match self.follow.next()?.item.event {
                OutputEvent::Output {
                    text: Some(text), ..
                } if !self.is_raw => return Ok(Piece::Output(text.into_bytes())),
                OutputEvent::Output {
                    start,
                    data_b64,
                    stderr,
                    ..
                } => self
                    .parts
                    .extend(parts_of(start, &decode(&data_b64)?, &stderr)),
                OutputEvent::Lagged { lagged } => self.lagged = Some(lagged),
                OutputEvent::Ended { ended } => return Ok(Piece::Ended(ended)),
                OutputEvent::KeepAlive { .. } | OutputEvent::Repaint { .. } => {}
            }
        }
    }

    /// Reads back a part of what was missed; false when there is nothing more to read.
    fn catch_up(&mut self) -> Result<bool, Failure> {
        let Some(lagged) = self.lagged.take() else {
            return Ok(false);
        };
        if lagged.from >= lagged.to {
            return Ok(false);
        }
        let params = SessionReadParams {
            session: self.session.clone(),
            since: Some(lagged.from),
            lines: None,
            max_bytes: Some(CATCH_UP_BYTES.min(lagged.to - lagged.from)),
            raw: self.is_raw,
        };
        let reply = call_at::<SessionRead>(&self.place, &params)?.value;
        // Lost bytes stand before what was read; where nothing was read, all that is left is lost.
        let read_from = reply.start.clamp(lagged.from, lagged.to);
        let read_to = reply.end.clamp(read_from, lagged.to);
        if read_to == read_from {
            self.missing_bytes += lagged.to - lagged.from;
            return Ok(false);
        }
        self.missing_bytes += read_from - lagged.from;
        self.lagged = Some(Lagged {
            from: read_to,
            ..lagged
        });
        let bytes = bytes_of(&reply)?;
        // Offsets are those of bytes, not of text.
        let stderr = match self.is_raw {
            true => &reply.stderr[..],
            false => &[],
        };
        self.parts.extend(parts_of(reply.start, &bytes, stderr));
        Ok(true)
    }
}

/// Cuts output that begins at an offset where its stream changes.
fn parts_of(start: u64, bytes: &[u8], stderr: &[[u64; 2]]) -> Vec<Piece> {
    let at = |offset: u64| {
        let at = usize::try_from(offset.saturating_sub(start)).unwrap_or(usize::MAX);
        at.min(bytes.len())
    };
    let (mut parts, mut done) = (Vec::new(), 0);
    for &[from, upto] in stderr {
        let (from, upto) = (at(from).max(done), at(upto).max(done));
        parts.push(Piece::Output(bytes[done..from].to_vec()));
        parts.push(Piece::Error(bytes[from..upto].to_vec()));
        done = upto;
    }
    parts.push(Piece::Output(bytes[done..].to_vec()));
    parts.retain(
        |part| !matches!(part, Piece::Output(bytes) | Piece::Error(bytes) if bytes.is_empty()),
    );
    parts
}

/// Returns what a reply holds, text or bytes.
///
/// # Errors
///
/// [`Failure::Garbled`] when the bytes are not base64.
pub(crate) fn bytes_of(reply: &SessionReadReply) -> Result<Vec<u8>, Failure> {
    match (&reply.text, &reply.data_b64) {
        (Some(text), _) => Ok(text.clone().into_bytes()),
        (None, Some(data)) => decode(data),
        (None, None) => Ok(Vec::new()),
    }
}

/// Returns the bytes behind a text in base64.
///
/// # Errors
///
/// [`Failure::Garbled`] when it is none.
pub(crate) fn decode(data: &str) -> Result<Vec<u8>, Failure> {
    BASE64.decode(data).map_err(|error| Failure::Garbled {
        method: "output".to_owned(),
        why: error.to_string(),
    })
}

#[cfg(test)]
#[path = "stream_tests.rs"]
mod tests;
