//! Shared memory through which the holder and the worker notify each other without waiting: sets of slots, and flags.

use std::io;
use std::os::fd::OwnedFd;
use std::ptr::NonNull;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU8};

use rustix::mm::{self, MapFlags, ProtFlags};

use crate::holder::platform;
use crate::holder::slot_set::{MAX_SLOTS, SlotSet};

/// How many bytes are mapped: a multiple of every page size in use.
const MAPPED_BYTES: usize = 64 << 10;

/// The layout of the shared memory. All zeros: nothing was noted yet.
#[repr(C)]
#[derive(Debug)]
pub(in crate::holder) struct SharedLayout {
    pub(in crate::holder) to_holder: Notes,
    pub(in crate::holder) quiet: News,
    pub(in crate::holder) floods: News,
    pub(in crate::holder) deaths: Deaths,
}

/// For each slot: how many workers in a row died while they worked on its log.
#[repr(C)]
#[derive(Debug)]
pub(in crate::holder) struct Deaths([AtomicU8; MAX_SLOTS]);

impl Deaths {
    /// Counts a death until it is taken back; returns the number before.
    pub(in crate::holder) fn add(&self, slot: usize) -> u8 {
        let add = |deaths: u8| Some(deaths.saturating_add(1));
        self.0[slot]
            .fetch_update(SeqCst, SeqCst, add)
            .unwrap_or(u8::MAX)
    }

    pub(in crate::holder) fn set(&self, slot: usize, deaths: u8) {
        self.0[slot].store(deaths, SeqCst);
    }

    pub(in crate::holder) fn get(&self, slot: usize) -> u8 {
        self.0[slot].load(SeqCst)
    }

    /// Takes back all that a worker has counted which was killed by somebody else.
    #[cfg(any(not(portable), test))]
    pub(in crate::holder) fn clear(&self) {
        for slot in 0..MAX_SLOTS {
            self.set(slot, 0);
        }
    }
}

#[repr(C)]
#[derive(Debug)]
pub(in crate::holder) struct Notes {
    pub(in crate::holder) is_awake: AtomicBool,
    /// The worker wants the holder to stop.
    pub(in crate::holder) stop: AtomicBool,
    pub(in crate::holder) space_freed: SlotSet,
    pub(in crate::holder) released: SlotSet,
    /// Terminals that were lent to the worker.
    pub(in crate::holder) returned: SlotSet,
}

/// News from the holder to one part of the worker: slots whose ring has more bytes, another `eof`, or a status.
#[repr(C)]
#[derive(Debug)]
pub(in crate::holder) struct News {
    pub(in crate::holder) is_awake: AtomicBool,
    /// There will be no more news.
    pub(in crate::holder) is_closed: AtomicBool,
    pub(in crate::holder) slots: SlotSet,
}

const _: () = assert!(size_of::<SharedLayout>() <= MAPPED_BYTES);

#[derive(Debug)]
pub(in crate::holder) struct SharedMemory {
    layout: NonNull<SharedLayout>,
}

// SAFETY: the mapping consists of atomics only.
unsafe impl Send for SharedMemory {}
// SAFETY: as for `Send`.
unsafe impl Sync for SharedMemory {}

impl SharedMemory {
    /// Creates it, and returns the descriptor with which another process can open it.
    pub(in crate::holder) fn create() -> io::Result<(Self, OwnedFd)> {
        let memory = platform::memory_file("ccd shared")?;
        rustix::fs::ftruncate(&memory, MAPPED_BYTES as u64)?;
        Ok((Self::map(&memory)?, memory))
    }

    /// Opens what another process has created.
    #[cfg(not(portable))]
    pub(in crate::holder) fn open(memory: &OwnedFd) -> io::Result<Self> {
        if rustix::fs::fstat(memory)?.st_size != MAPPED_BYTES as i64 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Self::map(memory)
    }

    fn map(memory: &OwnedFd) -> io::Result<Self> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice aliases nothing.
        let address = unsafe {
            mm::mmap(
                std::ptr::null_mut(),
                MAPPED_BYTES,
                access,
                MapFlags::SHARED,
                memory,
                0,
            )?
        };
        let layout = NonNull::new(address.cast())
            .ok_or_else(|| io::Error::other("the kernel mapped the shared memory at address 0"))?;
        Ok(Self { layout })
    }
}

impl std::ops::Deref for SharedMemory {
    type Target = SharedLayout;

    fn deref(&self) -> &SharedLayout {
        // SAFETY: mapped until drop, page-aligned, zeroed or written through this type, and made of atomics only.
        unsafe { self.layout.as_ref() }
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: mapped with this length, and every reference borrows from self.
        let _ = unsafe { mm::munmap(self.layout.as_ptr().cast(), MAPPED_BYTES) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_sees_how_many_died_at_the_same_slot() {
        let (first, memory) = SharedMemory::create().unwrap();
        assert_eq!(first.deaths.add(MAX_SLOTS - 1), 0);
        let second = SharedMemory::map(&memory).unwrap();
        drop(first);
        assert_eq!(second.deaths.add(MAX_SLOTS - 1), 1);
        assert_eq!(second.deaths.get(MAX_SLOTS - 1), 2);
        assert_eq!(second.deaths.get(0), 0);
        second.deaths.set(7, u8::MAX);
        assert_eq!((second.deaths.add(7), second.deaths.get(7)), (255, 255));
        second.deaths.clear();
        assert!((0..MAX_SLOTS).all(|slot| second.deaths.get(slot) == 0));
    }
}
