//! Serves one HTTP connection.

use super::post::Posts;
use super::stream::HttpStream;
use crate::exchange;
use crate::framing::Framing;
use crate::guard::Guard;
use crate::shared::Shared;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::Interest;
use tokio::net::UnixStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Most bytes of a request's head, and of what hyper reads and writes at a time.
const BUFFER_BYTES: usize = 64 << 10;

/// Serves `stream`, of which `first` was read already, until the client is done or has disconnected.
/// When `stop` is cancelled, no more requests are read, and the one in progress gets the grace period. Returns after the
/// last call of the connection has finished or was dropped.
pub(crate) async fn serve(
    stream: UnixStream,
    first: Vec<u8>,
    shared: Arc<Shared>,
    stop: CancellationToken,
) -> io::Result<()> {
    let posts = Arc::new(Posts {
        service: Guard::new(Arc::clone(&shared), None),
        calls: TaskTracker::new(),
        is_upgraded: AtomicBool::new(false),
    });
    let stream = HttpStream::new(stream, first, &shared);
    let left = requests(stream, &posts, &shared, &stop).await;
    if let Ok(Some((stream, rest))) = left {
        let framing = Framing::websocket(&shared);
        return exchange::serve(stream, rest, framing, shared, stop).await;
    }
    shared.peer.gone.cancel();
    posts.calls.close();
    posts.calls.wait().await;
    left.map(drop)
}

/// Serves requests. Returns the stream and what was read of it already if it has become a WebSocket.
async fn requests(
    stream: HttpStream,
    posts: &Arc<Posts>,
    shared: &Shared,
    stop: &CancellationToken,
) -> io::Result<Option<(UnixStream, Vec<u8>)>> {
    let watched = StdUnixStream::from(stream.stream.as_fd().try_clone_to_owned()?);
    let watched = UnixStream::from_std(watched)?;
    let service = service_fn(|request| {
        let posts = Arc::clone(posts);
        Box::pin(async move { Ok::<_, Infallible>(posts.respond(request).await) })
    });
    let mut connection = http1::Builder::new()
        .half_close(true)
        .max_buf_size(BUFFER_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let served = tokio::select! {
        biased;
        served = poll_fn(|cx| connection.poll_without_shutdown(cx)) => Some(served),
        // hyper does not notice while a further request is already in its buffer.
        () = hang_up(&watched) => return Ok(None),
        () = shared.client.cut.cancelled() => return Ok(None),
        () = stop.cancelled() => None,
    };
    let served = match served {
        Some(served) => served,
        None => {
            Pin::new(&mut connection).graceful_shutdown();
            tokio::select! {
                served = poll_fn(|cx| connection.poll_without_shutdown(cx)) => served,
                () = hang_up(&watched) => return Ok(None),
                () = tokio::time::sleep(shared.limits.grace) => return Ok(None),
            }
        }
    };
    served.map_err(io::Error::other)?;
    let parts = connection.into_parts();
    let stream = parts.io.into_inner().stream;
    let is_upgraded = posts.is_upgraded.load(Ordering::Relaxed);
    Ok(is_upgraded.then(|| (stream, parts.read_buf.into())))
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
