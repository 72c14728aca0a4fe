//! One request, one line; one reply, one line.

use crate::connect::Place;
use crate::failure::Failure;
use ccd_protocol::{Caller, ErrorObject, Method, PROTOCOL_VERSION};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;

/// Name under which the daemon's history shows what ccctl does.
const CLIENT_NAME: &str = "ccctl";

/// Longest line that is read: the daemon's largest reply and some room for what is around it.
const MAX_LINE_BYTES: u64 = (64 << 20) + (1 << 20);

/// Methods that only look, so that asking again after a loss of the daemon changes nothing.
const REPEATABLE: &[&str] = &[
    "session.list",
    "session.get",
    "session.wait",
    "session.read",
    "session.screen",
    "session.history",
    "job.get",
    "job.list",
    "daemon.ping",
    "daemon.status",
    "config.list",
    "config.get",
    "config.check",
];

/// A connection to the daemon on which one request at a time is made.
#[derive(Debug)]
pub(crate) struct Connection {
    reader: BufReader<UnixStream>,
    next_id: u64,
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
    id: Option<u64>,
    #[serde(default)]
    result: Option<Box<RawValue>>,
    #[serde(default)]
    error: Option<ErrorObject>,
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
        }
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
        let request = Request {
            jsonrpc: "2.0",
            id,
            method,
            params,
            ccd: Caller {
                protocol: PROTOCOL_VERSION,
                client: CLIENT_NAME.to_owned(),
            },
        };
        let mut line = serde_json::to_vec(&request).map_err(|error| garbled(method, &error))?;
        line.push(b'\n');
        let written = self.reader.get_ref().write_all(&line);
        // A daemon that refuses the connection says why before it closes; only then is the reply lost.
        loop {
            let message = self.next(method)?;
            if message.method.is_some() || message.id.is_some_and(|other| other != id) {
                continue;
            }
            return match (message.result, message.error) {
                (Some(result), None) => Ok(result),
                (_, Some(error)) => Err(Failure::Refused {
                    method: method.to_owned(),
                    error: Box::new(error),
                }),
                (None, None) if written.is_ok() => RawValue::from_string("null".to_owned())
                    .map_err(|error| garbled(method, &error)),
                (None, None) => Err(lost(method)),
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
                lost(method)
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

/// Connects to `place` and calls a method; one that only looks is asked again once when the daemon goes away.
///
/// # Errors
///
/// As [`Connection::call`], and [`Failure::Connect`].
pub(crate) fn call_at<M: Method>(
    place: &Place,
    params: &M::Params,
) -> Result<Answer<M::Reply>, Failure> {
    let first = Connection::over(place.connect()?).call::<M>(params);
    match first {
        Err(Failure::Lost { .. }) if REPEATABLE.contains(&M::NAME) => {
            Connection::over(place.connect()?).call::<M>(params)
        }
        first => first,
    }
}

fn lost(method: &str) -> Failure {
    Failure::Lost {
        method: method.to_owned(),
    }
}

fn garbled(method: &str, why: &dyn std::fmt::Display) -> Failure {
    Failure::Garbled {
        method: method.to_owned(),
        why: why.to_string(),
    }
}

#[cfg(test)]
#[path = "call_tests.rs"]
mod tests;
