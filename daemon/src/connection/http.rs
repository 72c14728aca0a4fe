//! HTTP connections: jsonrpsee serves POST requests and WebSockets on the accepted stream.

use super::guard::{Guard, Shared};
use super::lines::QUEUE_LEN;
use super::whole_body::WholeBody;
use jsonrpsee::core::middleware::RpcServiceBuilder;
use jsonrpsee::server::{
    BatchRequestConfig, Server, ServerConfig, StopHandle, serve_with_graceful_shutdown,
};
use rustix::net::Shutdown;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::UnixStream;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// Serves `stream`, of which `first` was read already, until it is closed.
///
/// When `stop` is cancelled, `stop_handle` asks jsonrpsee to finish; what remains after the grace period is cut off.
pub(super) async fn serve(
    stream: UnixStream,
    first: Vec<u8>,
    shared: Arc<Shared>,
    stop_handle: StopHandle,
    stop: CancellationToken,
    tracker: TaskTracker,
) -> io::Result<()> {
    let (gone, grace) = (shared.peer.gone.clone(), shared.limits.grace);
    let socket = StdUnixStream::from(stream.as_fd().try_clone_to_owned()?);
    let socket = Arc::new(UnixStream::from_std(socket)?);
    let stream = HttpStream {
        stream,
        first,
        _gone: gone.clone().drop_guard(),
        _work: tracker.token(),
    };
    let (methods, limit_bytes) = (shared.methods.clone(), shared.limits.frame_bytes);
    let connection_id = shared.peer.connection as u32;
    let service = Server::builder()
        .set_config(config(&shared))
        .to_service_builder()
        .connection_id(connection_id)
        .set_rpc_middleware(
            RpcServiceBuilder::new().layer_fn(move |inner| Guard::new(inner, Arc::clone(&shared))),
        )
        .build(methods, stop_handle.clone());
    let service = WholeBody::new(service, limit_bytes);
    let watched = Arc::clone(&socket);
    tracker.spawn(async move {
        tokio::select! {
            biased;
            served = serve_with_graceful_shutdown(stream, service, stop_handle.shutdown()) => {
                if let Err(error) = served {
                    tracing::debug!(error = &*error, "http connection ended");
                }
            }
            // hyper does not notice while a further request is already in its buffer.
            () = hang_up(&watched) => {}
        }
    });
    let grace_is_over = async {
        stop.cancelled().await;
        tokio::time::sleep(grace).await;
    };
    tokio::select! {
        () = gone.cancelled() => {}
        () = grace_is_over => rustix::net::shutdown(&*socket, Shutdown::Both)?,
    }
    Ok(())
}

/// Waits until the client has closed the connection. One that closed only its sending direction has not.
async fn hang_up(socket: &UnixStream) {
    while let Ok(ready) = socket.ready(Interest::WRITABLE).await
        && !ready.is_write_closed()
    {
        // Clears the readiness, so that the next change is reported.
        let again = || Err::<(), _>(io::ErrorKind::WouldBlock.into());
        let _ = socket.try_io(Interest::WRITABLE, again);
    }
}

fn config(shared: &Shared) -> ServerConfig {
    let limits = &shared.limits;
    let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    ServerConfig::builder()
        .max_connections(small(limits.in_flight)) // requests at a time, of this connection
        .max_request_body_size(small(limits.frame_bytes))
        .max_response_body_size(small(limits.reply_bytes))
        .max_subscriptions_per_connection(limits.subscriptions)
        .set_batch_request_config(BatchRequestConfig::Limit(small(limits.batch)))
        .set_message_buffer_capacity(small(QUEUE_LEN))
        .build()
}

/// The stream, which jsonrpsee owns through upgrades and in its own tasks; dropping it ends the connection.
struct HttpStream {
    stream: UnixStream,
    /// Bytes that were read before; they are returned first.
    first: Vec<u8>,
    _gone: DropGuard,
    _work: TaskTrackerToken,
}

impl AsyncRead for HttpStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.first.is_empty() {
            return Pin::new(&mut self.stream).poll_read(cx, buffer);
        }
        let len = self.first.len().min(buffer.remaining());
        let rest = self.first.split_off(len);
        buffer.put_slice(&self.first);
        self.first = rest;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for HttpStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
