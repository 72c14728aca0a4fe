//! Connections that exchange messages: one per line, or the text messages of a WebSocket.
//! One task reads, writes and starts the calls, so a quick call costs no wake-up beyond the two of the socket, and an
//! idle connection owns almost no buffer. A call that has to wait becomes its own task, and its reply returns through
//! the queue that subscriptions also use.

use super::budget::Client;
use super::fault::Fault;
use super::frame::{CloseCode, Incoming, OpCode};
use super::framing::Framing;
use super::guard::{Guard, Outlet};
use super::intake::{Admission, Unfinished};
use super::limits::Limits;
use super::outgoing::{Message, Outgoing};
use super::request::{LARGE_BYTES, Parsed, parse_large};
use super::room::Room;
use super::service::{answer, carry_out, complaint};
use super::shared::Shared;
use super::socket::ClientSocket;
use jsonrpsee::MethodSink;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::io;
use std::mem::MaybeUninit;
use std::ops::ControlFlow;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use tokio::net::UnixStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Maximum number of messages in each of the two queues of a connection.
const QUEUE_LEN: usize = 128;

/// Messages taken from a queue before the connection checks its socket again.
const QUEUE_TAKE_LEN: usize = 32;

/// Messages started before other connections have their turn.
const START_LEN: usize = 32;

const READ_BYTES: usize = 64 << 10;

/// Serves `stream`, of which `first` has already been read, until the client is done or has disconnected.
/// When `stop` is cancelled, nothing more is read, and calls in flight get the grace period to finish. Returns after
/// the last call of the connection has finished or was dropped.
pub(super) async fn serve(
    stream: UnixStream,
    first: Vec<u8>,
    framing: Framing,
    shared: Arc<Shared>,
    stop: CancellationToken,
) -> io::Result<()> {
    let gone = shared.peer.gone.clone();
    let calls = TaskTracker::new();
    let socket = ClientSocket::new(stream)?;
    let exchange = Exchange::new(socket, first, framing, shared, calls.clone());
    exchange.run(stop).await;
    gone.cancel();
    calls.close();
    calls.wait().await;
    Ok(())
}

struct Exchange {
    socket: ClientSocket,
    framing: Framing,
    /// The message that `framing` collects.
    unfinished: Unfinished,
    /// Bytes that were read but not processed: others have their turn, or the client did not read its replies.
    backlog: Vec<u8>,
    /// `None` once no more requests are read.
    caller: Option<Caller>,
    /// A large message that a thread parses. Nothing is read meanwhile.
    parsing: Option<Parsing>,
    /// Replies to subscriptions. Each precedes the items, which are in `messages`.
    accepted: mpsc::Receiver<Box<RawValue>>,
    /// Replies of calls that had to wait, and items of subscriptions.
    messages: mpsc::Receiver<Message>,
    taken: Vec<Message>,
    outgoing: Outgoing,
    calls: TaskTracker,
    limits: Limits,
    client: Arc<Client>,
    /// End of the grace period, once the daemon stops.
    stop_at: Option<Instant>,
    /// Nothing more is sent than what is in `outgoing`.
    is_closing: bool,
}

/// What a call needs. It holds a sender of each queue.
#[derive(Clone)]
struct Caller {
    service: Guard,
    replies: mpsc::Sender<Message>,
}

enum Next {
    Wait,
    /// Go on after others had their turn.
    Turn,
    Closed,
    /// End: the client has disconnected.
    Gone,
}

struct Parsing {
    caller: Caller,
    admission: Option<Admission>,
    task: JoinHandle<Result<Parsed<'static>, Fault>>,
}

impl Exchange {
    fn new(
        socket: ClientSocket,
        first: Vec<u8>,
        framing: Framing,
        shared: Arc<Shared>,
        calls: TaskTracker,
    ) -> Self {
        let limits = shared.limits;
        let client = Arc::clone(&shared.client);
        let requests = &shared.budget.requests;
        let unfinished = requests.begin(shared.peer.connection, limits);
        let (sender, accepted) = mpsc::channel(QUEUE_LEN);
        let (replies, messages) = mpsc::channel(QUEUE_LEN);
        let reply_limit = u32::try_from(limits.reply_bytes).unwrap_or(u32::MAX);
        let outlet = Outlet {
            sink: MethodSink::new_with_limit(sender, reply_limit),
            room: Room::new(replies.clone()),
        };
        let service = Guard::new(shared, Some(outlet));
        Self {
            socket,
            outgoing: Outgoing::new(framing.form()),
            framing,
            unfinished,
            backlog: first,
            caller: Some(Caller { service, replies }),
            parsing: None,
            accepted,
            messages,
            taken: Vec::new(),
            calls,
            limits,
            client,
            stop_at: None,
            is_closing: false,
        }
    }

    /// Reads requests and writes replies until nothing more can arrive, or the client has disconnected.
    async fn run(mut self, stop: CancellationToken) {
        let mut stopped = pin!(stop.cancelled());
        loop {
            // A client that keeps sending must not monopolise the thread.
            tokio::task::consume_budget().await;
            match self.advance() {
                Next::Wait => {}
                Next::Turn => {
                    tokio::task::yield_now().await;
                    continue;
                }
                Next::Closed => break,
                Next::Gone => return,
            }
            let watches_room = self.caller.is_none() || self.outgoing.blocked_since.is_some();
            self.socket = match self.socket.watching_room(watches_room) {
                Ok(socket) => socket,
                Err(_) => return,
            };
            if self.event(watches_room, stopped.as_mut()).await.is_break() {
                return;
            }
        }
        if let Framing::WebSocket(_) = self.framing {
            stop.run_until_cancelled(self.socket.linger(self.limits.grace))
                .await;
        }
    }

    /// Waits for one event and takes it in. Breaks if the connection has ended.
    async fn event(
        &mut self,
        watches_room: bool,
        stopped: Pin<&mut impl Future<Output = ()>>,
    ) -> ControlFlow<()> {
        let has_room = self.outgoing.has_room();
        let (accepted_all, sent_all) = (is_over(&self.accepted), is_over(&self.messages));
        let takes = has_room && !self.is_closing;
        let reads = has_room && self.caller.is_some() && self.parsing.is_none();
        let is_stopping = self.stop_at.is_some();
        let waits_for_calls = is_stopping && !self.accepted.is_closed();
        let deadline = self.deadline();
        tokio::select! {
            readable = self.socket.readable(), if reads => {
                if readable.and_then(|()| self.read()).is_err() {
                    return ControlFlow::Break(());
                }
            }
            parsed = parsed(&mut self.parsing), if self.parsing.is_some() => {
                if let Some(Parsing { caller, admission, .. }) = self.parsing.take() {
                    self.start_parsed(caller, parsed, admission);
                }
            }
            reply = self.accepted.recv(), if takes && !accepted_all => {
                reply.into_iter().for_each(|reply| self.outgoing.push(reply.into()));
            }
            _ = self.messages.recv_many(&mut self.taken, QUEUE_TAKE_LEN), if takes && !sent_all => {
                while let Ok(reply) = self.accepted.try_recv() {
                    self.outgoing.push(reply.into());
                }
                self.taken.drain(..).for_each(|message| self.outgoing.push(message));
            }
            writable = self.socket.writable(), if watches_room => {
                if writable.is_err() {
                    return ControlFlow::Break(());
                }
            }
            () = stopped, if !is_stopping => self.stop(),
            () = self.client.cut.cancelled(), if watches_room => return ControlFlow::Break(()),
            // Its bytes are counted before anything else happens.
            () = self.unfinished.dropped() => {}
            () = self.calls.wait(), if waits_for_calls => {
                self.accepted.close();
                self.messages.close();
            }
            () = at(deadline) => {
                self.cut_off();
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Does what needs no waiting: starts requests of the backlog, writes, closes when nothing more can arrive.
    fn advance(&mut self) -> Next {
        let backlog = std::mem::take(&mut self.backlog);
        self.take_in(&backlog);
        if let Err(fault) = self.unfinished.count(self.framing.unfinished_len()) {
            self.outgoing.push(complaint(fault).into());
            self.framing.drop_unfinished();
            if let Framing::WebSocket(_) = self.framing {
                self.close(Some(CloseCode::TRY_AGAIN_LATER));
            }
        }
        let written = self.outgoing.write_to(&self.socket);
        let stall = self
            .outgoing
            .blocked_since
            .map(|since| (since, self.socket.descriptor()));
        self.client.note_stall(stall);
        if written.is_err_and(|error| error.kind() != io::ErrorKind::WouldBlock) {
            return Next::Gone;
        }
        if is_over(&self.accepted) && is_over(&self.messages) && !self.is_closing {
            self.close(self.farewell());
            return Next::Turn;
        }
        if self.is_closing && self.outgoing.is_empty() {
            return Next::Closed;
        }
        let can_start = self.outgoing.has_room() && self.parsing.is_none();
        if can_start && !self.backlog.is_empty() {
            return Next::Turn;
        }
        Next::Wait
    }

    /// Reads once. The buffer is on the stack of this function only, so it is not part of the task.
    fn read(&mut self) -> io::Result<()> {
        let mut space = [const { MaybeUninit::uninit() }; READ_BYTES];
        let Some(chunk) = self.socket.read(&mut space)? else {
            return Ok(());
        };
        if chunk.is_empty() {
            if let Some(last) = self.framing.finish() {
                self.start(last);
            }
            self.caller = None;
        } else {
            self.take_in(chunk);
        }
        Ok(())
    }

    /// Starts requests in `input`. The rest goes to the backlog: after some requests, and if replies have no room.
    fn take_in(&mut self, mut input: &[u8]) {
        for _ in 0..START_LEN {
            if self.is_closing {
                return;
            }
            if !self.outgoing.has_room() || self.parsing.is_some() {
                break;
            }
            match self.framing.next(&mut input) {
                Some(incoming) => self.start(incoming),
                None => return,
            }
        }
        self.backlog.extend_from_slice(input);
    }

    fn start(&mut self, incoming: Incoming<'_>) {
        match incoming {
            Incoming::Text(text) => self.start_text(text),
            Incoming::TooLong => {
                let limit_bytes = self.limits.frame_bytes;
                let fault = Fault::FrameTooLong { limit_bytes };
                self.outgoing.push(complaint(fault).into());
            }
            Incoming::Ping(payload) => {
                self.outgoing.push_frame(OpCode::Pong, payload.into());
            }
            Incoming::Close(code) => self.close(code),
        }
    }

    fn start_text(&mut self, text: Cow<'_, [u8]>) {
        let Some(caller) = &self.caller else {
            return;
        };
        let admission = match self.unfinished.complete(text.len()) {
            Ok(admission) => admission,
            Err(fault) => return self.outgoing.push(complaint(fault).into()),
        };
        let text = text.into_owned();
        let (peer, batch_limit) = (&caller.service.shared.peer, self.limits.batch);
        if text.len() > LARGE_BYTES {
            let peer = peer.clone();
            self.parsing = Some(Parsing {
                caller: caller.clone(),
                admission,
                task: tokio::task::spawn_blocking(move || parse_large(text, &peer, batch_limit)),
            });
            return;
        }
        if admission.is_some() {
            // Does not keep the message while the call waits.
            let parsed = parse_large(text, peer, batch_limit);
            self.start_parsed(caller.clone(), parsed, admission);
            return;
        }
        match String::from_utf8(text) {
            Ok(text) => {
                let answer = answer(caller.service.clone(), text);
                self.begin(caller.replies.clone(), answer, None);
            }
            Err(_) => self.refuse_text(Fault::NotUtf8),
        }
    }

    fn start_parsed(
        &mut self,
        caller: Caller,
        parsed: Result<Parsed<'static>, Fault>,
        admission: Option<Admission>,
    ) {
        let Caller { service, replies } = caller;
        match parsed {
            Ok(parsed) => {
                let answer = async move { carry_out(&service, parsed).await };
                self.begin(replies, answer, admission);
            }
            Err(fault) => self.refuse_text(fault),
        }
    }

    /// Begins one call. Most finish at their first poll; the others become tasks, which hold the `admission`.
    fn begin(
        &mut self,
        replies: mpsc::Sender<Message>,
        answer: impl Future<Output = Option<Message>> + Send + 'static,
        admission: Option<Admission>,
    ) {
        let mut answer = Box::pin(answer);
        // No waker is needed: a pending call is polled again as soon as it is a task.
        match answer
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(None) => {}
            Poll::Ready(Some(reply)) => self.outgoing.push(reply),
            Poll::Pending => {
                self.calls.spawn(async move {
                    let reply = answer.await;
                    drop(admission);
                    if let Some(reply) = reply {
                        // It fails if the connection has ended; then nobody waits for the reply.
                        let _ = replies.send(reply).await;
                    }
                });
            }
        }
    }

    /// Answers a message that is not text.
    fn refuse_text(&mut self, fault: Fault) {
        match self.framing {
            Framing::Lines(_) => self.outgoing.push(complaint(fault).into()),
            Framing::WebSocket(_) => self.close(Some(CloseCode::INVALID)),
        }
    }

    /// Accepts no more requests, and starts the grace period of those in flight.
    fn stop(&mut self) {
        self.read_no_more();
        self.calls.close();
        self.stop_at = Some(Instant::now() + self.limits.grace);
    }

    fn read_no_more(&mut self) {
        self.caller = None;
        self.parsing = None;
        self.backlog = Vec::new();
        self.framing.drop_unfinished();
    }

    /// Sends nothing after what waits to be written; a WebSocket is closed with `code`.
    fn close(&mut self, code: Option<CloseCode>) {
        self.read_no_more();
        self.accepted.close();
        self.messages.close();
        self.is_closing = true;
        if let Framing::WebSocket(_) = self.framing {
            let payload = code.map_or_else(Vec::new, |code| code.to_be_bytes().into());
            self.outgoing.push_frame(OpCode::Close, payload.into());
        }
    }

    fn farewell(&self) -> Option<CloseCode> {
        let is_stopping = self.stop_at.is_some();
        Some(if is_stopping {
            CloseCode::AWAY
        } else {
            CloseCode::NORMAL
        })
    }

    /// Ends the connection although the client has not read everything, or calls have not finished.
    fn cut_off(&mut self) {
        if !self.is_closing {
            self.close(self.farewell());
            // It is the last attempt; a client that does not read gets no closing code.
            let _ = self.outgoing.write_to(&self.socket);
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let blocked_since = self.outgoing.blocked_since;
        let stall = blocked_since.map(|since| Instant::from_std(since) + self.limits.write_stall);
        stall.into_iter().chain(self.stop_at).min()
    }
}

/// Waits for a large message; a panic of its thread is an error of the message.
async fn parsed(parsing: &mut Option<Parsing>) -> Result<Parsed<'static>, Fault> {
    match parsing {
        Some(Parsing { task, .. }) => task.await.unwrap_or(Err(Fault::Panicked)),
        None => std::future::pending().await,
    }
}

/// Nothing is waiting, and nothing more can be sent.
fn is_over<T>(queue: &mpsc::Receiver<T>) -> bool {
    queue.is_closed() && queue.is_empty()
}

async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
