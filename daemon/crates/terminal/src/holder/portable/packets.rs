//! Terminals without packet mode: discarded input is not reported.

use std::os::fd::OwnedFd;

use rustix::io::{Errno, read};

use crate::holder::packet::Received;

/// Does nothing.
#[allow(clippy::unnecessary_wraps, reason = "it can fail elsewhere")]
pub(crate) fn report_flushes(_master: &OwnedFd) -> Result<(), Errno> {
    Ok(())
}

/// Reads once into `spare`. There are no kinds of packets.
pub(crate) fn receive(
    master: &OwnedFd,
    _kind: &mut u8,
    spare: &mut [u8],
) -> Result<Received, Errno> {
    Ok(match read(master, spare)? {
        0 => Received::Closed,
        len => Received::Output(len),
    })
}

pub(crate) fn kind_of(_kind: u8, len: usize) -> Received {
    Received::Output(len)
}
