//! A client's socket, which is watched for room to write only while there is none.
//! The kernel reports every message that the other side reads to a process that watches the socket for room. There is
//! nearly always room, so each reply would cause a useless wake-up.

use rustix::io::Errno;
use rustix::net::Shutdown;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::net::UnixStream;

#[derive(Debug)]
pub(super) struct ClientSocket {
    watch: AsyncFd<Arc<OwnedFd>>,
    watches_room: bool,
}

impl ClientSocket {
    pub(super) fn new(stream: UnixStream) -> io::Result<Self> {
        let descriptor = Arc::new(OwnedFd::from(stream.into_std()?));
        Ok(Self {
            watch: ccd_terminal::readiness::watch(descriptor, Interest::READABLE)?,
            watches_room: false,
        })
    }

    pub(super) fn descriptor(&self) -> &Arc<OwnedFd> {
        self.watch.get_ref()
    }

    /// Waits until there is something to read, or the client has closed its sending direction.
    pub(super) async fn readable(&self) -> io::Result<()> {
        self.watch.readable().await?.retain_ready();
        Ok(())
    }

    /// Reads once, without waiting: `None` if there is nothing to read, empty at end-of-file.
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
                    // Marks the socket as read, so that the next data is reported.
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
        // A descriptor has only one watch; a new watch starts with the current state.
        let descriptor = self.watch.into_inner();
        Ok(Self {
            watch: ccd_terminal::readiness::watch(descriptor, interest)?,
            watches_room,
        })
    }

    /// Waits until there may be room; the socket is watched for it.
    /// `BrokenPipe` if the client has disconnected; one that has only closed its sending direction has not.
    pub(super) async fn writable(&self) -> io::Result<()> {
        let mut ready = self.watch.writable().await?;
        if ready.ready().is_write_closed() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        // Called before the next write, so that changes in the meantime are reported.
        ready.clear_ready();
        Ok(())
    }
}

impl ClientSocket {
    /// Ends the sending direction, and waits for the client to close: otherwise it would lose the last bytes if it is still
    /// sending. Gives up after `limit`.
    pub(super) async fn linger(&self, limit: Duration) {
        let closed = async { while self.readable().await.is_ok() && self.discard() {} };
        if rustix::net::shutdown(self.as_fd(), Shutdown::Write).is_ok() {
            let _ = tokio::time::timeout(limit, closed).await;
        }
    }

    /// Reads once; returns whether more may come.
    fn discard(&self) -> bool {
        let mut space = [const { MaybeUninit::uninit() }; 4 << 10];
        matches!(self.read(&mut space), Ok(None | Some([_, ..])))
    }
}

impl AsFd for ClientSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.watch.get_ref().as_fd()
    }
}
