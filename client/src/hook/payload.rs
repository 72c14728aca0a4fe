//! The payload on standard input, made ready to be part of one line of JSON.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ccd_protocol::frame::FRAME_LIMIT_BYTES;
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::BorrowedFd;
use rustix::io::{Errno, read as read_some};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::string::FromUtf8Error;
use std::time::Instant;

const ENVELOPE_BYTES: usize = 4096;

/// The longest JSON that fits into a request.
pub(super) const MAX_JSON_BYTES: usize = FRAME_LIMIT_BYTES - ENVELOPE_BYTES;

/// The longest bytes that fit into a request in base64; a longer payload loses its end.
const MAX_BYTES: usize = MAX_JSON_BYTES / 4 * 3;

/// First size of the buffer: what a pipe holds.
const BUFFER_BYTES: usize = 64 << 10;

/// A payload, as it becomes part of a request.
#[derive(Debug)]
pub(super) enum Payload {
    /// A JSON object on one line.
    Object { text: String, names: Names },
    /// Anything else, in base64.
    Bytes(String),
}

/// The members of a payload that name a delivery, each as written. Everything else is only checked.
#[derive(Debug, Deserialize)]
pub(super) struct Names {
    #[serde(default)]
    pub(super) session_id: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) hook_event_name: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) tool_use_id: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) prompt_id: Option<Box<RawValue>>,
}

impl Payload {
    /// Makes a payload of what was read; `None` if that is blank.
    pub(super) fn of(read: Vec<u8>) -> Option<Self> {
        if read.trim_ascii().is_empty() {
            return None;
        }
        Some(match object(read) {
            Ok((text, names)) => Self::Object { text, names },
            Err(bytes) => Self::Bytes(STANDARD.encode(&bytes[..bytes.len().min(MAX_BYTES)])),
        })
    }

    pub(super) fn text(&self) -> &str {
        match self {
            Self::Object { text, .. } | Self::Bytes(text) => text,
        }
    }
}

/// Returns the JSON object that was read, on one line; the bytes if they are anything else, or do not fit into a request.
/// It is read once, and no values are built of it, so neither its size nor its depth matters.
fn object(read: Vec<u8>) -> Result<(String, Names), Vec<u8>> {
    let text = String::from_utf8(read).map_err(FromUtf8Error::into_bytes)?;
    let json = text.trim_ascii();
    let names = if json.starts_with('{') && json.len() <= MAX_JSON_BYTES {
        serde_json::from_str(json).ok()
    } else {
        None
    };
    match names {
        None => Err(text.into_bytes()),
        // In a string, JSON spells it \n. So these are between the tokens, where a space means the same.
        Some(names) if json.contains('\n') => Ok((json.replace('\n', " "), names)),
        Some(names) if json.len() == text.len() => Ok((text, names)),
        Some(names) => Ok((json.to_owned(), names)),
    }
}

/// Reads to the end of the first JSON object, because a writer may keep its end open, or else to the end, or until
/// `deadline`. Bytes that no request could hold are read, for the writer's sake, and dropped.
pub(super) fn read(from: BorrowedFd<'_>, deadline: Instant) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(BUFFER_BYTES);
    let mut object = ObjectScan::default();
    // A file without end is always ready.
    let is_over = |len| len > MAX_JSON_BYTES && Instant::now() >= deadline;
    while !object.is_complete && !is_over(bytes.len()) && is_ready(from, PollFlags::IN, deadline) {
        if bytes.len() == bytes.capacity() {
            match bytes.len() {
                0..=MAX_JSON_BYTES => bytes.reserve(bytes.len()),
                _ => bytes.truncate(MAX_JSON_BYTES + 1),
            }
        }
        let len = bytes.len();
        match read_some(from, spare_capacity(&mut bytes)) {
            Ok(0) => break,
            Ok(_) => object.feed(&bytes[len..]),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => break,
        }
    }
    bytes
}

/// Finds the end of a JSON object in bytes as they arrive. Whether it is one is up to the parser.
#[derive(Debug, Default)]
struct ObjectScan {
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
    is_complete: bool,
}

impl ObjectScan {
    fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = self.is_in_string,
                b'"' => self.is_in_string = !self.is_in_string,
                _ if self.is_in_string => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.is_complete |= self.depth == 0;
                }
                _ => {}
            }
        }
    }
}

/// Waits until the descriptor can be used or is closed; false if that does not happen before `deadline`.
pub(super) fn is_ready(descriptor: BorrowedFd<'_>, how: PollFlags, deadline: Instant) -> bool {
    loop {
        let rest = deadline.saturating_duration_since(Instant::now());
        let Ok(rest) = Timespec::try_from(rest) else {
            return false;
        };
        match poll(
            &mut [PollFd::from_borrowed_fd(descriptor, how)],
            Some(&rest),
        ) {
            Ok(ready) => return ready > 0,
            Err(Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fd::AsFd as _;
    use std::io::Write as _;
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    fn payload(bytes: &[u8]) -> Option<Payload> {
        Payload::of(bytes.to_vec())
    }

    #[test]
    fn an_object_becomes_one_line_of_the_same_json() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(9999), "]".repeat(9999));
        for (read, line) in [
            ("{\"a\":1}", "{\"a\":1}"),
            (" \n{\"a\":\n\t\"\\n\"}\r\n", "{\"a\": \t\"\\n\"}"),
            ("{\"a\":\"ä\"}\n", "{\"a\":\"ä\"}"),
            (&deep, &deep),
        ] {
            let payload = payload(read.as_bytes()).unwrap();
            assert!(matches!(&payload, Payload::Object { text, .. } if text == line));
        }
    }

    #[test]
    fn anything_else_is_passed_on_as_bytes() {
        for bytes in [
            &b"{\"a\":1"[..],
            b"{\"a\":\"\xff\"}",
            b"{\"a\":\"\n\"}",
            b"{} {}",
            b"[1]",
            b"null",
            b"\x00\x01",
            b"{\"session_id\":1,\"session_id\":2}",
        ] {
            let payload = payload(bytes).unwrap();
            assert!(matches!(&payload, Payload::Bytes(text) if *text == STANDARD.encode(bytes)));
        }
        assert!(payload(b" \n").is_none());
        assert!(payload(b"").is_none());
    }

    #[test]
    fn a_payload_that_no_request_could_hold_loses_its_end() {
        let mut long = vec![b' '; FRAME_LIMIT_BYTES];
        (long[0], long[FRAME_LIMIT_BYTES - 1]) = (b'{', b'}');
        let Some(Payload::Bytes(text)) = Payload::of(long) else {
            panic!("it is too long for an object");
        };
        assert_eq!(text.len(), MAX_BYTES.div_ceil(3) * 4);
        assert!(text.len() + ENVELOPE_BYTES <= FRAME_LIMIT_BYTES);
    }

    #[test]
    fn all_is_read_even_what_is_dropped() {
        let long = FRAME_LIMIT_BYTES + 9_999;
        for len in [0, 1, BUFFER_BYTES, BUFFER_BYTES + 1, long] {
            let (reader, mut writer) = UnixStream::pair().unwrap();
            let write = std::thread::spawn(move || writer.write_all(&vec![b'x'; len]));
            let read = read(reader.as_fd(), Instant::now() + Duration::from_secs(60));
            assert!(write.join().unwrap().is_ok());
            if len <= MAX_JSON_BYTES {
                assert_eq!(read.len(), len);
            } else {
                assert!(read.len() > MAX_JSON_BYTES);
            }
        }
        // A file without end is left at the deadline.
        let zero = std::fs::File::open("/dev/zero").unwrap();
        let bytes = read(zero.as_fd(), Instant::now() + Duration::from_millis(50));
        assert!(bytes.len() > MAX_JSON_BYTES);
    }

    #[test]
    fn an_object_is_complete_at_the_brace_that_closes_it() {
        for (parts, is_complete) in [
            (&["{}"][..], true),
            (&[" \n{\"a\": [{}, \"}\"], \"b\": {}}\n"], true),
            (&["{\"a\":\"\\\"}\"", "}"], true),
            (&["{\"a\":\"\\", "\"}\"}"], true),
            (&["{\"a\":\"\\\\\"}"], true),
            (&["{\"a\"", ":", "1", "}"], true),
            (&["{\"a\": {}"], false),
            (&["{\"a\": \"}"], false),
            (&["\"{}\""], false),
            (&["null", ""], false),
        ] {
            let mut object = ObjectScan::default();
            for part in parts {
                assert!(!object.is_complete, "{parts:?}");
                object.feed(part.as_bytes());
            }
            assert_eq!(object.is_complete, is_complete, "{parts:?}");
        }
    }

    #[test]
    fn names_of_any_type_are_taken_as_written() {
        let payload = payload(br#"{"session_id":7,"prompt_id":null,"x":{"tool_use_id":"y"}}"#);
        let Some(Payload::Object { names, .. }) = payload else {
            panic!("it is an object");
        };
        assert_eq!(names.session_id.unwrap().get(), "7");
        assert!(names.prompt_id.is_none() && names.tool_use_id.is_none());
    }
}
