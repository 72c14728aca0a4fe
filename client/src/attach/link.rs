//! Sends input to the session: one send at a time, the rest waits in a queue.

use super::CLIENT_NAME;
use crate::args::Size;
use crate::call::{request_line, written, written_bytes};
use crate::detach_keys::{Look, LookKeys};
use crate::lifeline::Lifeline;
use crate::output::encode;
use crate::tape::ends_conversation;
use crate::terminal::MAX_KEYS_LEN;
use ccd_protocol::session::{
    SessionPan, SessionPanParams, SessionResize, SessionResizeParams, SessionSend,
    SessionSendParams,
};
use ccd_protocol::{ErrorCode, ErrorObject, Method};
use parking_lot::Mutex;
use serde::Serialize;
use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

/// Most bytes that wait while the program does not read; further input is refused.
const MAX_WAITING_BYTES: usize = 16 << 20;

/// First id of the requests sent here; lower ids belong to the code that made the connection.
const FIRST_ID: u64 = 1000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Detached,
    Refused,
    Signal(i32),
    /// The user's terminal was closed.
    NoInput,
    Panic,
}

#[derive(Debug, Clone)]
pub(super) struct Link {
    state: Arc<Mutex<LinkState>>,
    lifeline: Lifeline,
}

#[derive(Debug, Default)]
struct LinkState {
    session: String,
    stream: Option<UnixStream>,
    next_id: u64,
    waiting: Vec<u8>,
    sent: Option<(u64, Vec<u8>)>,
    /// The size that the daemon knows.
    size: Size,
    /// The size of the session, as far as it was drawn for this terminal.
    session_size: Size,
    stop: Option<Stop>,
    /// Nobody else uses the session, so the viewer stops when the session takes no more input.
    is_own: bool,
    refusal: Option<ErrorObject>,
    /// Input that was not typed, and why.
    troubles: Vec<String>,
}

impl Link {
    pub(super) fn new(session: &str, is_own: bool, lifeline: Lifeline) -> Self {
        Self {
            state: Arc::new(Mutex::new(LinkState {
                session: session.to_owned(),
                next_id: FIRST_ID,
                is_own,
                ..LinkState::default()
            })),
            lifeline,
        }
    }

    /// Uses `stream` from now on, and sends waiting input there. The daemon knows that the terminal has `size`.
    pub(super) fn open(&self, stream: UnixStream, size: Size) {
        let mut state = self.state.lock();
        state.stream = Some(stream);
        state.size = size;
        state.send_next();
    }

    /// The connection was closed. An unanswered send may have been typed, unless it is known not to have been read; it
    /// is never repeated.
    pub(super) fn close(&self, was_read: bool) {
        let mut state = self.state.lock();
        state.stream = None;
        if let Some((_, bytes)) = state.sent.take() {
            if was_read {
                let text = "the daemon restarted: keys typed at that moment may be lost";
                state.trouble(text.to_owned());
            } else {
                state.put_back(bytes);
            }
        }
    }

    /// Types bytes now or later; false if too many wait already.
    pub(super) fn type_bytes(&self, bytes: &[u8]) -> bool {
        let mut state = self.state.lock();
        if state.waiting.len() + bytes.len() > MAX_WAITING_BYTES {
            state.trouble(format!("{} bytes: the program does not read", bytes.len()));
            return false;
        }
        state.waiting.extend_from_slice(bytes);
        state.send_next();
        true
    }

    pub(super) fn resize(&self, size: Size) {
        let mut state = self.state.lock();
        if state.size == size || state.stream.is_none() {
            return; // the next connection starts with the current size
        }
        state.size = size;
        state.request_size();
    }

    /// The session was drawn with this size.
    pub(super) fn drawn(&self, session_size: Size) {
        self.state.lock().session_size = session_size;
    }

    pub(super) fn look_keys(&self, read_only: bool) -> LookKeys {
        let state = self.state.lock();
        match (state.size == state.session_size, read_only) {
            (true, _) => LookKeys::None,
            (false, true) => LookKeys::Alone,
            (false, false) => LookKeys::AfterFirst,
        }
    }

    pub(super) fn look(&self, look: Look) {
        let mut state = self.state.lock();
        match look {
            Look::Move { rows, cols } => {
                let session = state.session.clone();
                let params = SessionPanParams {
                    session,
                    rows,
                    cols,
                };
                state.request::<SessionPan>(&params);
            }
            Look::Fit => state.request_size(),
        }
    }

    /// Takes the reply to a request; false if input was not typed.
    pub(super) fn answered(&self, id: u64, error: Option<&ErrorObject>) -> bool {
        let mut state = self.state.lock();
        let Some((_, bytes)) = state.sent.take_if(|sent| sent.0 == id) else {
            return true;
        };
        let was_typed = match error {
            None => true,
            Some(error) if state.is_own && ends_conversation(error) => {
                state.refusal.get_or_insert_with(|| error.clone());
                drop(state);
                self.stop(Stop::Refused);
                return true;
            }
            Some(error) => state.refused(bytes, error),
        };
        state.send_next();
        was_typed
    }

    /// Ends the link; the first reason is kept.
    pub(super) fn stop(&self, stop: Stop) {
        self.state.lock().stop.get_or_insert(stop);
        self.lifeline.cut();
    }

    /// Closes the connection, so that another one is made and the screen is drawn again.
    pub(super) fn again(&self) {
        if let Some(stream) = &self.state.lock().stream {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }

    pub(super) fn stopped(&self) -> Option<Stop> {
        self.state.lock().stop
    }

    /// Why the session takes no more input, if that ended the link.
    pub(super) fn refusal(&self) -> Option<ErrorObject> {
        self.state.lock().refusal.take()
    }

    pub(super) fn troubles(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().troubles)
    }
}

impl LinkState {
    fn send_next(&mut self) {
        if self.sent.is_some() || self.waiting.is_empty() || self.stream.is_none() {
            return;
        }
        let len = self.waiting.len().min(MAX_KEYS_LEN);
        let rest = self.waiting.split_off(len);
        let bytes = std::mem::replace(&mut self.waiting, rest);
        let params = SessionSendParams {
            session: self.session.clone(),
            data_b64: Some(encode(&bytes)),
            ..SessionSendParams::default()
        };
        let id = self.request::<SessionSend>(&params);
        self.sent = Some((id, bytes));
    }

    fn request_size(&mut self) {
        let params = SessionResizeParams {
            session: self.session.clone(),
            rows: self.size.rows,
            cols: self.size.cols,
        };
        self.request::<SessionResize>(&params);
    }

    /// Sends a request; the reply arrives on the same connection. If that was closed, its reader notices.
    fn request<M: Method<Params: Serialize>>(&mut self, params: &M::Params) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        if let Some(stream) = &mut self.stream
            && let Ok(params) = written(M::NAME, params)
            && let Ok(line) = request_line(id, M::NAME, &params, CLIENT_NAME)
        {
            let _ = stream.write_all(&line);
        }
        id
    }

    /// Handles input that was not typed: it waits if the program merely does not read at the moment.
    fn refused(&mut self, bytes: Vec<u8>, error: &ErrorObject) -> bool {
        match error.known() {
            Some(ErrorCode::InputFull | ErrorCode::HandedOver) => {
                let rest = bytes
                    .get(written_bytes(error).unwrap_or(0)..)
                    .unwrap_or_default();
                self.put_back(rest.to_vec());
                true
            }
            // These are reported elsewhere: the end of the session, and a line that is on no tape.
            Some(ErrorCode::SessionNotAlive | ErrorCode::TapeMiss) => true,
            _ => {
                self.trouble(format!("{} bytes: {}", bytes.len(), error.message));
                false
            }
        }
    }

    fn put_back(&mut self, mut bytes: Vec<u8>) {
        bytes.append(&mut self.waiting);
        self.waiting = bytes;
    }

    /// Notes a trouble, each one once.
    fn trouble(&mut self, text: String) {
        const MAX_TROUBLES: usize = 10;
        if self.troubles.len() < MAX_TROUBLES && !self.troubles.contains(&text) {
            self.troubles.push(text);
        }
    }
}
