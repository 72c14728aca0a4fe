//! Messages that wait to be written to a client.

use super::frame::{OpCode, header};
use bytes::Bytes;
use serde_json::value::RawValue;
use std::any::Any;
use std::collections::VecDeque;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Instant;

/// If at least this much is unwritten, no more requests are accepted: a client that does not read is not served.
const HIGH_WATER_BYTES: usize = 256 << 10;

/// A message of this size or more is sent without being copied.
const ADOPT_BYTES: usize = 64 << 10;

/// Largest buffer of a quiet connection.
const IDLE_BUFFER_BYTES: usize = 4 << 10;

/// A message for the client, and the place that it takes up until it is written.
#[derive(Debug)]
pub(super) struct Message {
    json: Box<RawValue>,
    place: Option<DropWhenWritten>,
}

/// What is dropped once a message is written.
pub(super) type DropWhenWritten = Arc<dyn Any + Send + Sync>;

impl Message {
    pub(super) fn with_place(json: Box<RawValue>, place: DropWhenWritten) -> Self {
        Self {
            json,
            place: Some(place),
        }
    }

    /// Returns the text of the message, which takes up its place until it is dropped.
    pub(super) fn into_bytes(self) -> Bytes {
        Bytes::from_owner(self)
    }
}

impl AsRef<[u8]> for Message {
    fn as_ref(&self) -> &[u8] {
        self.json.get().as_bytes()
    }
}

impl From<Box<RawValue>> for Message {
    fn from(json: Box<RawValue>) -> Self {
        Self { json, place: None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A newline ends it.
    Line,
    /// It is a text frame of a WebSocket.
    TextFrame,
}

/// Messages in their form, and how much of them has been written.
#[derive(Debug)]
pub(super) struct Outgoing {
    form: Form,
    bytes: Vec<u8>,
    written_len: usize,
    /// Bytes that were ever written.
    written_total: u64,
    /// Places of messages, and the total at which each is written.
    places: VecDeque<(u64, DropWhenWritten)>,
    /// When the client last read something, while data is waiting for it.
    pub(super) blocked_since: Option<Instant>,
}

impl Outgoing {
    pub(super) fn new(form: Form) -> Self {
        Self {
            form,
            bytes: Vec::new(),
            written_len: 0,
            written_total: 0,
            places: VecDeque::new(),
            blocked_since: None,
        }
    }

    pub(super) fn push(&mut self, message: Message) {
        let Message { json, place } = message;
        let text = Box::<str>::from(json).into_boxed_bytes();
        self.compact();
        match self.form {
            Form::Line => self.push_line(text),
            Form::TextFrame => self.push_frame(OpCode::Text, text),
        }
        if let Some(place) = place {
            let unwritten = (self.bytes.len() - self.written_len) as u64;
            self.places
                .push_back((self.written_total + unwritten, place));
        }
    }

    fn push_line(&mut self, text: Box<[u8]>) {
        let start = self.append(text);
        // A raw newline is whitespace between tokens in valid JSON, but would end the line here.
        let mut rest = &mut self.bytes[start..];
        while let Some(at) = memchr::memchr(b'\n', rest) {
            rest[at] = b' ';
            rest = &mut rest[at + 1..];
        }
        self.bytes.push(b'\n');
    }

    pub(super) fn push_frame(&mut self, opcode: OpCode, payload: Box<[u8]>) {
        let header = header(opcode, payload.len());
        let start = self.append(payload);
        self.bytes.splice(start..start, header);
    }

    /// Adds bytes and returns where they start.
    fn append(&mut self, bytes: Box<[u8]>) -> usize {
        let start = self.bytes.len();
        if start == 0 && bytes.len() >= ADOPT_BYTES {
            self.bytes = bytes.into_vec();
        } else {
            self.bytes.extend_from_slice(&bytes);
        }
        start
    }

    /// Writes as much as the socket accepts, without waiting. Returns `Ok` once everything is written.
    /// `WouldBlock` if the rest has to wait; any other error ends the connection.
    pub(super) fn write_to(&mut self, socket: impl AsFd) -> io::Result<()> {
        while self.written_len < self.bytes.len() {
            match rustix::io::write(&socket, &self.bytes[self.written_len..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(len) => {
                    self.written_len += len;
                    self.written_total += len as u64;
                    self.blocked_since = None;
                    self.free_places();
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => {
                    self.blocked_since.get_or_insert_with(Instant::now);
                    return Err(error.into());
                }
            }
        }
        self.written_len = 0;
        self.bytes.clear();
        self.bytes.shrink_to(IDLE_BUFFER_BYTES);
        Ok(())
    }

    fn free_places(&mut self) {
        while let Some((end, _)) = self.places.front()
            && *end <= self.written_total
        {
            self.places.pop_front();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn has_room(&self) -> bool {
        self.bytes.len() - self.written_len < HIGH_WATER_BYTES
    }

    /// Drops written data once it is more than half of the buffer: a client that always lags a little must not make the
    /// buffer grow, and a long reply must not be moved repeatedly.
    fn compact(&mut self) {
        if self.written_len > self.bytes.len() - self.written_len {
            self.bytes.drain(..self.written_len);
            self.written_len = 0;
        }
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        // A client that did not read leaves pieces that the allocator keeps; hundreds of such clients leave much.
        if self.bytes.capacity() >= HIGH_WATER_BYTES / 4 {
            ccd_store::give_back_memory_soon();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::net::UnixStream;
    use tokio::sync::Semaphore;

    fn raw(json: &str) -> Message {
        RawValue::from_string(json.to_owned()).unwrap().into()
    }

    #[test]
    fn every_message_becomes_one_line() {
        let (near, mut far) = UnixStream::pair().unwrap();
        let mut outgoing = Outgoing::new(Form::Line);
        outgoing.push(raw("{\"a\":\n1\n}"));
        outgoing.push(raw("2"));
        outgoing.write_to(&near).unwrap();
        drop(near);
        let mut text = String::new();
        far.read_to_string(&mut text).unwrap();
        assert_eq!(text, "{\"a\": 1 }\n2\n");
    }

    #[test]
    fn a_client_that_is_always_behind_does_not_make_the_buffer_grow() {
        let (near, mut far) = UnixStream::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        let mut outgoing = Outgoing::new(Form::Line);
        let text = format!("\"{}\"", "x".repeat(1000));
        let mut taken = [0; 10_000];
        for _ in 0..2000 {
            while outgoing.has_room() {
                outgoing.push(raw(&text));
            }
            let error = outgoing.write_to(&near).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
            far.read_exact(&mut taken).unwrap();
        }
        assert!(outgoing.bytes.capacity() < 4 * HIGH_WATER_BYTES);
    }

    #[test]
    fn a_client_that_does_not_read_blocks_and_the_buffer_shrinks_afterwards() {
        let (near, mut far) = UnixStream::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        let mut outgoing = Outgoing::new(Form::Line);
        let text = format!("\"{}\"", "x".repeat(4 << 20));
        outgoing.push(raw(&text));
        let error = outgoing.write_to(&near).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        assert!(outgoing.blocked_since.is_some() && !outgoing.has_room());
        let reader = std::thread::spawn(move || {
            let mut all = vec![0; text.len() + 1];
            far.read_exact(&mut all).unwrap();
            (all, far)
        });
        near.set_nonblocking(false).unwrap();
        outgoing.write_to(&near).unwrap();
        assert_eq!(reader.join().unwrap().0.last(), Some(&b'\n'));
        assert!(outgoing.is_empty() && outgoing.blocked_since.is_none());
        assert!(outgoing.bytes.capacity() <= IDLE_BUFFER_BYTES);
    }

    #[test]
    fn a_place_is_free_once_its_message_is_written() {
        let (near, mut far) = UnixStream::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        let places = Arc::new(Semaphore::new(2));
        for form in [Form::Line, Form::TextFrame] {
            let mut outgoing = Outgoing::new(form);
            for len in [10, 4 << 20] {
                let place = Arc::clone(&places).try_acquire_owned().unwrap();
                let text = format!("\"{}\"", "x".repeat(len));
                let json = RawValue::from_string(text).unwrap();
                outgoing.push(Message::with_place(json, Arc::new(place)));
            }
            assert!(outgoing.write_to(&near).is_err());
            assert_eq!(places.available_permits(), 1, "the first one is written");
            let mut taken = [0; 10_000];
            while outgoing.write_to(&near).is_err() {
                far.read_exact(&mut taken).unwrap();
            }
            assert_eq!(places.available_permits(), 2);
            far.set_nonblocking(true).unwrap();
            while far.read(&mut taken).is_ok() {}
            far.set_nonblocking(false).unwrap();
        }
    }

    #[test]
    fn a_message_of_any_size_becomes_one_frame() {
        for (len, header) in [
            (3, vec![0x81, 3]),
            (300, vec![0x81, 126, 1, 44]),
            (70_000, vec![0x81, 127, 0, 0, 0, 0, 0, 1, 0x11, 0x70]),
        ] {
            let mut outgoing = Outgoing::new(Form::TextFrame);
            let text = format!("\"{}\"", "x".repeat(len - 2));
            outgoing.push(raw(&text));
            assert_eq!(outgoing.bytes, [header, text.into_bytes()].concat());
        }
    }
}
