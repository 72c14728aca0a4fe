//! Shared memory through which the holder and the worker notify each other without waiting: sets of slots, and flags.

use std::io;
use std::os::fd::OwnedFd;
use std::ptr::NonNull;
use std::sync::atomic::AtomicBool;

use rustix::mm::{self, MapFlags, ProtFlags};

use super::platform;
use super::slot_set::SlotSet;

/// How many bytes are mapped: a multiple of every page size in use.
const MAPPED_BYTES: usize = 64 << 10;

/// The layout of the board. All zeros is an empty board.
#[repr(C)]
#[derive(Debug)]
pub(super) struct BoardLayout {
    pub(super) to_holder: Notes,
    pub(super) quiet: News,
    pub(super) floods: News,
}

/// Notes from the worker to the holder.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Notes {
    pub(super) is_awake: AtomicBool,
    /// The worker wants the holder to stop.
    pub(super) stop: AtomicBool,
    pub(super) space_freed: SlotSet,
    pub(super) idle: SlotSet,
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

const _: () = assert!(size_of::<BoardLayout>() <= MAPPED_BYTES);

/// The mapped board. Dropping the last reference unmaps it.
#[derive(Debug)]
pub(super) struct Board {
    layout: NonNull<BoardLayout>,
}

// SAFETY: the mapping consists of atomics only.
unsafe impl Send for Board {}
// SAFETY: as for `Send`.
unsafe impl Sync for Board {}

impl Board {
    /// Creates an empty board.
    #[cfg(any(portable, test))]
    pub(super) fn create() -> io::Result<Self> {
        Ok(Self::create_shared()?.0)
    }

    /// Creates an empty board, and returns the descriptor with which another process can open it.
    pub(super) fn create_shared() -> io::Result<(Self, OwnedFd)> {
        let memory = platform::memory_file("ccd board")?;
        rustix::fs::ftruncate(&memory, MAPPED_BYTES as u64)?;
        Ok((Self::map(&memory)?, memory))
    }

    /// Opens the board that another process has created.
    ///
    /// # Errors
    ///
    /// `InvalidData` if the memory is not a board.
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
            .ok_or_else(|| io::Error::other("the kernel mapped the board at address 0"))?;
        Ok(Self { layout })
    }
}

impl std::ops::Deref for Board {
    type Target = BoardLayout;

    fn deref(&self) -> &BoardLayout {
        // SAFETY: mapped until drop, page-aligned, zeroed or written by a board's owner, and made of atomics only.
        unsafe { self.layout.as_ref() }
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        // SAFETY: mapped with this length, and every reference borrows from self.
        let _ = unsafe { mm::munmap(self.layout.as_ptr().cast(), MAPPED_BYTES) };
    }
}
