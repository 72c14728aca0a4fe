//! Terminals in packet mode: every read starts with a byte that says whether output follows or something has changed.

use std::io::IoSliceMut;
use std::os::fd::OwnedFd;

use rustix::io::{Errno, readv};
use rustix::ioctl::{Opcode, Setter, ioctl};

use crate::holder::packet::Received;

/// Turns packet mode on or off (`ioctl_tty(2)`).
const SET_PACKETS: Opcode = libc::TIOCPKT as Opcode;

/// The byte before output.
const OUTPUT: u8 = 0; // TIOCPKT_DATA

/// The bit that is set if unread input was discarded.
const INPUT_FLUSHED: u8 = 1; // TIOCPKT_FLUSHREAD

/// Makes a new terminal report discarded input. After that, it can only be read by [`receive`].
pub(crate) fn report_flushes(master: &OwnedFd) -> Result<(), Errno> {
    // SAFETY: this ioctl reads one int and keeps no pointer to it.
    unsafe { ioctl(master, Setter::<SET_PACKETS, libc::c_int>::new(1)) }
}

/// Reads once: what the packet is into `kind` and its bytes into `spare`.
pub(crate) fn receive(
    master: &OwnedFd,
    kind: &mut u8,
    spare: &mut [u8],
) -> Result<Received, Errno> {
    let mut into = [
        IoSliceMut::new(std::slice::from_mut(kind)),
        IoSliceMut::new(spare),
    ];
    Ok(match readv(master, &mut into)? {
        0 => Received::Closed,
        len => kind_of(*kind, len - 1),
    })
}

/// Returns what a packet of this kind with `len` bytes is.
pub(crate) fn kind_of(kind: u8, len: usize) -> Received {
    match kind {
        OUTPUT => Received::Output(len),
        changes => Received::Change {
            input_flushed: changes & INPUT_FLUSHED != 0,
        },
    }
}
