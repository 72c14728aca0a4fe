//! A client's socket, which is watched for room only while there is none.
//!
//! The kernel tells whoever watches a socket for room of every message that the other side takes. Nearly always there
//! is room, so this would be a wake-up for nothing after every reply.

use rustix::io::Errno;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::net::UnixStream;

#[derive(Debug)]
pub(super) struct Socket {
    watch: AsyncFd<Arc<OwnedFd>>,
    watches_room: bool,
}

impl Socket {
    pub(super) fn new(stream: UnixStream) -> io::Result<Self> {
        let descriptor = Arc::new(OwnedFd::from(stream.into_std()?));
        Ok(Self {
            watch: crate::readiness::watch(descriptor, Interest::READABLE)?,
            watches_room: false,
        })
    }

    /// Waits until there is something to read, or the client says no more.
    pub(super) async fn readable(&self) -> io::Result<()> {
        self.watch.readable().await?.retain_ready();
        Ok(())
    }

    /// Reads once, without waiting: `None` when there is nothing, an empty piece at the end.
    pub(super) fn read<'a>(
        &self,
        space: &'a mut [MaybeUninit<u8>],
    ) -> io::Result<Option<&'a [u8]>> {
        let room = space.len();
        let mut piece = None;
        let read = self.watch.try_io(Interest::READABLE, |socket| {
            match rustix::io::read(socket, space) {
                Ok((bytes, _)) => {
                    let is_drained = !bytes.is_empty() && bytes.len() < room;
                    piece = Some(&*bytes);
                    // As if it had been looked once more: whatever comes next is reported.
                    if is_drained {
                        Err(Errno::AGAIN.into())
                    } else {
                        Ok(())
                    }
                }
                Err(Errno::INTR) => Ok(()),
                Err(error) => Err(error.into()),
            }
        });
        match read {
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
            _ => Ok(piece),
        }
    }

    /// The same socket, watched for room or not.
    pub(super) fn watching_room(self, watches_room: bool) -> io::Result<Self> {
        if watches_room == self.watches_room {
            return Ok(self);
        }
        let interest = if watches_room {
            Interest::READABLE | Interest::WRITABLE
        } else {
            Interest::READABLE
        };
        // There is one watch for a descriptor; the new one begins with how things are.
        let descriptor = self.watch.into_inner();
        Ok(Self {
            watch: crate::readiness::watch(descriptor, interest)?,
            watches_room,
        })
    }

    /// Waits until there may be room, which is watched.
    ///
    /// # Errors
    ///
    /// `BrokenPipe` when the client has left. One that has only closed its own sending direction has not.
    pub(super) async fn writable(&self) -> io::Result<()> {
        let mut ready = self.watch.writable().await?;
        if ready.ready().is_write_closed() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        // Before the next write, so that what happens meanwhile is reported.
        ready.clear_ready();
        Ok(())
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.watch.get_ref().as_fd()
    }
}
