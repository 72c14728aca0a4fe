//! Connections with one JSON message per line.
//!
//! One task reads, writes and starts the calls, so a quick call costs no wake-up beyond the two of the socket, and an
//! idle connection owns almost no buffer. A call that has to wait becomes its own task, and its reply returns through
//! the queue that subscriptions also use.

use super::fault::Fault;
use super::guard::{Guard, Shared};
use super::limits::Limits;
use super::outgoing::Outgoing;
use super::service::{LineService, Reply, answer, complaint};
use super::socket::ClientSocket;
use ccd_protocol::frame::{Frame, LineFrames};
use jsonrpsee::server::MethodSink;
use serde_json::value::RawValue;
use std::io;
use std::mem::MaybeUninit;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use tokio::net::UnixStream;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Maximum number of replies and subscription items that wait to be written.
pub(super) const QUEUE_LEN: usize = 128;

/// Messages taken from the queue before the connection checks its socket again.
const QUEUE_TAKE_LEN: usize = 32;

/// Most bytes of one read.
const READ_BYTES: usize = 64 << 10;

/// Serves `stream`, of which `first` has already been read, until the client is done or has disconnected.
///
/// When `stop` is cancelled, nothing more is read, and calls in flight get the grace period to finish. Returns after
/// the last call of the connection has finished or was dropped.
pub(super) async fn serve(
    stream: UnixStream,
    first: Vec<u8>,
    shared: Arc<Shared>,
    stop: CancellationToken,
) {
    let gone = shared.peer.gone.clone();
    let calls = TaskTracker::new();
    match ClientSocket::new(stream) {
        Ok(socket) => {
            let connection = LineConnection::new(socket, first, shared, calls.clone());
            connection.exchange(stop).await;
        }
        Err(error) => tracing::warn!(%error, "could not watch a connection"),
    }
    gone.cancel();
    calls.close();
    calls.wait().await;
}

struct LineConnection {
    socket: ClientSocket,
    frames: LineFrames,
    /// Bytes that were read but not processed, because the client did not read its replies.
    backlog: Vec<u8>,
    /// `None` once no more requests are read. It holds a sender of `items`.
    service: Option<Guard<LineService>>,
    /// Items of subscriptions.
    items: mpsc::Receiver<Box<RawValue>>,
    /// Replies of calls that had to wait.
    replies: mpsc::Receiver<Reply>,
    /// `None` once no more requests are read.
    reply_sender: Option<mpsc::Sender<Reply>>,
    outgoing: Outgoing,
    calls: TaskTracker,
    limits: Limits,
    /// End of the grace period, once the daemon stops.
    stop_at: Option<Instant>,
}

impl LineConnection {
    fn new(socket: ClientSocket, first: Vec<u8>, shared: Arc<Shared>, calls: TaskTracker) -> Self {
        let limits = shared.limits;
        let (sender, items) = mpsc::channel(QUEUE_LEN);
        let (reply_sender, replies) = mpsc::channel(QUEUE_LEN);
        let reply_limit = u32::try_from(limits.reply_bytes).unwrap_or(u32::MAX);
        let method_sink = MethodSink::new_with_limit(sender, reply_limit);
        Self {
            socket,
            frames: LineFrames::new(limits.frame_bytes),
            backlog: first,
            service: Some(LineService::guarded(shared, method_sink)),
            items,
            replies,
            reply_sender: Some(reply_sender),
            outgoing: Outgoing::default(),
            calls,
            limits,
            stop_at: None,
        }
    }

    /// Reads requests and writes replies until nothing more can arrive, or the client has disconnected.
    async fn exchange(mut self, stop: CancellationToken) {
        let mut stopped = pin!(stop.cancelled());
        let mut taken = Vec::new();
        loop {
            // A client that keeps sending must not monopolise the thread.
            tokio::task::consume_budget().await;
            if self.outgoing.has_room() {
                let backlog = std::mem::take(&mut self.backlog);
                self.take_in(&backlog);
            }
            if !is_alive(self.outgoing.write_to(&self.socket)) {
                return;
            }
            let (items_are_over, replies_are_over) = (is_over(&self.items), is_over(&self.replies));
            if items_are_over && replies_are_over && self.outgoing.is_empty() {
                return;
            }
            if !self.backlog.is_empty() && self.outgoing.has_room() {
                continue;
            }
            let has_room = self.outgoing.has_room();
            let reads = has_room && self.service.is_some();
            let watches = self.service.is_none() || self.outgoing.blocked_since.is_some();
            let is_stopping = self.stop_at.is_some();
            let waits_for_calls = is_stopping && !self.items.is_closed();
            let deadline = self.deadline();
            self.socket = match self.socket.watching_room(watches) {
                Ok(socket) => socket,
                Err(_) => return,
            };
            tokio::select! {
                readable = self.socket.readable(), if reads => {
                    if readable.and_then(|()| self.read()).is_err() {
                        return;
                    }
                }
                reply = self.replies.recv(), if has_room && !replies_are_over => {
                    reply.into_iter().for_each(|reply| self.outgoing.push(reply.json));
                }
                _ = self.items.recv_many(&mut taken, QUEUE_TAKE_LEN), if has_room && !items_are_over => {
                    taken.drain(..).for_each(|message| self.outgoing.push(message));
                }
                writable = self.socket.writable(), if watches => {
                    if writable.is_err() {
                        return;
                    }
                }
                () = &mut stopped, if !is_stopping => self.stop(),
                () = self.calls.wait(), if waits_for_calls => {
                    self.items.close();
                    self.replies.close();
                }
                () = at(deadline) => return,
            }
        }
    }

    /// Reads once. The buffer is on the stack of this function only, so it is not part of the task.
    fn read(&mut self) -> io::Result<()> {
        let mut space = [const { MaybeUninit::uninit() }; READ_BYTES];
        let Some(chunk) = self.socket.read(&mut space)? else {
            return Ok(());
        };
        if chunk.is_empty() {
            if let Some(frame) = self.frames.finish() {
                self.start(frame);
            }
            self.read_no_more();
        } else {
            self.take_in(chunk);
        }
        Ok(())
    }

    /// Starts the requests in `input`; requests whose replies have no room go to the backlog.
    fn take_in(&mut self, mut input: &[u8]) {
        while self.outgoing.has_room() {
            match self.frames.next(&mut input) {
                Some(frame) => self.start(frame),
                None => return,
            }
        }
        self.backlog.extend_from_slice(input);
    }

    /// Starts one request. Most finish at their first poll; the others become tasks.
    fn start(&mut self, frame: Frame<'_>) {
        let Some(service) = &self.service else {
            return;
        };
        let line = match frame {
            Frame::TooLong => Err(Fault::FrameTooLong {
                limit_bytes: self.limits.frame_bytes,
            }),
            Frame::Line(line) => String::from_utf8(line.into_owned()).map_err(|_| Fault::NotUtf8),
        };
        let line = match line {
            Ok(line) => line,
            Err(fault) => return self.outgoing.push(complaint(fault)),
        };
        let mut answer = Box::pin(answer(service.clone(), line));
        // No waker is needed: a pending call is polled again as soon as it is a task.
        match answer
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(None) => {}
            Poll::Ready(Some(reply)) => self.outgoing.push(reply.json),
            Poll::Pending => {
                let sender = self.reply_sender.clone();
                self.calls.spawn(async move {
                    if let (Some(reply), Some(sender)) = (answer.await, sender) {
                        // It fails if the connection has ended; then nobody waits for the reply.
                        let _ = sender.send(reply).await;
                    }
                });
            }
        }
    }

    /// Accepts no more requests, and starts the grace period of those in flight.
    fn stop(&mut self) {
        self.read_no_more();
        self.backlog = Vec::new();
        self.calls.close();
        self.stop_at = Some(Instant::now() + self.limits.grace);
    }

    fn read_no_more(&mut self) {
        self.service = None;
        self.reply_sender = None;
    }

    fn deadline(&self) -> Option<Instant> {
        let blocked_since = self.outgoing.blocked_since;
        let stall = blocked_since.map(|since| Instant::from_std(since) + self.limits.write_stall);
        stall.into_iter().chain(self.stop_at).min()
    }
}

/// Nothing is waiting, and nothing more can be sent.
fn is_over<T>(queue: &mpsc::Receiver<T>) -> bool {
    queue.is_closed() && queue.is_empty()
}

/// Returns whether the connection can still be written to, now or later.
fn is_alive(written: io::Result<()>) -> bool {
    written.map_or_else(|error| error.kind() == io::ErrorKind::WouldBlock, |()| true)
}

async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
