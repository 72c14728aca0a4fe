//! The file of a ring: one header, then the data, which is mapped twice in a row so that no read wraps.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
#[cfg(not(portable))]
use std::sync::atomic::Ordering::SeqCst;

use rustix::io::Errno;
use rustix::mm::{self, MapFlags, ProtFlags};

use super::bus_error::{guard, unguard};
use super::layout::{
    DATA_OFFSET, FILE_BYTES, HEADER_BYTES, MAPPED_BYTES, OTHER_VERSION, RING_BYTES, RingLayout,
};

#[derive(Debug, thiserror::Error)]
pub enum RingError {
    #[error("could not use the ring file {path:?}: {source}")]
    File { path: PathBuf, source: io::Error },
    #[error("{path:?} is not a ring of this version: {reason}")]
    Refused { path: PathBuf, reason: &'static str },
}

impl RingError {
    /// Returns true if another program has truncated, overwritten or replaced the file.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::File { source, .. } => matches!(
                Errno::from_io_error(source),
                Some(Errno::LOOP | Errno::ISDIR | Errno::ACCESS)
            ),
            Self::Refused { reason, .. } => *reason != OTHER_VERSION,
        }
    }
}

/// A mapped ring file. Dropping it unmaps it; the file is kept.
#[derive(Debug)]
pub(in crate::holder) struct Mapping {
    layout: NonNull<RingLayout>,
    data: NonNull<u8>,
}

// SAFETY: the header is only accessed through atomics, the data only through `slice` and `slice_mut`, whose callers
// guarantee that the bytes they access are not written at the same time.
unsafe impl Send for Mapping {}
// SAFETY: as for `Send`.
unsafe impl Sync for Mapping {}

impl Mapping {
    pub(in crate::holder) fn create(path: &Path) -> Result<Self, RingError> {
        let mapping = Self::create_with(path, |_| Ok(()))?;
        mapping.initialise();
        Ok(mapping)
    }

    /// Writes the ring into a new file. Nobody else may change it meanwhile.
    #[cfg(not(portable))]
    pub(in crate::holder) fn copied_to(&self, path: &Path) -> Result<Self, RingError> {
        let (tail, head) = (self.tail.load(SeqCst), self.head.load(SeqCst));
        Self::create_with(path, |file| {
            let mut at = tail;
            while at < head {
                let offset = at % RING_BYTES as u64;
                let len = (head - at).min(RING_BYTES as u64 - offset);
                // SAFETY: the caller guarantees that nobody writes to the ring.
                let bytes = unsafe { self.slice(at, len as usize) };
                // Copied first: if the file was truncated, too, a system call could not read it.
                let bytes = bytes.to_vec();
                file.write_all_at(&bytes, DATA_OFFSET as u64 + offset)?;
                at += len;
            }
            // SAFETY: that much is mapped, and the caller guarantees that nobody writes to it.
            let header =
                unsafe { std::slice::from_raw_parts(self.layout.as_ptr().cast(), HEADER_BYTES) };
            file.write_all_at(header, 0)
        })
    }

    fn create_with(path: &Path, fill: impl Fn(&File) -> io::Result<()>) -> Result<Self, RingError> {
        let mapping = new_file(path).and_then(|file| {
            let filled = allocate(&file).and_then(|()| fill(&file));
            let mapped = filled.and_then(|()| Self::map(&file));
            mapped.inspect_err(|_| {
                // Nothing more can be done if this fails too; the first error is reported.
                let _ = std::fs::remove_file(path);
            })
        });
        mapping.map_err(|source| RingError::File {
            path: path.to_owned(),
            source,
        })
    }

    pub(in crate::holder) fn open(path: &Path) -> Result<Self, RingError> {
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
        if !metadata.is_file() || metadata.size() != FILE_BYTES as u64 {
            return Err(refused("it is not a file of the right size"));
        }
        let mapping = Self::map(&file).map_err(failed)?;
        mapping.check().map_err(refused)?;
        Ok(mapping)
    }

    /// Returns the `len` bytes at `position`.
    ///
    /// # Safety
    ///
    /// `len` is at most [`RING_BYTES`], and nobody writes these bytes during the slice's lifetime.
    pub(in crate::holder) unsafe fn slice(&self, position: u64, len: usize) -> &[u8] {
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
    pub(in crate::holder) unsafe fn slice_mut(&self, position: u64, len: usize) -> &mut [u8] {
        // SAFETY: as in `slice`.
        unsafe { std::slice::from_raw_parts_mut(self.at(position), len) }
    }

    /// Reads the byte at `position`; a missing page is noticed by that.
    pub(in crate::holder) fn touch(&self, position: u64) {
        // SAFETY: mapped until drop; the value is not used.
        unsafe { self.at(position).read_volatile() };
    }

    fn at(&self, position: u64) -> *mut u8 {
        let offset = (position % RING_BYTES as u64) as usize;
        // SAFETY: the offset is less than RING_BYTES, and twice that is mapped.
        unsafe { self.data.as_ptr().add(offset) }
    }

    fn map(file: &File) -> io::Result<Self> {
        let (no_access, private) = (ProtFlags::empty(), MapFlags::PRIVATE);
        // SAFETY: reserves fresh addresses without access; nothing is aliased.
        let start =
            unsafe { mm::mmap_anonymous(std::ptr::null_mut(), MAPPED_BYTES, no_access, private)? };
        // Unmaps what follows if that fails.
        let mapping = Self {
            layout: non_null(start.cast())?,
            // SAFETY: within the reserved addresses.
            data: non_null(unsafe { start.cast::<u8>().add(DATA_OFFSET) })?,
        };
        let parts = [
            (0, HEADER_BYTES, 0),
            (DATA_OFFSET, RING_BYTES, DATA_OFFSET),
            (DATA_OFFSET + RING_BYTES, RING_BYTES, DATA_OFFSET),
        ];
        for (at, len, offset) in parts {
            let access = ProtFlags::READ | ProtFlags::WRITE;
            let flags = MapFlags::SHARED | MapFlags::FIXED;
            // SAFETY: replaces a part of the addresses that were just reserved, which nothing else uses.
            unsafe {
                let address = start.cast::<u8>().add(at).cast();
                mm::mmap(address, len, access, flags, file, offset as u64)?;
            }
        }
        guard(start.expose_provenance())?;
        Ok(mapping)
    }
}

impl std::ops::Deref for Mapping {
    type Target = RingLayout;

    fn deref(&self) -> &RingLayout {
        // SAFETY: mapped until drop, page-aligned, zeroed or checked, and made of atomics only.
        unsafe { self.layout.as_ref() }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        unguard(self.layout.as_ptr().addr());
        // SAFETY: mapped with this length, and slices borrow from self, so none exists any more. Unmapping existing
        // mappings does not fail.
        let _ = unsafe { mm::munmap(self.layout.as_ptr().cast(), MAPPED_BYTES) };
    }
}

/// Creates the file, and its directory if somebody has removed that one. A link in its place is not followed.
fn new_file(path: &Path) -> io::Result<File> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    match DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)
    {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ if !std::fs::symlink_metadata(directory)?.is_dir() => {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        _ => {}
    }
    OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

/// Allocates the header and the data by writing zeros, so that a full file system is an error here instead of a SIGBUS later.
fn allocate(file: &File) -> io::Result<()> {
    let zeros = vec![0; RING_BYTES];
    file.write_all_at(&zeros[..HEADER_BYTES], 0)?;
    file.write_all_at(&zeros, DATA_OFFSET as u64)
}

fn non_null<T>(pointer: *mut T) -> io::Result<NonNull<T>> {
    NonNull::new(pointer).ok_or_else(|| io::Error::other("the kernel mapped a ring at address 0"))
}
