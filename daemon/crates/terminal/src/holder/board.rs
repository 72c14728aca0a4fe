//! What the holder and the worker leave for each other without waiting: sets of slots and flags, in memory that both
//! see.

use std::io;
use std::os::fd::OwnedFd;
use std::ptr::NonNull;
use std::sync::atomic::AtomicBool;

use rustix::mm::{self, MapFlags, ProtFlags};

use super::platform;
use super::slot_set::SlotSet;

/// How many bytes are mapped: whole pages of every size in use.
const MAPPED_BYTES: usize = 64 << 10;

/// What lies on the board. All zeros is an empty one.
#[repr(C)]
#[derive(Debug)]
pub(super) struct BoardLayout {
    pub(super) to_holder: Notes,
    pub(super) quiet: News,
    pub(super) floods: News,
}

/// From the worker to the holder.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Notes {
    pub(super) is_awake: AtomicBool,
    /// The worker wants nothing more.
    pub(super) stop: AtomicBool,
    pub(super) space_freed: SlotSet,
    pub(super) idle: SlotSet,
    pub(super) released: SlotSet,
}

/// From the holder to one part of the worker: slots whose ring has more bytes, another `eof` or a status.
#[repr(C)]
#[derive(Debug)]
pub(super) struct News {
    pub(super) is_awake: AtomicBool,
    /// Nothing will come any more.
    pub(super) is_closed: AtomicBool,
    pub(super) slots: SlotSet,
}

const _: () = assert!(size_of::<BoardLayout>() <= MAPPED_BYTES);

/// The mapped board. The last one to drop it ends it.
#[derive(Debug)]
pub(super) struct Board {
    layout: NonNull<BoardLayout>,
}

// SAFETY: what is mapped is made of atomics only.
unsafe impl Send for Board {}
// SAFETY: as for `Send`.
unsafe impl Sync for Board {}

impl Board {
    /// An empty board.
    #[cfg(any(portable, test))]
    pub(super) fn create() -> io::Result<Self> {
        Ok(Self::create_shared()?.0)
    }

    /// Likewise, with what another process needs to open it.
    pub(super) fn create_shared() -> io::Result<(Self, OwnedFd)> {
        let memory = platform::memory_file("ccd board")?;
        rustix::fs::ftruncate(&memory, MAPPED_BYTES as u64)?;
        Ok((Self::map(&memory)?, memory))
    }

    /// The board that another process has made.
    ///
    /// # Errors
    ///
    /// `InvalidData` when it is none.
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
