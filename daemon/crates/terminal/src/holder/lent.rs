//! Terminals that are lent to the worker: while one prints little, the worker reads it itself, so that each output wakes
//! one process instead of two.
//! The holder lends a terminal after a series of short reads ([`RingWriter::lend`]); the worker reads it into the ring
//! ([`LentTerminal::read`]). It returns it ([`Ring::return_terminal`]) when the terminal floods, its ring is full or nobody has
//! it open, at the session's end and before a handover. The holder takes terminals back from a worker that has died or
//! was stopped. A kill during a read loses nothing: the ring's header holds the position and length of that read, and
//! the kernel writes the packet's kind there in the same call as the bytes.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

use rustix::io::{Errno, ioctl_fionread};

use super::packet::Received;
use super::platform::{kind_of, receive};
use super::ring::layout::{HELD, LENT, NO_PACKET, READING, RING_BYTES};
use super::ring::{Ring, RingWriter};
use super::terminal::{FLOOD_AFTER_READS, FULL_READ_BYTES};

/// A terminal that this process reads. Only a holder that is a process of its own lends any.
#[derive(Debug)]
pub struct LentTerminal {
    master: Arc<OwnedFd>,
    ring: RingWriter,
    /// Full reads in a row.
    full_reads: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LentRead {
    /// There may be more to read.
    Part,
    /// There was no more.
    All,
    /// The holder must read it from now on: see [`Ring::return_terminal`].
    MustReturn,
    /// The holder has taken it back.
    TakenBack,
}

impl Ring {
    /// Returns true if the holder has lent the terminal to this process.
    pub fn is_lent(&self) -> bool {
        self.mapping.lent.reader.load(SeqCst) != HELD
    }

    /// Returns the terminal to the holder. Returns true if it was lent; then `Holder::returned` must be called.
    #[must_use = "nobody reads the terminal until the holder is notified"]
    pub fn return_terminal(&self) -> bool {
        self.mapping.lent.reader.swap(HELD, SeqCst) != HELD
    }

    /// Returns the terminal, which was lent, for reading. `master` is a descriptor of it. There may be only one at a time.
    pub fn borrow(&self, master: Arc<OwnedFd>) -> LentTerminal {
        LentTerminal {
            master,
            ring: self.writer(),
            full_reads: 0,
        }
    }
}

impl LentTerminal {
    /// Reads what is there already. Returns false if there was nothing; otherwise, the task that waits for the terminal
    /// must be notified, because the kernel may not wake it any more.
    pub fn catch_up(&mut self) -> bool {
        match self.unread() {
            0 => false,
            unread => self.read_up_to(unread) != LentRead::TakenBack,
        }
    }

    pub fn read(&mut self) -> LentRead {
        self.read_up_to(self.unread())
    }

    fn read_up_to(&mut self, unread: usize) -> LentRead {
        let reader = &self.ring.mapping.lent.reader;
        let began = reader.compare_exchange(LENT, READING, SeqCst, SeqCst);
        if began.is_err() {
            return LentRead::TakenBack;
        }
        let read = self.read_once(unread);
        self.ring.mapping.lent.reader.store(LENT, SeqCst);
        read
    }

    /// Returns how many bytes the kernel has for the next read.
    fn unread(&self) -> usize {
        let unread = ioctl_fionread(&self.master).unwrap_or(0);
        usize::try_from(unread).unwrap_or(usize::MAX)
    }

    fn read_once(&mut self, unread: usize) -> LentRead {
        // The holder waits for room, and finds out whether all processes have closed the terminal or the ring is lost.
        let room = self.ring.spare().len();
        if room == 0 || self.ring.is_lost() {
            return LentRead::MustReturn;
        }
        let asked = room.min(unread);
        match self.ring.receive_packet(&self.master, asked) {
            Ok(Received::Output(len)) => {
                let is_full = len > FULL_READ_BYTES || len == room;
                self.full_reads = if is_full { self.full_reads + 1 } else { 0 };
                match (self.full_reads > FLOOD_AFTER_READS, is_full) {
                    (true, _) => LentRead::MustReturn,
                    (false, true) => LentRead::Part,
                    (false, false) => LentRead::All,
                }
            }
            // Output follows the report.
            Ok(Received::Change { .. }) => LentRead::Part,
            Err(Errno::AGAIN | Errno::INTR) => LentRead::All,
            Ok(Received::Closed) | Err(_) => LentRead::MustReturn,
        }
    }
}

impl RingWriter {
    /// Lends the terminal to the worker. The caller must no longer read it.
    pub(super) fn lend(&mut self) {
        self.mapping.lent.reader.store(LENT, SeqCst);
    }

    /// Returns true if the worker does not have the terminal, or has returned it.
    pub(super) fn is_held(&self) -> bool {
        self.mapping.lent.reader.load(SeqCst) == HELD
    }

    /// Takes the terminal back from a worker that is alive. Fails if it is in the middle of a read.
    pub(super) fn call_back(&mut self) -> bool {
        let reader = &self.mapping.lent.reader;
        let called = reader.compare_exchange(LENT, HELD, SeqCst, SeqCst);
        called.is_ok() || called == Err(HELD)
    }

    /// Takes the terminal back from a worker that has ended, and counts what its last read has received.
    pub(super) fn take_back(&mut self) {
        self.finish_packet();
        self.mapping.lent.reader.store(HELD, SeqCst);
    }

    /// Reads a packet of at most `len` bytes, which must be available and have room.
    fn receive_packet(&mut self, master: &OwnedFd, len: usize) -> Result<Received, Errno> {
        let lent = &self.mapping.lent;
        lent.read_from.store(self.head(), SeqCst);
        lent.read_len.store(len as u64, SeqCst);
        let flushes = self.mapping.input_flushes.load(Relaxed);
        lent.flushes_before.store(flushes, SeqCst);
        // SAFETY: the byte lies in the mapping, which outlives the call, and while the terminal is lent only its reader
        // accesses it, which this is.
        let kind = unsafe { &mut *lent.packet_kind.as_ptr() };
        let spare = self.spare();
        let len = len.min(spare.len());
        let received = receive(master, kind, &mut spare[..len])?;
        match received {
            Received::Output(len) => self.publish(len),
            Received::Change { input_flushed } => {
                if input_flushed {
                    self.count_input_flush();
                }
            }
            Received::Closed => {}
        }
        self.mapping.lent.packet_kind.store(NO_PACKET, SeqCst);
        Ok(received)
    }

    /// Counts a packet that was received but perhaps not counted before the worker was killed.
    fn finish_packet(&mut self) {
        let room = RING_BYTES - self.held();
        let head = self.head();
        let lent = &self.mapping.lent;
        let kind = lent.packet_kind.swap(NO_PACKET, SeqCst);
        if kind == NO_PACKET {
            return;
        }
        let len = lent.read_len.load(SeqCst) as usize;
        let is_uncounted = lent.read_from.load(SeqCst) == head;
        let flushes = self.mapping.input_flushes.load(SeqCst);
        let is_unnoted = lent.flushes_before.load(SeqCst) == flushes;
        match kind_of(kind, len) {
            Received::Output(len) => {
                if is_uncounted && len <= room {
                    self.publish(len);
                }
            }
            Received::Change {
                input_flushed: true,
            } if is_unnoted => self.count_input_flush(),
            Received::Change { .. } | Received::Closed => {}
        }
    }
}

// A holder that is a thread of the worker lends nothing.
#[cfg(all(test, not(portable)))]
#[path = "lent_tests.rs"]
mod tests;
