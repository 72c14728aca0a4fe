//! The accept loop: checks who may connect and how many at a time, and selects the transport.

use super::budget::Budget;
use super::credentials::{is_admitted, peer_of};
use super::fault::Fault;
use super::framing::Framing;
use super::limits::Settings;
use super::mcp::{self, Agents};
use super::service::complaint;
use super::shared::Shared;
use super::{exchange, http};
use jsonrpsee::Methods;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Pause after a failed accept: a shortage of descriptors usually lasts for a while.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How long to wait for a refused client's first byte, which selects the transport.
const FIRST_WORDS_TIME: Duration = Duration::from_secs(1);

const REFUSAL_TIME: Duration = Duration::from_secs(3);

/// Maximum number of refusals in progress; beyond it, nobody waits for the first byte of a refused client, and it gets
/// the reply as a line.
const REFUSALS: usize = 64;

const FIRST_READ_BYTES: usize = 1 << 10;

#[derive(Debug, Clone, Default)]
pub struct Ends {
    /// Accept no more connections and requests; calls in flight get the grace period.
    pub stop: CancellationToken,
    /// A handover has started: calls that would keep waiting are answered at once.
    pub leaving: CancellationToken,
}

#[derive(Clone)]
pub struct Served {
    pub methods: Methods,
    pub settings: watch::Receiver<Settings>,
    pub agents: Agents,
}

/// The listening socket, and those that replace it.
#[derive(Debug)]
pub struct Listeners {
    pub first: UnixListener,
    pub next: mpsc::Receiver<UnixListener>,
}

/// Accepts connections until `stop` is cancelled, and serves `served` on each.
/// Each open connection holds a clone of `open`. The connections run in `tracker`; they follow `stop` by themselves and
/// end within the grace period. A connection keeps the `settings` of its start.
pub async fn serve(
    listeners: Listeners,
    served: Served,
    ends: Ends,
    tracker: TaskTracker,
    open: Arc<()>,
) {
    let own_uid = rustix::process::geteuid().as_raw();
    serve_as(own_uid, listeners, served, ends, tracker, open).await;
}

pub(super) async fn serve_as(
    own_uid: u32,
    listeners: Listeners,
    served: Served,
    ends: Ends,
    tracker: TaskTracker,
    open: Arc<()>,
) {
    let Ends { stop, leaving } = ends;
    let mut acceptor = Acceptor {
        own_uid,
        served,
        stop: stop.clone(),
        leaving,
        tracker,
        accepted: 0,
        others: Arc::strong_count(&open),
        open,
        refusals: Arc::new(()),
        budget: Arc::default(),
    };
    let Listeners { first, mut next } = listeners;
    let mut listener = first;
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => return,
            Some(another) = next.recv() => {
                listener = another;
                continue;
            }
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => acceptor.admit(stream),
            Err(error) => {
                tracing::warn!(%error, "could not accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

struct Acceptor {
    own_uid: u32,
    served: Served,
    stop: CancellationToken,
    leaving: CancellationToken,
    tracker: TaskTracker,
    accepted: u64,
    /// Each connection holds a clone; `others` is the number of other holders.
    open: Arc<()>,
    others: usize,
    /// The same for refusals.
    refusals: Arc<()>,
    budget: Arc<Budget>,
}

impl Acceptor {
    fn admit(&mut self, stream: UnixStream) {
        let Settings {
            limits,
            allow_root_peer,
        } = *self.served.settings.borrow();
        self.accepted += 1;
        let peer = match peer_of(&stream, self.accepted) {
            Ok(peer) => peer,
            Err(error) => {
                tracing::warn!(%error, "refused a client without credentials");
                return;
            }
        };
        let (uid, pid) = (peer.uid, peer.pid);
        if !is_admitted(uid, self.own_uid, allow_root_peer) {
            tracing::warn!(uid, pid, "refused a client of another user");
            return;
        }
        if Arc::strong_count(&self.open) - self.others >= limits.connections {
            tracing::warn!(limit = limits.connections, pid, "too many connections");
            return self.refuse(stream, limits.connections);
        }
        let shared = Shared::new(
            self.served.methods.clone(),
            peer,
            limits,
            self.leaving.clone(),
            Arc::clone(&self.budget),
        );
        let open = Arc::clone(&self.open);
        let (stop, agents) = (self.stop.clone(), self.served.agents.clone());
        self.tracker.spawn(async move {
            let conn = shared.peer.connection;
            tracing::debug!(conn, pid, "connected");
            if let Err(error) = converse(stream, shared, agents, stop).await {
                tracing::debug!(conn, %error, "connection failed");
            }
            tracing::debug!(conn, "disconnected");
            drop(open);
        });
    }

    fn refuse(&self, stream: UnixStream, limit: usize) {
        if Arc::strong_count(&self.refusals) > REFUSALS {
            // A new socket has room for it. If not, the client is refused nevertheless.
            let line = refusal(limit);
            let _ = rustix::io::write(&stream, format!("{line}\n").as_bytes());
            return;
        }
        let refusal = Arc::clone(&self.refusals);
        self.tracker.spawn(async move {
            // The client is refused even if the reply could not be sent.
            let _ = tokio::time::timeout(REFUSAL_TIME, tell_refusal(stream, limit)).await;
            drop(refusal);
        });
    }
}

/// Waits for the client's first bytes and serves it with the transport that they select.
pub(super) async fn converse(
    mut stream: UnixStream,
    shared: Arc<Shared>,
    agents: Agents,
    stop: CancellationToken,
) -> io::Result<()> {
    let _gone = shared.peer.gone.clone().drop_guard();
    let Some(first) = stop.run_until_cancelled(first_words(&mut stream)).await else {
        return Ok(());
    };
    let first = first?;
    match first.first() {
        None => Ok(()),
        // Boxed, so that other connections take up no memory for it.
        Some(b'A'..=b'Z') => Box::pin(http::serve(stream, first, shared, stop)).await,
        Some(&letter) if letter == ccd_protocol::mcp::WORD.as_bytes()[0] => {
            mcp::serve(stream, first, shared, agents, stop).await
        }
        Some(_) => exchange::serve(stream, first, Framing::lines(&shared), shared, stop).await,
    }
}

/// Returns the client's first bytes, without leading white space; empty if it sends none.
async fn first_words(stream: &mut UnixStream) -> io::Result<Vec<u8>> {
    loop {
        // Allocated only when there is something to read, because connections are silent most of the time.
        stream.readable().await?;
        let mut first = Vec::with_capacity(FIRST_READ_BYTES);
        if stream.read_buf(&mut first).await? == 0 {
            return Ok(first);
        }
        if let Some(start) = first.iter().position(|byte| !byte.is_ascii_whitespace()) {
            first.drain(..start);
            return Ok(first);
        }
    }
}

fn refusal(limit: usize) -> String {
    let line = complaint(Fault::Connections { limit });
    line.get().to_owned()
}

async fn tell_refusal(mut stream: UnixStream, limit: usize) -> io::Result<()> {
    let line = refusal(limit);
    let mut peek = [0; FIRST_READ_BYTES];
    let heard = tokio::time::timeout(FIRST_WORDS_TIME, stream.read(&mut peek)).await;
    let is_http = matches!(heard, Ok(Ok(1..))) && peek[0].is_ascii_uppercase();
    let text = if is_http {
        let len = line.len() + 1;
        format!(
            "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
             content-length: {len}\r\nconnection: close\r\n\r\n{line}\n"
        )
    } else {
        format!("{line}\n")
    };
    stream.write_all(text.as_bytes()).await?;
    stream.shutdown().await?;
    // Closing the socket with unread data would give the client an error instead of end-of-file.
    while stream.read(&mut peek).await? > 0 {}
    Ok(())
}
