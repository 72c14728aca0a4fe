//! A ring file: its layout, that of its header, and the checks that make it valid.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

pub(in crate::holder) const RING_BYTES: usize = 256 << 10;

/// How many gaps of the log a ring can store separately.
pub(in crate::holder) const MAX_GAPS: usize = 64;

pub(in crate::holder) const HEADER_BYTES: usize = 4096;

/// Where the data starts in the file: a multiple of every page size in use (the rest is a hole and costs nothing).
pub(in crate::holder) const DATA_OFFSET: usize = 64 << 10;

/// The length of the file.
pub(in crate::holder) const FILE_BYTES: usize = DATA_OFFSET + RING_BYTES;

/// How many addresses a mapping takes: the header, and the data twice.
pub(in crate::holder) const MAPPED_BYTES: usize = DATA_OFFSET + 2 * RING_BYTES;

const MAGIC: u64 = u64::from_le_bytes(*b"ccd ring");
/// A position beyond this was written by another program: no terminal prints so much.
pub(in crate::holder) const MAX_POSITION: u64 = 1 << 56;

/// Why [`RingLayout::check`] refuses the ring of another build.
pub(in crate::holder) const OTHER_VERSION: &str = "its layout has another version";

/// The version of the layout. A worker can only take over rings of its own version.
pub const VERSION: u32 = 2;

/// Bytes that are missing from the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    pub offset: u64,
    pub len: u64,
}

/// A value in its own cache line, so that the two ends do not slow each other down.
#[repr(C, align(64))]
#[derive(Debug)]
pub(in crate::holder) struct CacheLine<T>(T);

impl<T> std::ops::Deref for CacheLine<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

#[repr(C)]
#[derive(Debug)]
pub(in crate::holder) struct GapCell {
    pub(in crate::holder) offset: AtomicU64,
    pub(in crate::holder) len: AtomicU64,
}

pub(in crate::holder) const NOTE_BYTES: usize = 63;

/// A few bytes that the worker stores.
#[repr(C)]
#[derive(Debug)]
pub(in crate::holder) struct RingNote {
    pub(in crate::holder) len: AtomicU8,
    pub(in crate::holder) bytes: [AtomicU8; NOTE_BYTES],
}

/// Value of `reader`: the holder reads the terminal.
pub(in crate::holder) const HELD: u32 = 0;

/// The worker has the terminal and is not in a read, so the holder can take it back.
pub(in crate::holder) const LENT: u32 = 1;

/// The worker is in the middle of a read: the holder can take the terminal back only once the worker has ended.
pub(in crate::holder) const READING: u32 = 2;

/// Value of `packet_kind` when there is no packet that was not counted; no packet has this kind.
pub(in crate::holder) const NO_PACKET: u8 = 0xee;

/// Whether the terminal is lent to the worker, and what the holder must know if the worker is killed during a read.
/// The kernel writes the packet's kind and its bytes to this file in one call. The worker asks only for bytes that the
/// kernel already has, so once the kind is there, so are all of them.
#[repr(C)]
#[derive(Debug)]
pub(in crate::holder) struct LentHeader {
    pub(in crate::holder) reader: AtomicU32,
    /// [`NO_PACKET`], except after the kernel has written a packet and before it was counted.
    pub(in crate::holder) packet_kind: AtomicU8,
    /// `head` before the read.
    pub(in crate::holder) read_from: AtomicU64,
    /// How many bytes the read asks for.
    pub(in crate::holder) read_len: AtomicU64,
    /// `input_flushes` before the read.
    pub(in crate::holder) flushes_before: AtomicU32,
}

/// The header as it is in the file. Changing it requires a new [`VERSION`].
#[repr(C)]
#[derive(Debug)]
pub(in crate::holder) struct RingLayout {
    magic: AtomicU64,
    version: AtomicU32,
    capacity_bytes: AtomicU32,
    pub(in crate::holder) head: CacheLine<AtomicU64>,
    pub(in crate::holder) tail: CacheLine<AtomicU64>,
    pub(in crate::holder) holder_waits: CacheLine<AtomicU32>,
    pub(in crate::holder) status: CacheLine<AtomicU32>,
    pub(in crate::holder) eof: AtomicU32,
    pub(in crate::holder) input_flushes: AtomicU32,
    pub(in crate::holder) lent: CacheLine<LentHeader>,
    pub(in crate::holder) cursor: CacheLine<AtomicU64>,
    pub(in crate::holder) log_base: AtomicU64,
    pub(in crate::holder) output_lines: AtomicU64,
    pub(in crate::holder) answered: AtomicU64,
    pub(in crate::holder) notes: [RingNote; 2],
    /// The index of the complete one of `notes`, plus 1; 0: none.
    pub(in crate::holder) note_index: AtomicU64,
    pub(in crate::holder) gap_count: AtomicU64,
    pub(in crate::holder) gaps: CacheLine<[GapCell; MAX_GAPS]>,
}

const _: () = assert!(size_of::<RingLayout>() <= HEADER_BYTES);

impl RingLayout {
    /// Returns true if another program has truncated or overwritten the file. That does not change any more, even if the
    /// positions become plausible again.
    pub(in crate::holder) fn is_lost(&self) -> bool {
        if self.magic.load(Acquire) != MAGIC {
            return true;
        }
        let positions = [&self.head, &self.tail];
        let is_wrong = positions
            .iter()
            .any(|position| position.load(Relaxed) > MAX_POSITION);
        if is_wrong {
            self.set_lost();
        }
        is_wrong
    }

    /// Has both processes notice that another program has truncated the file.
    pub(in crate::holder) fn set_lost(&self) {
        self.magic.store(0, Release);
    }

    /// Marks the zeroed header of a new file as a ring's.
    pub(in crate::holder) fn initialise(&self) {
        self.version.store(VERSION, Relaxed);
        self.capacity_bytes.store(RING_BYTES as u32, Relaxed);
        self.lent.packet_kind.store(NO_PACKET, Relaxed);
        self.magic.store(MAGIC, Release);
    }

    pub(in crate::holder) fn check(&self) -> Result<(), &'static str> {
        if self.is_lost() {
            return Err("it does not start as a ring does");
        }
        if self.version.load(Relaxed) != VERSION {
            return Err(OTHER_VERSION);
        }
        if self.capacity_bytes.load(Relaxed) as usize != RING_BYTES {
            return Err("it has another capacity");
        }
        let (tail, head) = (self.tail.load(Relaxed), self.head.load(Relaxed));
        if head
            .checked_sub(tail)
            .is_none_or(|held| held > RING_BYTES as u64)
        {
            return Err("its positions contradict each other");
        }
        if self.gap_count.load(Relaxed) > MAX_GAPS as u64 {
            return Err("it counts too many gaps");
        }
        Ok(())
    }
}
