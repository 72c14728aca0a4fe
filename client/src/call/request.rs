//! One request, one line; one reply, one line.

use super::again::again;
use super::connect::Place;
use super::failure::Failure;
use ccd_protocol::{Caller, ErrorCode, ErrorObject, Method, PROTOCOL_VERSION};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Instant;

/// Name under which the daemon's history shows what ccctl does.
pub(crate) const CLIENT_NAME: &str = "ccctl";

/// Longest line that is read: the daemon's largest reply and some room for what is around it.
const MAX_LINE_BYTES: u64 = (64 << 20) + (1 << 20);

/// A connection to the daemon on which one request at a time is made.
#[derive(Debug)]
pub(crate) struct Connection {
    reader: BufReader<UnixStream>,
    next_id: u64,
    client: &'static str,
}

/// A reply: what it says, and the JSON as it came, which may have fields this client does not know.
#[derive(Debug)]
pub(crate) struct Answer<T> {
    pub(crate) value: T,
    pub(crate) json: Box<RawValue>,
}

#[derive(Serialize)]
struct Request<'a, P> {
    jsonrpc: &'static str,
    id: u64,
    method: &'a str,
    params: &'a P,
    ccd: Caller,
}

/// A line from the daemon: a reply when it has no method, else a notification.
#[derive(Debug, Deserialize)]
pub(crate) struct Message {
    #[serde(default)]
    pub(crate) id: Option<u64>,
    #[serde(default)]
    result: Option<Box<RawValue>>,
    #[serde(default)]
    pub(crate) error: Option<ErrorObject>,
    #[serde(default)]
    pub(crate) method: Option<String>,
    #[serde(default)]
    pub(crate) params: Option<Box<RawValue>>,
}

impl Connection {
    /// Speaks over `stream`.
    pub(crate) fn over(stream: UnixStream) -> Self {
        Self {
            reader: BufReader::new(stream),
            next_id: 1,
            client: CLIENT_NAME,
        }
    }

    /// The daemon's history shows what is done on this connection under another name.
    pub(crate) fn named(self, client: &'static str) -> Self {
        Self { client, ..self }
    }

    /// Calls a method.
    ///
    /// # Errors
    ///
    /// [`Failure::Refused`] with the daemon's error, [`Failure::Lost`] when the connection ends first,
    /// [`Failure::Garbled`] for an answer that is none.
    pub(crate) fn call<M: Method>(
        &mut self,
        params: &M::Params,
    ) -> Result<Answer<M::Reply>, Failure> {
        let json = self.request(M::NAME, params)?;
        let value = serde_json::from_str(json.get()).map_err(|error| garbled(M::NAME, &error))?;
        Ok(Answer { value, json })
    }

    /// Calls a method by name and returns the reply's `result` as it came.
    ///
    /// Notifications that come before the reply are passed over: who wants them has a connection for them.
    ///
    /// # Errors
    ///
    /// As [`Connection::call`].
    pub(crate) fn request(
        &mut self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<Box<RawValue>, Failure> {
        let id = self.next_id;
        self.next_id += 1;
        let line = request_line(id, method, params, self.client)?;
        let written = self.reader.get_ref().write_all(&line);
        // A daemon that refuses the connection says why before it closes; only then is the reply lost.
        loop {
            let message = match self.next(method) {
                // It never had the newline.
                Err(Failure::Lost { .. }) if written.is_err() => return Err(lost(method, false)),
                message => message?,
            };
            if message.method.is_some() || message.id.is_some_and(|other| other != id) {
                continue;
            }
            return match (message.result, message.error) {
                (Some(result), None) => Ok(result),
                (_, Some(error)) if let Some(was_read) = handed_over(&error) => {
                    Err(lost(method, was_read))
                }
                (_, Some(error)) => Err(Failure::Refused {
                    method: method.to_owned(),
                    error: Box::new(error),
                }),
                (None, None) if written.is_ok() => RawValue::from_string("null".to_owned())
                    .map_err(|error| garbled(method, &error)),
                (None, None) => Err(lost(method, false)),
            };
        }
    }

    /// Waits for the next line; `method` is named in the error.
    ///
    /// # Errors
    ///
    /// [`Failure::Lost`] at the end of the connection, [`Failure::Garbled`] for a line that is no message.
    pub(crate) fn next(&mut self, method: &str) -> Result<Message, Failure> {
        let mut line = Vec::new();
        let read = (&mut self.reader)
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut line);
        if read.is_err() || line.last() != Some(&b'\n') {
            return Err(if line.len() as u64 == MAX_LINE_BYTES {
                garbled(method, &"the line is too long")
            } else {
                lost(method, !tells_of_unread(&read))
            });
        }
        serde_json::from_slice(&line).map_err(|error| garbled(method, &error))
    }

    /// A second handle to the socket, to shut it down from another thread.
    ///
    /// # Errors
    ///
    /// [`Failure::Io`] when no descriptor is left.
    pub(crate) fn handle(&self) -> Result<UnixStream, Failure> {
        self.reader
            .get_ref()
            .try_clone()
            .map_err(|source| Failure::Io {
                what: "the connection".to_owned(),
                source,
            })
    }
}

/// Returns a request as a line.
///
/// # Errors
///
/// [`Failure::Garbled`] when the parameters have no JSON.
pub(crate) fn request_line(
    id: u64,
    method: &str,
    params: &impl Serialize,
    client: &str,
) -> Result<Vec<u8>, Failure> {
    let request = Request {
        jsonrpc: "2.0",
        id,
        method,
        params,
        ccd: Caller {
            protocol: PROTOCOL_VERSION,
            client: client.to_owned(),
        },
    };
    let mut line = serde_json::to_vec(&request).map_err(|error| garbled(method, &error))?;
    line.push(b'\n');
    Ok(line)
}

/// Connects to `place` and calls a method, once more where [`again()`] is safe.
///
/// # Errors
///
/// As [`Connection::call`], and [`Failure::Connect`].
pub(crate) fn call_at<M: Method>(
    place: &Place,
    params: &M::Params,
) -> Result<Answer<M::Reply>, Failure> {
    let json = request_at(place, M::NAME, params)?;
    let value = serde_json::from_str(json.get()).map_err(|error| garbled(M::NAME, &error))?;
    Ok(Answer { value, json })
}

/// Connects to `place` and calls a method by name, as [`call_at`] does.
///
/// # Errors
///
/// As [`call_at`].
pub(crate) fn request_at(
    place: &Place,
    method: &str,
    params: &impl Serialize,
) -> Result<Box<RawValue>, Failure> {
    let start = Instant::now();
    match Connection::over(place.connect()?).request(method, params) {
        Err(Failure::Lost { was_read, .. }) => again(place, method, params, start, was_read),
        done => done,
    }
}

/// Whether a call may have been carried out that the daemon has not finished, because another process goes on; `None`
/// for other errors, and where it says how far it came.
fn handed_over(error: &ErrorObject) -> Option<bool> {
    if error.known() != Some(ErrorCode::HandedOver) {
        return None;
    }
    let data = error.data.as_ref()?;
    let is_repeatable = data.get("repeatable") == Some(&true.into());
    (!data.contains_key("written_bytes")).then_some(!is_repeatable)
}

/// True when the connection was closed before all of the request had been read: nothing was done then.
///
/// Linux says so by this error instead of an end; other systems do not promise it.
fn tells_of_unread(read: &io::Result<usize>) -> bool {
    let is_reset = |error: &io::Error| error.kind() == io::ErrorKind::ConnectionReset;
    cfg!(target_os = "linux") && read.as_ref().is_err_and(is_reset)
}

/// The end of a connection before the answer; `was_read` is false where the request is known not to have been read.
pub(crate) fn lost(method: &str, was_read: bool) -> Failure {
    Failure::Lost {
        method: method.to_owned(),
        was_read,
    }
}

/// An answer that cannot be read.
pub(crate) fn garbled(method: &str, why: &dyn std::fmt::Display) -> Failure {
    Failure::Garbled {
        method: method.to_owned(),
        why: why.to_string(),
    }
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
