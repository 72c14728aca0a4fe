//! Messages that wait to be written to a client.

use serde_json::value::RawValue;
use std::io;
use std::os::fd::AsFd;
use std::time::Instant;

/// If at least this much is unwritten, no more requests are accepted: a client that does not read is not served.
const HIGH_WATER_BYTES: usize = 256 << 10;

/// A message of this size or more is sent without being copied.
const ADOPT_BYTES: usize = 64 << 10;

/// Largest buffer of a quiet connection.
const IDLE_BUFFER_BYTES: usize = 4 << 10;

/// Messages as lines, and how much of them has been written.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    bytes: Vec<u8>,
    written_len: usize,
    /// When the client last read something, while data is waiting for it.
    pub(super) blocked_since: Option<Instant>,
}

impl Outgoing {
    /// Adds a message.
    pub(super) fn push(&mut self, message: Box<RawValue>) {
        let message = Box::<str>::from(message).into_boxed_bytes();
        self.compact();
        let start = self.bytes.len();
        if start == 0 && message.len() >= ADOPT_BYTES {
            self.bytes = message.into_vec();
        } else {
            self.bytes.extend_from_slice(&message);
        }
        // A raw newline is whitespace between tokens in valid JSON, but would end the line here.
        let mut rest = &mut self.bytes[start..];
        while let Some(at) = memchr::memchr(b'\n', rest) {
            rest[at] = b' ';
            rest = &mut rest[at + 1..];
        }
        self.bytes.push(b'\n');
    }

    /// Writes as much as the socket accepts, without waiting. Returns `Ok` once everything is written.
    ///
    /// # Errors
    ///
    /// `WouldBlock` if the rest has to wait; any other error ends the connection.
    pub(super) fn write_to(&mut self, socket: impl AsFd) -> io::Result<()> {
        while self.written_len < self.bytes.len() {
            match rustix::io::write(&socket, &self.bytes[self.written_len..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(len) => {
                    self.written_len += len;
                    self.blocked_since = None;
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

    /// Returns whether everything is written.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns whether more messages may be added.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn every_message_becomes_one_line() {
        let (near, mut far) = UnixStream::pair().unwrap();
        let mut outgoing = Outgoing::default();
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
        let mut outgoing = Outgoing::default();
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
        let mut outgoing = Outgoing::default();
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
}
