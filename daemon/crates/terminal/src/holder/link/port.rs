//! A socket between the holder and the worker, for messages with descriptors.
//! Messages are short and few at a time, so that the socket always has room for one. Anything long is passed as a file
//! in memory.

use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags,
    SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::Interest;

use crate::holder::platform;
use crate::readiness;

const MAX_MESSAGE_BYTES: usize = 32 << 10;

/// Maximum length of a file in memory: more than the kernel accepts as arguments and environment.
const MAX_BLOB_BYTES: u64 = 16 << 20;

pub(in crate::holder) const MAX_DESCRIPTORS: usize = 64;

/// The header of a message: its length, and the number of descriptors sent with it.
const HEAD_BYTES: usize = size_of::<u16>() + size_of::<u8>();

const READ_BYTES: usize = 16 << 10;

/// Keeps programs that are started meanwhile from inheriting a port.
#[cfg(target_os = "linux")]
const PAIR: SocketFlags = SocketFlags::CLOEXEC;
#[cfg(not(target_os = "linux"))]
const PAIR: SocketFlags = SocketFlags::empty();

/// Makes sending to a closed port an error, not a signal. On other systems the signal is ignored.
#[cfg(target_os = "linux")]
const SEND: SendFlags = SendFlags::NOSIGNAL;
#[cfg(not(target_os = "linux"))]
const SEND: SendFlags = SendFlags::empty();

/// Keeps programs from inheriting received descriptors. On other systems, each child closes all of them.
#[cfg(target_os = "linux")]
const RECEIVE: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(not(target_os = "linux"))]
const RECEIVE: RecvFlags = RecvFlags::empty();

/// One end of a port. It is non-blocking.
#[derive(Debug)]
pub(crate) struct Port {
    socket: OwnedFd,
    received: Vec<u8>,
    /// The descriptors received, for each message that has some. One read returns those of at most one message. A
    /// process that has reached its limit on descriptors gets fewer.
    descriptors: VecDeque<Vec<OwnedFd>>,
    /// The other end is closed: there are no more messages but those that were received.
    pub(crate) has_ended: bool,
}

impl Port {
    pub(crate) fn pair() -> io::Result<(Self, Self)> {
        let (kind, family) = (SocketType::STREAM, AddressFamily::UNIX);
        let (one, other) = rustix::net::socketpair(family, kind, PAIR, None)?;
        Ok((Self::from_socket(one)?, Self::from_socket(other)?))
    }

    pub(crate) fn from_socket(socket: OwnedFd) -> io::Result<Self> {
        rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
        rustix::io::ioctl_fionbio(&socket, true)?;
        Ok(Self {
            socket,
            received: Vec::new(),
            descriptors: VecDeque::new(),
            has_ended: false,
        })
    }

    pub(crate) fn send(
        &self,
        message: &impl Serialize,
        descriptors: &[BorrowedFd<'_>],
    ) -> io::Result<()> {
        send_over(&self.socket, message, descriptors)
    }

    /// Returns a copy of the socket, for sending from elsewhere.
    pub(crate) fn sender(&self) -> io::Result<OwnedFd> {
        self.socket.try_clone()
    }

    /// Reads pending messages, once the socket is readable. A closed connection is not an error.
    pub(crate) fn receive(&mut self) -> io::Result<()> {
        let mut bytes = [0; READ_BYTES];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
        loop {
            let mut control = RecvAncillaryBuffer::new(&mut space);
            let mut into = [IoSliceMut::new(&mut bytes)];
            let read = match rustix::net::recvmsg(&self.socket, &mut into, &mut control, RECEIVE) {
                Ok(read) => read,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            let mut descriptors = Vec::new();
            for message in control.drain() {
                if let RecvAncillaryMessage::ScmRights(some) = message {
                    descriptors.extend(some);
                }
            }
            if !descriptors.is_empty() || read.flags.contains(ReturnFlags::CTRUNC) {
                self.descriptors.push_back(descriptors);
            }
            if read.bytes == 0 {
                self.has_ended = true;
                return Ok(());
            }
            self.received.extend_from_slice(&bytes[..read.bytes]);
        }
    }

    /// Calls `take` for each message until the connection is closed. Must be called inside the runtime.
    pub(crate) async fn receive_all<M: DeserializeOwned>(
        mut self,
        mut take: impl FnMut(M, Vec<OwnedFd>) -> io::Result<()>,
    ) -> io::Result<()> {
        let readable = readiness::watch(Arc::new(self.sender()?), Interest::READABLE)?;
        while !self.has_ended {
            readable.readable().await?.clear_ready();
            self.receive()?;
            while let Some((message, descriptors)) = self.next()? {
                take(message, descriptors)?;
            }
        }
        Ok(())
    }

    /// Returns the next complete message with its descriptors: all of them, or as many as this process could get.
    pub(crate) fn next<M: DeserializeOwned>(&mut self) -> io::Result<Option<(M, Vec<OwnedFd>)>> {
        let Some((&[low, high, count], rest)) = self.received.split_first_chunk::<HEAD_BYTES>()
        else {
            return Ok(None);
        };
        let len = u16::from_le_bytes([low, high]) as usize;
        let Some(message) = rest.get(..len) else {
            return Ok(None);
        };
        let message = postcard::from_bytes(message).map_err(invalid)?;
        self.received.drain(..HEAD_BYTES + len);
        let descriptors = if count > 0 {
            let descriptors = self.descriptors.pop_front();
            descriptors.ok_or(io::ErrorKind::InvalidData)?
        } else {
            Vec::new()
        };
        Ok(Some((message, descriptors)))
    }
}

impl From<Port> for OwnedFd {
    fn from(port: Port) -> Self {
        port.socket
    }
}

impl AsFd for Port {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Sends a message as [`Port::send`] does, with only its socket.
pub(crate) fn send_over(
    socket: &OwnedFd,
    message: &impl Serialize,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let mut bytes = postcard::to_extend(message, vec![0; HEAD_BYTES]).map_err(invalid)?;
    let len = bytes.len() - HEAD_BYTES;
    if len > MAX_MESSAGE_BYTES || descriptors.len() > MAX_DESCRIPTORS {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let [low, high] = (len as u16).to_le_bytes();
    bytes[..HEAD_BYTES].copy_from_slice(&[low, high, descriptors.len() as u8]);
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !control.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let sent = rustix::io::retry_on_intr(|| {
        let bytes = [IoSlice::new(&bytes)];
        rustix::net::sendmsg(socket, &bytes, &mut control, SEND)
    })?;
    if sent == bytes.len() {
        Ok(())
    } else {
        Err(io::ErrorKind::WriteZero.into()) // half a message is useless
    }
}

/// Writes something long to memory that can be passed to another process.
pub(crate) fn blob(content: &impl Serialize) -> io::Result<OwnedFd> {
    let memory = platform::memory_file("ccd message")?;
    let bytes = postcard::to_stdvec(content).map_err(invalid)?;
    let file = std::fs::File::from(memory);
    std::os::unix::fs::FileExt::write_all_at(&file, &bytes, 0)?;
    Ok(file.into())
}

/// Reads what [`blob`] has written.
pub(crate) fn read_blob<T: DeserializeOwned>(memory: OwnedFd) -> io::Result<T> {
    let file = std::fs::File::from(memory);
    let len = file.metadata()?.len();
    if len > MAX_BLOB_BYTES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = vec![0; len as usize];
    std::os::unix::fs::FileExt::read_exact_at(&file, &mut bytes, 0)?;
    postcard::from_bytes(&bytes).map_err(invalid)
}

fn invalid(error: postcard::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// Returns the messages of `pieces` that were sent by a holder and by a worker, for the fuzzer.
#[cfg(feature = "fuzzing")]
pub fn messages_in(pieces: &[&[u8]]) -> io::Result<[Vec<String>; 2]> {
    use super::wire::{ToHolder, ToWorker};
    fn read<M: DeserializeOwned + std::fmt::Debug>(pieces: &[&[u8]]) -> io::Result<Vec<String>> {
        let (mut port, other) = Port::pair()?;
        let mut messages = Vec::new();
        for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
            rustix::io::write(&other, piece)?;
            port.receive()?;
            loop {
                match port.next::<M>() {
                    Ok(Some((message, _))) => messages.push(format!("{message:?}")),
                    Ok(None) => break,
                    Err(_) => return Ok(messages),
                }
            }
        }
        Ok(messages)
    }
    Ok([read::<ToHolder>(pieces)?, read::<ToWorker>(pieces)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn descriptors_come_with_their_message() {
        let (mut one, other) = Port::pair().unwrap();
        let (read, write) = rustix::pipe::pipe().unwrap();
        other.send(&1_u32, &[]).unwrap();
        other.send(&2_u32, &[read.as_fd(), write.as_fd()]).unwrap();
        drop((read, write, other));
        one.receive().unwrap();
        let mut next = || one.next::<u32>().unwrap();
        assert!(matches!(next(), Some((1, none)) if none.is_empty()));
        let Some((2, descriptors)) = next() else {
            panic!("another message");
        };
        assert!(next().is_none());
        let [read, write]: [OwnedFd; 2] = descriptors.try_into().unwrap();
        assert_eq!(rustix::io::write(&write, b"x").unwrap(), 1);
        assert_eq!(rustix::io::read(&read, &mut [0_u8; 4]).unwrap(), 1);
        // A child that another test has just forked may have the other end open for a moment.
        let late = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while !one.has_ended && std::time::Instant::now() < late {
            one.receive().unwrap();
        }
        assert!(one.has_ended);
    }

    #[test]
    fn something_long_goes_as_a_file() {
        let long = "x".repeat(1 << 20);
        let blob = blob(&long).unwrap();
        assert_eq!(read_blob::<String>(blob).unwrap(), long);
        let (_one, other) = Port::pair().unwrap();
        assert!(other.send(&long, &[]).is_err());
    }

    proptest! {
        #[test]
        fn what_is_no_message_is_an_error_or_waits_for_more(bytes: Vec<u8>) {
            let (mut one, other) = Port::pair().unwrap();
            if !bytes.is_empty() {
                rustix::io::write(&other, &bytes).unwrap();
            }
            one.receive().unwrap();
            while let Ok(Some(_)) = one.next::<super::super::wire::ToHolder>() {}
        }
    }
}
