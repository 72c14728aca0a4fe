//! How messages are separated on the socket, on the way in.

use super::frame::Incoming;
use super::outgoing::Form;
use super::shared::Shared;
use super::websocket::WebSocketFrames;
use ccd_protocol::frame::{Frame, LineFrames};

#[derive(Debug)]
pub(super) enum Framing {
    Lines(LineFrames),
    WebSocket(WebSocketFrames),
}

impl Framing {
    /// One message per line.
    pub(super) fn lines(shared: &Shared) -> Self {
        Self::Lines(LineFrames::new(shared.limits.frame_bytes))
    }

    /// One message per text message of a WebSocket.
    pub(super) fn websocket(shared: &Shared) -> Self {
        Self::WebSocket(WebSocketFrames::new(shared.limits.frame_bytes))
    }

    pub(super) fn form(&self) -> Form {
        match self {
            Self::Lines(_) => Form::Line,
            Self::WebSocket(_) => Form::TextFrame,
        }
    }

    /// Returns the next event in `input` and advances `input` past it. `None` means that all of `input` was consumed.
    pub(super) fn next<'a>(&mut self, input: &mut &'a [u8]) -> Option<Incoming<'a>> {
        match self {
            Self::Lines(frames) => frames.next(input).map(of_line),
            Self::WebSocket(frames) => frames.next(input),
        }
    }

    /// Number of bytes of the unfinished message.
    pub(super) fn unfinished_len(&self) -> usize {
        match self {
            Self::Lines(frames) => frames.unfinished_len(),
            Self::WebSocket(frames) => frames.unfinished_len(),
        }
    }

    /// Drops the unfinished message, with what arrives of it later. After it, a WebSocket has no more messages.
    pub(super) fn drop_unfinished(&mut self) {
        match self {
            Self::Lines(frames) => frames.drop_unfinished(),
            Self::WebSocket(frames) => frames.end(),
        }
    }

    /// Returns what was left when the client closed its sending direction.
    pub(super) fn finish(&mut self) -> Option<Incoming<'static>> {
        match self {
            Self::Lines(frames) => frames.finish().map(of_line),
            Self::WebSocket(_) => None,
        }
    }
}

fn of_line(frame: Frame<'_>) -> Incoming<'_> {
    match frame {
        Frame::Line(line) => Incoming::Text(line),
        Frame::TooLong => Incoming::TooLong,
    }
}
