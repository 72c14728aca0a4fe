//! A connection to the daemon that itself costs as little as possible.

use crate::Result;
use ccd_protocol::Method;
use rustix::event::{PollFd, PollFlags, poll};
use serde::Deserialize;
use serde_json::json;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;

/// Buffer size for one read; grows if a reply is longer.
const READ_BYTES: usize = 64 << 10;

/// A connection for the line transport.
#[derive(Debug)]
pub(crate) struct Wire {
    stream: UnixStream,
    buffer: Vec<u8>,
}

/// A request that was serialised before the clock started.
#[derive(Debug, Clone)]
pub(crate) struct Request(Vec<u8>);

#[derive(Deserialize)]
struct Answer<R> {
    result: Option<R>,
    error: Option<serde_json::Value>,
}

impl Request {
    pub(crate) fn new<M: Method>(params: &M::Params) -> Result<Self> {
        let params = serde_json::to_value(params)?;
        let line = json!({"jsonrpc": "2.0", "id": 1, "method": M::NAME, "params": params});
        Ok(Self(format!("{line}\n").into_bytes()))
    }
}

impl Wire {
    pub(crate) fn open(socket: &Path) -> Result<Self> {
        Ok(Self {
            stream: UnixStream::connect(socket)?,
            buffer: vec![0; READ_BYTES],
        })
    }

    /// Sends a request and returns the line of its reply, without parsing it.
    pub(crate) fn exchange(&mut self, request: &Request) -> Result<&[u8]> {
        self.stream.write_all(&request.0)?;
        read_line(&mut self.stream, &mut self.buffer, |_| true)
    }

    /// Sends a request and returns its result.
    pub(crate) fn call<M: Method>(&mut self, params: &M::Params) -> Result<M::Reply> {
        let request = Request::new::<M>(params)?;
        result_of::<M>(self.exchange(&request)?)
    }
}

/// Reads lines until the last one is a reply, and returns what came at once, without parsing it.
pub(crate) fn read_line<'a>(
    stream: &mut (impl Read + AsFd),
    buffer: &'a mut Vec<u8>,
    is_reply: impl Fn(&[u8]) -> bool,
) -> Result<&'a [u8]> {
    let mut filled = 0;
    loop {
        if filled == buffer.len() {
            buffer.resize((filled * 2).max(READ_BYTES), 0);
        }
        // A thread that is blocked in a read is woken once needlessly, when the daemon takes the request.
        poll(&mut [PollFd::new(stream, PollFlags::IN)], None)?;
        let len = stream.read(&mut buffer[filled..])?;
        if len == 0 {
            return Err("the daemon closed the connection".into());
        }
        filled += len;
        if buffer[filled - 1] == b'\n' {
            if is_reply(&buffer[..filled]) {
                return Ok(&buffer[..filled]);
            }
            filled = 0;
        }
    }
}

/// Parses the line of a reply.
pub(crate) fn result_of<M: Method>(line: &[u8]) -> Result<M::Reply> {
    let answer: Answer<M::Reply> = serde_json::from_slice(line)?;
    match answer.result {
        Some(result) => Ok(result),
        None => Err(format!("{}: {}", M::NAME, answer.error.unwrap_or_default()).into()),
    }
}
