//! Messages of MCP over a socket: one per line, with limits that `rmcp` does not have.

use crate::daemon::Daemon;
use ccd_protocol::frame::{Frame, LineFrames};
use ccd_protocol::mcp::MESSAGE_LIMIT_BYTES;
use futures_util::future::BoxFuture;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequest, CancelledNotification, ClientJsonRpcMessage, ClientNotification,
    ClientRequest, ErrorCode, ErrorData, JsonRpcError, JsonRpcMessage, JsonRpcNotification,
    JsonRpcRequest, JsonRpcResponse, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

const READ_BYTES: usize = 16 << 10;

/// The code of errors that are never sent: of requests that were given up, by the client or because this worker ends. The next
/// worker answers those.
pub(crate) const GIVEN_UP: ErrorCode = ErrorCode(-32_099);

/// The method that is called most: it is parsed in one step, where `rmcp` would try the form of each method in turn.
const CALL: &str = "tools/call";

pub(crate) struct Lines {
    reader: OwnedReadHalf,
    /// Bytes that were read, and how many of them are done.
    buffer: Vec<u8>,
    done_len: usize,
    frames: LineFrames,
    /// Messages that come before those of the socket.
    first: VecDeque<ClientJsonRpcMessage>,
    /// The reply to a refused message. Nothing is read meanwhile: a client that does not read its replies is not served.
    refusing: Option<BoxFuture<'static, ()>>,
    out: Arc<Out>,
    daemon: Arc<dyn Daemon>,
    /// Cancelled once nothing more is to be read.
    stop: CancellationToken,
    in_flight: HashSet<RequestId>,
    in_flight_limit: usize,
}

pub(crate) struct Out {
    writer: Mutex<OwnedWriteHalf>,
    stall: Duration,
    /// Cancelled once nothing more can be written.
    gone: CancellationToken,
}

/// Why a message is not passed on, and the id for the reply; nothing is sent for a notification.
type Refusal = Box<(Option<RequestId>, ErrorData)>;

impl Out {
    pub(crate) fn new(writer: OwnedWriteHalf, stall: Duration) -> Self {
        Self {
            writer: Mutex::new(writer),
            stall,
            gone: CancellationToken::new(),
        }
    }

    /// Writes one message. A client that reads nothing for too long is given up.
    pub(crate) async fn write(&self, message: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let mut writer = self.writer.lock().await;
        let written = tokio::time::timeout(self.stall, writer.write_all(&line)).await;
        let written = written.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        if written.is_err() {
            self.gone.cancel();
        }
        written
    }
}

impl Lines {
    /// Reads `buffer`, of which `done_len` bytes are done, and then `reader`. The messages of `first` come before both.
    pub(crate) fn new(
        reader: OwnedReadHalf,
        (buffer, done_len): (Vec<u8>, usize),
        first: VecDeque<ClientJsonRpcMessage>,
        (out, daemon): (Arc<Out>, Arc<dyn Daemon>),
        stop: CancellationToken,
        in_flight_limit: usize,
    ) -> Self {
        Self {
            reader,
            buffer,
            done_len,
            frames: LineFrames::new(MESSAGE_LIMIT_BYTES),
            first,
            refusing: None,
            out,
            daemon,
            stop,
            in_flight: HashSet::new(),
            in_flight_limit,
        }
    }

    /// Returns the next message of what was read; `None` if it has no more.
    fn next_of_buffer(&mut self) -> Option<Result<ClientJsonRpcMessage, Refusal>> {
        let mut input = &self.buffer[self.done_len..];
        let frame = self.frames.next(&mut input);
        let message = frame.map(|frame| match frame {
            Frame::Line(line) => parse(&line),
            Frame::TooLong => {
                let text = format!("a message exceeds {MESSAGE_LIMIT_BYTES} bytes");
                Err(Box::new((None, ErrorData::invalid_request(text, None))))
            }
        });
        self.done_len = self.buffer.len() - input.len();
        if message.is_none() {
            // A silent connection owns no buffer.
            self.buffer = Vec::new();
            self.done_len = 0;
        }
        message
    }

    /// Counts the requests in flight, and refuses one too many.
    fn admit(&mut self, message: ClientJsonRpcMessage) -> Result<ClientJsonRpcMessage, Refusal> {
        match &message {
            JsonRpcMessage::Request(JsonRpcRequest { id, .. }) => {
                let refuse = |text: String| {
                    let error = ErrorData::invalid_request(text, None);
                    Err(Box::new((Some(id.clone()), error)))
                };
                if self.in_flight.len() >= self.in_flight_limit {
                    let limit = self.in_flight_limit;
                    return refuse(format!(
                        "{limit} requests wait for a reply; send fewer at a time"
                    ));
                }
                if !self.in_flight.insert(id.clone()) {
                    return refuse(format!(
                        "the request {id} has no reply yet; choose another id"
                    ));
                }
            }
            // `rmcp` sends no reply to a cancelled request.
            JsonRpcMessage::Notification(JsonRpcNotification {
                notification:
                    ClientNotification::CancelledNotification(CancelledNotification { params, .. }),
                ..
            }) => {
                if let Some(id) = &params.request_id {
                    self.in_flight.remove(id);
                }
            }
            _ => {}
        }
        Ok(message)
    }

    fn refuse(&mut self, (id, error): (Option<RequestId>, ErrorData)) {
        let out = Arc::clone(&self.out);
        self.refusing = Some(Box::pin(async move {
            // It fails if the client is gone.
            let _ = out.write(&ServerJsonRpcMessage::error(error, id)).await;
        }));
    }

    /// Reads once. `None` at the end of the input, and once the client is gone or the daemon stops.
    async fn read(&mut self) -> Option<()> {
        tokio::select! {
            readable = self.reader.readable() => readable.ok()?,
            () = self.daemon.dropped() => return Some(()), // it is counted next
            () = self.out.gone.cancelled() => return None,
            () = self.stop.cancelled() => return None,
        }
        self.buffer.reserve(READ_BYTES);
        match self.reader.try_read_buf(&mut self.buffer) {
            Ok(0) => None,
            Ok(_) => Some(()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Some(()),
            Err(_) => None,
        }
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        match &message {
            JsonRpcMessage::Response(JsonRpcResponse { id, .. })
            | JsonRpcMessage::Error(JsonRpcError { id: Some(id), .. }) => {
                self.in_flight.remove(id);
            }
            _ => {}
        }
        let is_given_up =
            matches!(&message, JsonRpcMessage::Error(reply) if reply.error.code == GIVEN_UP);
        let out = Arc::clone(&self.out);
        async move {
            if is_given_up {
                Ok(())
            } else {
                out.write(&message).await
            }
        }
    }

    /// May be dropped at any point: nothing is lost.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(refusing) = &mut self.refusing {
                refusing.await;
                self.refusing = None;
            }
            let message = match self.first.pop_front() {
                Some(message) => Ok(message),
                None => match self.next_of_buffer() {
                    Some(message) => message,
                    None => match self.daemon.count_unfinished(self.frames.unfinished_len()) {
                        Ok(()) => {
                            self.read().await?;
                            continue;
                        }
                        Err(error) => {
                            self.frames.drop_unfinished();
                            let error = ErrorData::invalid_request(error.message, None);
                            Err(Box::new((None, error)))
                        }
                    },
                },
            };
            match message.and_then(|message| self.admit(message)) {
                Ok(message) => return Some(message),
                Err(refusal) => self.refuse(*refusal),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.out.writer.lock().await.shutdown().await
    }
}

/// The members that tell how a message is parsed.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
}

pub(crate) fn parse(line: &[u8]) -> Result<ClientJsonRpcMessage, Refusal> {
    if line.trim_ascii_start().starts_with(b"[") {
        let text = "batches are not supported; send each message on its own line";
        return Err(Box::new((None, ErrorData::invalid_request(text, None))));
    }
    let head: Head<'_> = serde_json::from_slice(line)
        .map_err(|error| Box::new((None, ErrorData::parse_error(error.to_string(), None))))?;
    let id = head.id.and_then(|id| serde_json::from_str(id.get()).ok());
    if head.id.is_some() && head.method.as_deref() == Some(CALL) {
        let request = serde_json::from_slice::<JsonRpcRequest<CallToolRequest>>(line);
        let request = request.map_err(|error| {
            let text = format!("{CALL}: {error}");
            Box::new((id, ErrorData::invalid_params(text, None)))
        })?;
        let JsonRpcRequest { id, request, .. } = request;
        return Ok(ClientJsonRpcMessage::request(
            ClientRequest::CallToolRequest(request),
            id,
        ));
    }
    serde_json::from_slice(line)
        .map_err(|error| Box::new((id, ErrorData::invalid_request(error.to_string(), None))))
}

/// Reads until the first newline, at most `limit_bytes`. Returns what was read, and the length of the line.
/// `OutOfMemory` if others need the memory.
pub(crate) async fn first_line(
    reader: &mut OwnedReadHalf,
    mut read: Vec<u8>,
    limit_bytes: usize,
    daemon: &dyn Daemon,
) -> io::Result<(Vec<u8>, usize)> {
    let mut searched = 0;
    loop {
        if let Some(at) = read[searched..].iter().position(|&byte| byte == b'\n') {
            return Ok((read, searched + at));
        }
        searched = read.len();
        if searched > limit_bytes {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let counted = daemon.count_unfinished(read.len());
        counted.map_err(|error| io::Error::new(io::ErrorKind::OutOfMemory, error.message))?;
        tokio::select! {
            len = reader.read_buf(&mut read) => if len? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            },
            () = daemon.dropped() => {}
        }
    }
}
