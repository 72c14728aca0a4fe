//! Calls of the daemon: one line per request, one line per reply.

use super::failure::Failure;
use ccd_protocol::daemon::DaemonPing;
use ccd_protocol::{Caller, ErrorCode, ErrorObject, Method, NoParams, PROTOCOL_VERSION};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// Client name of ccctl, as the history shows it.
pub(crate) const CLIENT_NAME: &str = "ccctl";

/// Longest line that is read: the daemon's largest reply and some room for the JSON around it.
const MAX_LINE_BYTES: u64 = (64 << 20) + (1 << 20);

/// How long a daemon that has not replied in time may take to reply to a ping.
const PING_LIMIT: Duration = Duration::from_millis(1500);

/// A request up to this length can always be written at once.
const SMALL_BYTES: usize = 64 << 10;

/// A connection to the daemon that carries one request at a time.
#[derive(Debug)]
pub(crate) struct Connection {
    reader: BufReader<Incoming>,
    next_id: u64,
    client: &'static str,
    /// How long to wait for a reply until the daemon is asked whether it still replies.
    limit: Option<Duration>,
    /// It was asked, and nothing has arrived since.
    is_asked: bool,
    /// The last notification before a reply.
    pub(super) skipped: Option<Message>,
}

/// The reading end of a connection. A thread that waits in a read is also woken when the daemon takes its request; one
/// that waits in a poll is not.
#[derive(Debug)]
struct Incoming(UnixStream);

impl io::Read for Incoming {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let limit = self.0.read_timeout()?.map(Timespec::try_from);
        let limit = limit.transpose().map_err(io::Error::other)?;
        match poll(&mut [PollFd::new(&self.0, PollFlags::IN)], limit.as_ref())? {
            0 => Err(io::ErrorKind::WouldBlock.into()),
            _ => self.0.read(into),
        }
    }
}

/// A reply: its value, and the JSON as received, which may contain fields that this client does not know.
#[derive(Debug)]
pub(crate) struct Answer<T> {
    pub(crate) value: T,
    pub(crate) json: Box<RawValue>,
}

#[derive(Serialize)]
struct Request<'a> {
    jsonrpc: &'static str,
    id: u64,
    method: &'a str,
    params: &'a RawValue,
    ccd: Caller,
}

/// A line from the daemon: a reply if it has no method, otherwise a notification.
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
    params: Option<Box<RawValue>>,
}

impl Message {
    /// The item in a notification of a subscription; `method` is named in the error.
    pub(crate) fn item<T: DeserializeOwned>(&self, method: &str) -> Result<T, Failure> {
        #[derive(Deserialize)]
        struct Params<T> {
            result: T,
        }
        let params = self.params.as_deref().map_or("null", RawValue::get);
        let params: Params<T> =
            serde_json::from_str(params).map_err(|error| garbled(method, &error))?;
        Ok(params.result)
    }
}

impl Connection {
    pub(crate) fn over(stream: UnixStream) -> Self {
        Self {
            reader: BufReader::new(Incoming(stream)),
            next_id: 1,
            client: CLIENT_NAME,
            limit: None,
            is_asked: false,
            skipped: None,
        }
    }

    /// As [`Self::over`], but no call waits for the daemon longer than `limit`.
    pub(crate) fn limited(stream: UnixStream, limit: Duration) -> Result<Self, Failure> {
        let read = stream.set_read_timeout(Some(limit));
        read.and_then(|()| stream.set_write_timeout(Some(limit)))
            .map_err(Failure::io("the connection"))?;
        Ok(Self::over(stream))
    }

    /// Fails with [`Failure::Silent`] if a reply takes longer than `limit` and the daemon does not reply to a ping
    /// either; `None` waits without limit.
    pub(crate) fn within(mut self, limit: Option<Duration>) -> Result<Self, Failure> {
        if limit.is_some() {
            let stream = &self.reader.get_ref().0;
            let limited = stream.set_read_timeout(limit);
            limited.map_err(Failure::io("the connection"))?;
        }
        self.limit = limit;
        Ok(self)
    }

    /// Sets the client name of this connection, as the history shows it.
    pub(crate) fn named(self, client: &'static str) -> Self {
        Self { client, ..self }
    }

    pub(crate) fn call<M: Method>(
        &mut self,
        params: &M::Params,
    ) -> Result<Answer<M::Reply>, Failure> {
        let json = self.request(M::NAME, params)?;
        answer(M::NAME, json)
    }

    /// Calls as [`Self::call`] does, for a reply of which only some members are needed.
    pub(crate) fn fetch(
        &mut self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<Answer<Value>, Failure> {
        answer(method, self.request(method, params)?)
    }

    /// Calls a method by name and returns the reply's `result` as received.
    /// Notifications before the reply are skipped: code that wants them uses a connection of its own.
    pub(crate) fn request(
        &mut self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<Box<RawValue>, Failure> {
        self.exchange(method, &written(method, params)?)
    }

    /// As [`Self::request`], for parameters that are written already: the same code for all methods.
    pub(super) fn exchange(
        &mut self,
        method: &str,
        params: &RawValue,
    ) -> Result<Box<RawValue>, Failure> {
        let id = self.next_id;
        self.next_id += 1;
        let line = request_line(id, method, params, self.client)?;
        let mut stream = &self.reader.get_ref().0;
        if self.limit.is_some() && line.len() > SMALL_BYTES {
            let limited = stream.set_write_timeout(self.limit);
            limited.map_err(Failure::io("the connection"))?;
        }
        let written = stream.write_all(&line);
        if written.as_ref().is_err_and(is_timeout) {
            return Err(silent(method));
        }
        // A daemon that refuses the connection says why before it closes it; so the reply is read even if writing
        // failed.
        loop {
            let message = match self.next(method) {
                // The daemon never received the newline.
                Err(Failure::Lost { .. }) if written.is_err() => return Err(lost(method, false)),
                message => message?,
            };
            if message.method.is_some() {
                self.skipped = Some(message);
                continue;
            }
            if message.id.is_some_and(|other| other != id) {
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
    pub(crate) fn next(&mut self, method: &str) -> Result<Message, Failure> {
        let mut line = Vec::new();
        let read = loop {
            let read = (&mut self.reader)
                .take(MAX_LINE_BYTES - line.len() as u64)
                .read_until(b'\n', &mut line);
            if self.limit.is_none() || !read.as_ref().is_err_and(is_timeout) {
                break read;
            }
            self.ask_for_life(method)?;
        };
        self.is_asked = false;
        if read.is_err() || line.last() != Some(&b'\n') {
            return Err(if line.len() as u64 == MAX_LINE_BYTES {
                garbled(method, &"the line is too long")
            } else {
                lost(method, !was_unread(&read))
            });
        }
        serde_json::from_slice(&line).map_err(|error| garbled(method, &error))
    }

    /// Sends a ping after the limit: its reply, like everything that arrives, shows that the daemon still replies.
    fn ask_for_life(&mut self, method: &str) -> Result<(), Failure> {
        if self.is_asked {
            return Err(silent(method));
        }
        self.is_asked = true;
        let id = self.next_id;
        self.next_id += 1;
        let params = written(DaemonPing::NAME, &NoParams {})?;
        let ping = request_line(id, DaemonPing::NAME, &params, self.client)?;
        let mut stream = &self.reader.get_ref().0;
        let limited = stream.set_read_timeout(Some(PING_LIMIT));
        limited.map_err(Failure::io("the connection"))?;
        // If this fails, the connection has ended, which the next read reports.
        let _ = stream.write_all(&ping);
        Ok(())
    }

    pub(super) fn into_stream(self) -> UnixStream {
        self.reader.into_inner().0
    }

    /// A second handle to the socket, to shut it down from another thread.
    pub(crate) fn handle(&self) -> Result<UnixStream, Failure> {
        let stream = self.reader.get_ref().0.try_clone();
        stream.map_err(Failure::io("the connection"))
    }
}

/// Returns `stream` after the daemon has replied to a ping on it.
pub(super) fn pinged(stream: UnixStream) -> Result<UnixStream, Failure> {
    let mut connection = Connection::over(stream).within(Some(PING_LIMIT))?;
    connection.call::<DaemonPing>(&NoParams {})?;
    let stream = connection.into_stream();
    let unlimited = stream.set_read_timeout(None);
    unlimited.map_err(Failure::io("the connection"))?;
    Ok(stream)
}

pub(crate) fn written(method: &str, params: &impl Serialize) -> Result<Box<RawValue>, Failure> {
    to_raw_value(params).map_err(|error| garbled(method, &error))
}

pub(crate) fn request_line(
    id: u64,
    method: &str,
    params: &RawValue,
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

pub(super) fn answer<T: DeserializeOwned>(
    method: &str,
    json: Box<RawValue>,
) -> Result<Answer<T>, Failure> {
    let value = serde_json::from_str(json.get()).map_err(|error| garbled(method, &error))?;
    Ok(Answer { value, json })
}

/// Whether a call that a handover interrupted may have been carried out; `None` for other errors, and if the error says
/// how much of the call was done.
fn handed_over(error: &ErrorObject) -> Option<bool> {
    if error.known() != Some(ErrorCode::HandedOver) {
        return None;
    }
    let data = error.data.as_ref()?;
    let is_repeatable = data.get("repeatable") == Some(&true.into());
    (!data.contains_key("written_bytes")).then_some(!is_repeatable)
}

/// True if the connection was closed before the whole request was read: nothing was done then.
/// Linux reports this error instead of an end of file; other systems do not promise it.
fn was_unread(read: &io::Result<usize>) -> bool {
    let is_reset = |error: &io::Error| error.kind() == io::ErrorKind::ConnectionReset;
    cfg!(target_os = "linux") && read.as_ref().is_err_and(is_reset)
}

/// The end of a connection before the reply; `was_read` is false if the request is known not to have been read.
pub(crate) fn lost(method: &str, was_read: bool) -> Failure {
    Failure::Lost {
        method: method.to_owned(),
        was_read,
    }
}

fn silent(method: &str) -> Failure {
    Failure::Silent {
        method: method.to_owned(),
        pid: None,
    }
}

fn is_timeout(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
}

pub(crate) fn garbled(method: &str, why: &dyn std::fmt::Display) -> Failure {
    Failure::Garbled {
        method: method.to_owned(),
        why: why.to_string(),
    }
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
