//! The stream that hyper reads from and writes to.

use crate::shared::Shared;
use std::io::{self, IoSlice};
use std::os::fd::AsFd as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::UnixStream;
use tokio::time::Sleep;

/// A stream of which the start was read already, and which fails if the client reads nothing for too long.
pub(super) struct HttpStream {
    pub(super) stream: UnixStream,
    /// Bytes that were read before; they are returned first.
    first: Vec<u8>,
    shared: Arc<Shared>,
    /// Runs while data is waiting for the client.
    stall: Option<Pin<Box<Sleep>>>,
}

impl HttpStream {
    pub(super) fn new(stream: UnixStream, first: Vec<u8>, shared: &Arc<Shared>) -> Self {
        Self {
            stream,
            first,
            shared: Arc::clone(shared),
            stall: None,
        }
    }

    /// Makes an error of a write that has been waiting for too long.
    fn unless_stalled(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stall = None;
            self.shared.client.note_stall(None);
            return written;
        }
        let (shared, stream) = (&self.shared, &self.stream);
        let stall = self.stall.get_or_insert_with(|| {
            if let Ok(socket) = stream.as_fd().try_clone_to_owned() {
                let stall = (Instant::now(), &Arc::new(socket));
                shared.client.note_stall(Some(stall));
            }
            Box::pin(tokio::time::sleep(shared.limits.write_stall))
        });
        let is_over = stall.as_mut().poll(cx);
        is_over.map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
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
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.unless_stalled(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.unless_stalled(cx, written)
    }

    /// So hyper does not copy bodies.
    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
