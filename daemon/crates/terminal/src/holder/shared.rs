//! Shared memory through which the holder and the worker notify each other without waiting: sets of slots, and flags.

use std::io;
use std::os::fd::OwnedFd;
use std::ptr::NonNull;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU8};

use rustix::mm::{self, MapFlags, ProtFlags};

use super::platform;
use super::slot_set::{MAX_SLOTS, SlotSet};

/// How many bytes are mapped: a multiple of every page size in use.
const MAPPED_BYTES: usize = 64 << 10;

/// The layout of the shared memory. All zeros: nothing was noted yet.
#[repr(C)]
#[derive(Debug)]
pub(super) struct SharedLayout {
    pub(super) to_holder: Notes,
    pub(super) quiet: News,
    pub(super) floods: News,
    pub(super) deaths: Deaths,
}

/// For each slot: how many workers in a row died while they worked on its log.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Deaths([AtomicU8; MAX_SLOTS]);

impl Deaths {
    /// Counts a death until it is taken back; returns the number before.
    pub(super) fn add(&self, slot: usize) -> u8 {
        let add = |deaths: u8| Some(deaths.saturating_add(1));
        self.0[slot]
            .fetch_update(SeqCst, SeqCst, add)
            .unwrap_or(u8::MAX)
    }

    pub(super) fn set(&self, slot: usize, deaths: u8) {
        self.0[slot].store(deaths, SeqCst);
    }

    pub(super) fn get(&self, slot: usize) -> u8 {
        self.0[slot].load(SeqCst)
    }

    /// Takes back all that a worker has counted which was killed by somebody else.
    #[cfg(any(not(portable), test))]
    pub(super) fn clear(&self) {
        for slot in 0..MAX_SLOTS {
            self.set(slot, 0);
        }
    }
}

#[repr(C)]
#[derive(Debug)]
pub(super) struct Notes {
    pub(super) is_awake: AtomicBool,
    /// The worker wants the holder to stop.
    pub(super) stop: AtomicBool,
    pub(super) space_freed: SlotSet,
    pub(super) released: SlotSet,
    /// Terminals that were lent to the worker.
    pub(super) returned: SlotSet,
}

/// News from the holder to one part of the worker: slots whose ring has more bytes, another `eof`, or a status.
#[repr(C)]
#[derive(Debug)]
pub(super) struct News {
    pub(super) is_awake: AtomicBool,
    /// There will be no more news.
    pub(super) is_closed: AtomicBool,
    pub(super) slots: SlotSet,
}

const _: () = assert!(size_of::<SharedLayout>() <= MAPPED_BYTES);

#[derive(Debug)]
pub(super) struct SharedMemory {
    layout: NonNull<SharedLayout>,
}

// SAFETY: the mapping consists of atomics only.
unsafe impl Send for SharedMemory {}
// SAFETY: as for `Send`.
unsafe impl Sync for SharedMemory {}

impl SharedMemory {
    /// Creates it, and returns the descriptor with which another process can open it.
    pub(super) fn create() -> io::Result<(Self, OwnedFd)> {
        let memory = platform::memory_file("ccd shared")?;
        rustix::fs::ftruncate(&memory, MAPPED_BYTES as u64)?;
        Ok((Self::map(&memory)?, memory))
    }

    /// Opens what another process has created.
    #[cfg(not(portable))]
    pub(super) fn open(memory: &OwnedFd) -> io::Result<Self> {
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
