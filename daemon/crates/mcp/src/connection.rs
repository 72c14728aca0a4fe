//! One connection, from its first line to its end.

use crate::daemon::{Calls, Daemon};
use crate::server::{NAMELESS, Server};
use crate::tools::end_own_shell;
use crate::transport::{Lines, Out, first_line, parse};
use ccd_protocol::PROTOCOL_VERSION;
use ccd_protocol::mcp::{Opening, Resume};
use futures_util::future::{BoxFuture, FutureExt};
use rmcp::RoleServer;
use rmcp::ServerHandler as _;
use rmcp::model::{
    ClientRequest, ErrorData, InitializeRequestParams, JsonRpcMessage, ServerJsonRpcMessage,
};
use rmcp::service::{RunningService, serve_directly_with_ct, serve_server_with_ct};
use std::collections::VecDeque;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum length of the first line.
    pub opening_bytes: usize,
    /// Maximum number of requests without a reply.
    pub in_flight: usize,
    /// A client that reads nothing for this long, while a message is waiting for it, is disconnected.
    pub write_stall: Duration,
    /// How long calls may go on after the daemon was asked to stop.
    pub grace: Duration,
}

/// Serves `stream`, of which `first` has been read, until the client has disconnected or `stop` is cancelled. Returns
/// after its last call has finished or was dropped.
pub fn serve(
    stream: UnixStream,
    first: Vec<u8>,
    daemon: Arc<dyn Daemon>,
    limits: Limits,
    stop: CancellationToken,
) -> BoxFuture<'static, io::Result<()>> {
    // Boxed, so that it is compiled here, for a small size, and not in the crate of all connections.
    async move {
        let (mut reader, writer) = stream.into_split();
        let out = Arc::new(Out::new(writer, limits.write_stall));
        let opening = first_line(&mut reader, first, limits.opening_bytes, &*daemon);
        let Some(read) = stop.run_until_cancelled(opening).await else {
            return Ok(());
        };
        let opening = match &read {
            Err(error) if error.kind() == io::ErrorKind::OutOfMemory => Err(error.to_string()),
            Err(_) => return read.map(drop),
            Ok((buffer, line_len)) => opening_of(&buffer[..*line_len]),
        };
        let mut opening = match opening {
            Ok(opening) => opening,
            Err(mistake) => {
                let error = ErrorData::invalid_request(mistake, None);
                return out.write(&ServerJsonRpcMessage::error(error, None)).await;
            }
        };
        let (buffer, line_len) = read?;
        let resume = opening.resume.take().unwrap_or_default();
        let unanswered: VecDeque<_> = (resume.unanswered.iter())
            .filter_map(|message| parse(message.get().as_bytes()).ok())
            .collect();
        let tracker = TaskTracker::new();
        let give_up = CancellationToken::new();
        let ids = unanswered.iter().filter_map(|message| match message {
            JsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        });
        let (own, instance) = (Arc::clone(&daemon), opening.instance.clone());
        let server = Server::new(
            daemon,
            opening,
            ids.collect(),
            give_up.clone(),
            tracker.clone(),
        );
        let rest = (buffer, line_len + 1);
        let lines = Lines::new(
            reader,
            rest,
            unanswered,
            (out, Arc::clone(&own)),
            stop.clone(),
            limits.in_flight,
        );
        let serving = async {
            if let Some(running) = start(server, lines, &resume, give_up.clone()).await {
                // It ends with the loop of `rmcp`; its panic would be a bug there, and is logged by tokio.
                let _ = running.waiting().await;
            }
        };
        let patience = async {
            stop.cancelled().await;
            tokio::time::sleep(limits.grace).await;
            give_up.cancel();
            std::future::pending().await
        };
        tokio::select! {
            () = serving => {}
            () = patience => {}
        }
        tracker.close();
        tracker.wait().await;
        let calls = Calls {
            daemon: &*own,
            agent: NAMELESS,
        };
        stop.run_until_cancelled(end_own_shell(calls, &instance))
            .await;
        Ok(())
    }
    .boxed()
}

fn opening_of(line: &[u8]) -> Result<Opening, String> {
    let mut opening = Opening::parse(line)?;
    if opening.instance.is_empty() {
        // It must be the same for no other connection.
        opening.instance = format!("{:016x}", RandomState::new().hash_one(0));
    }
    match &opening.ccd {
        Some(caller) if caller.protocol != PROTOCOL_VERSION => Err(format!(
            "the client speaks version {} of the protocol, the daemon version {PROTOCOL_VERSION}; \
             run ccctl daemon upgrade",
            caller.protocol
        )),
        _ => Ok(opening),
    }
}

/// Starts MCP, or continues what another worker has begun. `None` if the client does not get that far.
async fn start(
    server: Server,
    lines: Lines,
    resume: &Resume,
    stop: CancellationToken,
) -> Option<RunningService<RoleServer, Server>> {
    let Some(info) = initialized(resume) else {
        let started = serve_server_with_ct(server, lines, stop).await;
        return match started {
            Ok(running) => Some(running),
            Err(error) => {
                tracing::debug!(error = %first_words(&error.to_string()), "MCP did not start");
                None
            }
        };
    };
    let negotiated = server.negotiate_initialize(&info).ok()?;
    let info = info.with_protocol_version(negotiated.protocol_version);
    let running = serve_directly_with_ct(server, lines, Some(info), stop);
    let peer = running.peer().clone();
    running.service().watching.list(peer.clone(), true);
    for uri in &resume.subscriptions {
        running.service().resubscribe(uri, &peer);
    }
    Some(running)
}

/// Returns what the client said of itself to the earlier worker.
fn initialized(resume: &Resume) -> Option<InitializeRequestParams> {
    match parse(resume.initialize.as_ref()?.get().as_bytes()).ok()? {
        JsonRpcMessage::Request(request) => match request.request {
            ClientRequest::InitializeRequest(initialize) => Some(initialize.params),
            _ => None,
        },
        _ => None,
    }
}

/// The start of an error of `rmcp`, which goes on with the client's message.
fn first_words(text: &str) -> &str {
    text.split(':').next().unwrap_or_default()
}
