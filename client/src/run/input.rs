//! Sends standard input to the program.

use super::grace::wait;
use super::interrupt::Interrupts;
use super::pace::InputPace;
use super::typing::Typing;
use crate::Failure;
use crate::call::{Connection, DaemonAddress, close, written_bytes};
use crate::context::{note, write_error};
use crate::output::encode;
use crate::tape::{Misses, block, ends_conversation, is_final, line, miss_of};
use crate::terminal::MAX_KEYS_LEN;
use crate::writer::escape;
use ccd_protocol::session::{SessionSend, SessionSendParams, WaitFor};
use ccd_protocol::{ErrorCode, ErrorObject, Timeout};
use std::io::{self, Read};
use std::time::{Duration, Instant};

/// Most bytes of one read; the next read follows when the program has taken them.
const READ_BYTES: usize = 32 << 10;

/// How often in a row one request may be lost.
const MAX_LOSSES: u32 = 5;

const INTERRUPT_KEY: u8 = 0x03;

/// Pause before a busy session is asked again.
const BUSY_PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(crate) struct Forward {
    pub(crate) place: DaemonAddress,
    pub(crate) connection: Connection,
    pub(crate) session: String,
    pub(crate) has_warned: bool,
    /// The program has pipes: it can read a line that has not ended.
    pub(crate) is_piped: bool,
    /// True if tapes are used: then an error is reported and ends the run.
    pub(crate) is_taped: bool,
    /// Inputs that are on no tape, and why the session takes no more input.
    pub(crate) misses: Misses,
}

impl Forward {
    /// Sends keys as they are typed, until the input or the session ends.
    pub(crate) fn keys(mut self, mut input: impl Read) {
        let mut interrupts = Interrupts::default();
        let mut buffer = [0; MAX_KEYS_LEN];
        while let Some(keys) = read_some(&mut input, &mut buffer) {
            let is_closed = keys
                .iter()
                .filter(|&&key| key == INTERRUPT_KEY)
                .any(|_| interrupts.is_again(Instant::now()));
            match self.send(keys, false) {
                // The line is dropped, and the conversation continues.
                Err(failure) if miss_of(&failure).is_some_and(|miss| !ends_conversation(miss)) => {
                    report_at_terminal(&failure);
                }
                Err(failure) => return self.give_up(&failure),
                Ok(()) => {}
            }
            if is_closed && close(&self.place, &self.session).is_err() {
                return;
            }
        }
    }

    /// Sends bytes so that the program reads exactly these, then the end of input.
    pub(crate) fn bytes(mut self, mut input: impl Read, mut pace: InputPace) {
        let mut typing = Typing::default();
        let mut buffer = [0; READ_BYTES];
        while let Some(mut bytes) = read_some(&mut input, &mut buffer) {
            while !bytes.is_empty() {
                let (piece, rest) = bytes.split_at(pace.next_len(bytes));
                bytes = rest;
                pace.wait(&self.place, &self.session);
                let mut keys = typing.keys(piece);
                if self.is_piped && bytes.is_empty() {
                    keys.extend_from_slice(typing.hand_over());
                }
                if let Err(failure) = self.send(&keys, false) {
                    return self.give_up(&failure);
                }
            }
        }
        pace.wait(&self.place, &self.session);
        // The session may have ended in the meantime; then nobody reads this.
        if let Err(failure) = self.send(typing.hand_over(), true) {
            self.give_up(&failure);
        }
    }

    /// Ends the program if its input is on no tape, after its remaining output has arrived, or if the session takes no
    /// more input.
    fn give_up(&mut self, failure: &Failure) {
        let error = match failure.refusal() {
            Some(error) if self.is_taped && is_final(error) => {
                self.misses.add(error);
                let _ = close(&self.place, &self.session);
                return;
            }
            _ => miss_of(failure),
        };
        let Some(error) = error else {
            return;
        };
        self.misses.add(error);
        wait(&self.place, &self.session, WaitFor::Idle, Timeout::Default);
        let _ = close(&self.place, &self.session);
    }

    /// Sends bytes and waits until the program has read them; `is_end` marks the end of the input.
    /// An unanswered send is not repeated, because it may have been typed; but the end of the input is sent again.
    fn send(&mut self, mut bytes: &[u8], is_end: bool) -> Result<(), Failure> {
        let mut losses = 0;
        loop {
            let params = SessionSendParams {
                session: self.session.clone(),
                data_b64: Some(encode(bytes)),
                eof: is_end,
                ..SessionSendParams::default()
            };
            let failure = match self.connection.call::<SessionSend>(&params) {
                Ok(_) => return Ok(()),
                Err(failure) => failure,
            };
            if let Failure::Lost { was_read, .. } = failure {
                losses += 1;
                if losses > MAX_LOSSES {
                    return Err(failure);
                }
                self.connection = Connection::over(self.place.connect()?);
                if !was_read {
                    continue;
                }
                self.warn(bytes.len());
                if !is_end {
                    return Ok(());
                }
                bytes = &[];
                continue;
            }
            let code = failure.refusal().and_then(ErrorObject::known);
            if code == Some(ErrorCode::Busy) {
                std::thread::sleep(BUSY_PAUSE);
                continue;
            }
            let Some(written) = written_before_full(&failure) else {
                return Err(failure);
            };
            if code == Some(ErrorCode::HandedOver) {
                self.connection = Connection::over(self.place.connect()?);
            }
            losses = 0;
            bytes = bytes.get(written..).unwrap_or_default();
        }
    }

    fn warn(&mut self, len: usize) {
        if len > 0 && !std::mem::replace(&mut self.has_warned, true) {
            note(&lost_input(len));
        }
    }
}

fn lost_input(len: usize) -> String {
    format!("run: the daemon was restarted or killed: up to {len} bytes of input may be lost")
}

/// Reports a miss in raw mode, in which a line starts at the cursor.
fn report_at_terminal(failure: &Failure) {
    let mut lines = miss_of(failure).map(block).unwrap_or_default();
    lines.push(line("quit", "Ctrl-C twice"));
    // The cursor goes to the first column.
    let newline = format!("\n{}[G", escape());
    write_error(
        &format!("{newline}{}{newline}", lines.join(&newline)),
        false,
    );
}

/// How much was taken if the program does not read at the moment, or a handover interrupted the send; `None` for any
/// other failure.
fn written_before_full(failure: &Failure) -> Option<usize> {
    let error = failure.refusal()?;
    let knows = [Some(ErrorCode::InputFull), Some(ErrorCode::HandedOver)];
    if !knows.contains(&error.known()) {
        return None;
    }
    written_bytes(error)
}

/// The next bytes; `None` at the end of the input, and if it cannot be read.
fn read_some<'a>(input: &mut impl Read, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    loop {
        match input.read(buffer) {
            Ok(0) => return None,
            Ok(len) => return Some(&buffer[..len]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;
