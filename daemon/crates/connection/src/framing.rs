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
