//! The file of a ring: one header, then the data, which is mapped twice in a row so that no read wraps.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::ptr::NonNull;

use rustix::mm::{self, MapFlags, ProtFlags};

use super::ring::RingError;
use super::ring_layout::{HEADER_BYTES, RING_BYTES, RingLayout};

/// Where the data starts in the file: a multiple of every page size in use (the rest is a hole and costs nothing).
const DATA_OFFSET: usize = 64 << 10;

/// A mapped ring file. Dropping it unmaps it; the file is kept.
#[derive(Debug)]
pub(super) struct Mapping {
    layout: NonNull<RingLayout>,
    data: NonNull<u8>,
}

// SAFETY: the header is only accessed through atomics, the data only through `slice` and `slice_mut`, whose callers
// guarantee that the bytes they access are not written at the same time.
unsafe impl Send for Mapping {}
// SAFETY: as for `Send`.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// See `RingWriter::create`.
    pub(super) fn create(path: &Path) -> Result<Self, RingError> {
        let failed = |source| RingError::File {
            path: path.to_owned(),
            source,
        };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)
            .map_err(failed)?;
        let mapping = Self::fill(&file).map_err(|source| {
            // Nothing more can be done if this fails too; the first error is reported.
            let _ = std::fs::remove_file(path);
            failed(source)
        })?;
        mapping.layout().initialise();
        Ok(mapping)
    }

    /// See `Ring::open`.
    pub(super) fn open(path: &Path) -> Result<Self, RingError> {
        let failed = |source| RingError::File {
            path: path.to_owned(),
            source,
        };
        let refused = |reason| RingError::Refused {
            path: path.to_owned(),
            reason,
        };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32)
            .open(path)
            .map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() || metadata.size() != (DATA_OFFSET + RING_BYTES) as u64 {
            return Err(refused("it is not a file of the right size"));
        }
        let mapping = Self::map(&file).map_err(failed)?;
        mapping.layout().check().map_err(refused)?;
        Ok(mapping)
    }

    pub(super) fn layout(&self) -> &RingLayout {
        // SAFETY: mapped until drop, page-aligned, zeroed or checked, and made of atomics only.
        unsafe { self.layout.as_ref() }
    }

    /// Returns the `len` bytes at `position`.
    ///
    /// # Safety
    ///
    /// `len` is at most [`RING_BYTES`], and nobody writes these bytes during the slice's lifetime.
    pub(super) unsafe fn slice(&self, position: u64, len: usize) -> &[u8] {
        // SAFETY: the start is in the first copy and the second follows, so the range is mapped.
        unsafe { std::slice::from_raw_parts(self.at(position), len) }
    }

    /// Returns the `len` bytes at `position` for writing.
    ///
    /// # Safety
    ///
    /// `len` is at most [`RING_BYTES`], and nobody else reads or writes these bytes during the slice's lifetime.
    #[expect(
        clippy::mut_from_ref,
        reason = "shared memory; exclusiveness is the caller's promise"
    )]
    pub(super) unsafe fn slice_mut(&self, position: u64, len: usize) -> &mut [u8] {
        // SAFETY: as in `slice`.
        unsafe { std::slice::from_raw_parts_mut(self.at(position), len) }
    }

    /// Allocates memory for `len` bytes at `position` (a multiple of the page size).
    ///
    /// # Errors
    ///
    /// The kernel's error if there is no memory left. Kernels before 5.14 cannot check this and report success.
    pub(super) fn populate(&self, position: u64, len: usize) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            let advice = mm::Advice::LinuxPopulateWrite;
            // SAFETY: this only faults in pages of our own mapping; it does not change any byte.
            match unsafe { mm::madvise(self.at(position).cast(), len, advice) } {
                Ok(()) | Err(rustix::io::Errno::INVAL) => Ok(()),
                Err(error) => Err(error.into()),
            }
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = (position, len);
            Ok(())
        }
    }

    /// Returns the memory of all data to the system; the data reads as zeros afterwards. Does nothing where the system
    /// does not support this.
    pub(super) fn punch(&self) {
        #[cfg(target_os = "linux")]
        {
            // SAFETY: the caller holds the writing end and the ring is drained, so none of these bytes is in use. A
            // file system without holes refuses, and then the memory simply stays allocated.
            let _ = unsafe {
                mm::madvise(
                    self.data.as_ptr().cast(),
                    RING_BYTES,
                    mm::Advice::LinuxRemove,
                )
            };
        }
    }

    fn at(&self, position: u64) -> *mut u8 {
        let offset = (position % RING_BYTES as u64) as usize;
        // SAFETY: the offset is less than RING_BYTES, and twice that is mapped.
        unsafe { self.data.as_ptr().add(offset) }
    }

    /// Sizes the new file and maps it. The header is written, not only mapped, so that a full file system is an error
    /// here instead of a SIGBUS later.
    fn fill(file: &File) -> io::Result<Self> {
        file.set_len((DATA_OFFSET + RING_BYTES) as u64)?;
        file.write_all_at(&[0; HEADER_BYTES], 0)?;
        Self::map(file)
    }

    fn map(file: &File) -> io::Result<Self> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice aliases nothing.
        let layout = unsafe {
            mm::mmap(
                std::ptr::null_mut(),
                HEADER_BYTES,
                access,
                MapFlags::SHARED,
                file,
                0,
            )?
        };
        let data = Self::map_data(file, access).inspect_err(|_| {
            // SAFETY: mapped above and not shared yet. An error could not be handled here.
            let _ = unsafe { mm::munmap(layout, HEADER_BYTES) };
        })?;
        Ok(Self {
            layout: non_null(layout.cast())?,
            data,
        })
    }

    fn map_data(file: &File, access: ProtFlags) -> io::Result<NonNull<u8>> {
        // SAFETY: reserves fresh addresses without access; nothing is aliased.
        let data = unsafe {
            mm::mmap_anonymous(
                std::ptr::null_mut(),
                2 * RING_BYTES,
                ProtFlags::empty(),
                MapFlags::PRIVATE,
            )?
        };
        for copy in 0..2 {
            // SAFETY: replaces one half of the addresses that were just reserved, which nothing else uses.
            let half = unsafe {
                let address = data.cast::<u8>().add(copy * RING_BYTES);
                let flags = MapFlags::SHARED | MapFlags::FIXED;
                mm::mmap(
                    address.cast(),
                    RING_BYTES,
                    access,
                    flags,
                    file,
                    DATA_OFFSET as u64,
                )
            };
            if let Err(error) = half {
                // SAFETY: the addresses reserved above, which nothing else uses.
                let _ = unsafe { mm::munmap(data, 2 * RING_BYTES) };
                return Err(error.into());
            }
        }
        non_null(data.cast())
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: both were mapped with these lengths, and slices borrow from self, so none exists any more. Unmapping
        // existing mappings does not fail.
        unsafe {
            let _ = mm::munmap(self.layout.as_ptr().cast(), HEADER_BYTES);
            let _ = mm::munmap(self.data.as_ptr().cast(), 2 * RING_BYTES);
        }
    }
}

fn non_null<T>(pointer: *mut T) -> io::Result<NonNull<T>> {
    NonNull::new(pointer).ok_or_else(|| io::Error::other("the kernel mapped a ring at address 0"))
}
