//! Rings whose file another program has cut short. An access beyond the end of a mapped file is a SIGBUS, which would
//! end this process, and with it all sessions. The handler gives such a ring its size again, with zeros in it, and the
//! access is repeated; see [`emptied`](super::emptied).

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::ptr;
use std::sync::Once;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicUsize};

use rustix::fs::{Mode, OFlags, open};
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};

use super::ring_file::{FILE_BYTES, MAPPED_BYTES};
use super::slot_set::MAX_SLOTS;

/// Maximum number of mapped rings: some more than one process has sessions, which may map each twice.
const MAX_RINGS: usize = 4 * MAX_SLOTS;

/// How often an access to one mapping is repeated though the file has its size: the other process may have been faster, or
/// the file system has no room.
const MAX_REPEATS: usize = 1000;

/// Address of no mapping: the entry is being filled in.
const TAKEN: usize = 1;

static RINGS: [Entry; MAX_RINGS] = [const { Entry::free() }; MAX_RINGS];
static PAGE_BYTES: AtomicUsize = AtomicUsize::new(0);
static PREVIOUS: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());
static INSTALLED: Once = Once::new();

/// A mapped ring, as the handler finds it.
struct Entry {
    /// Where its [`MAPPED_BYTES`] start; 0 if the entry is free.
    start: AtomicUsize,
    file: AtomicPtr<RingFile>,
    repeats: AtomicUsize,
}

impl Entry {
    const fn free() -> Self {
        Self {
            start: AtomicUsize::new(0),
            file: AtomicPtr::new(ptr::null_mut()),
            repeats: AtomicUsize::new(0),
        }
    }
}

#[derive(Debug)]
struct RingFile {
    path: CString,
    device: u64,
    inode: u64,
}

/// Keeps accesses to a mapped ring from ending this process, until it is dropped.
#[derive(Debug)]
pub(super) struct Guarded {
    index: usize,
    /// The handler uses it while an access to the mapping is repeated.
    file: Box<RingFile>,
}

impl Guarded {
    /// `start` is where [`MAPPED_BYTES`] are mapped, `file` what is mapped there.
    pub(super) fn new(start: *const u8, path: &Path, file: &File) -> io::Result<Self> {
        install_once();
        let metadata = file.metadata()?;
        let file = Box::new(RingFile {
            path: CString::new(path.as_os_str().as_bytes())?,
            device: metadata.dev(),
            inode: metadata.ino(),
        });
        let take = |entry: &Entry| {
            let taken = entry.start.compare_exchange(0, TAKEN, AcqRel, Relaxed);
            taken.is_ok()
        };
        let index = RINGS.iter().position(take);
        let index = index.ok_or_else(|| io::Error::other("too many rings are in use"))?;
        RINGS[index]
            .file
            .store(ptr::from_ref(&*file).cast_mut(), Relaxed);
        RINGS[index].repeats.store(0, Relaxed);
        RINGS[index].start.store(start.addr(), Release);
        Ok(Self { index, file })
    }

    /// Does what the handler would do about an access that a system call made instead.
    pub(super) fn empty_if_cut_short(&self) {
        // A file that is gone cannot be helped.
        let _ = empty(&self.file);
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        RINGS[self.index].start.store(0, Release);
    }
}

/// Installs the handler, unless that was done.
pub(super) fn install_once() {
    INSTALLED.call_once(install);
}

fn install() {
    // SAFETY: sysconf only returns a number.
    let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    PAGE_BYTES.store(usize::try_from(page_bytes).unwrap_or(4096), Relaxed);
    let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = on_bus_error;
    // SAFETY: all zeros is a valid sigaction; the handler makes nothing but system calls, and the previous action is
    // leaked so that the handler may use it at any time.
    unsafe {
        let previous = Box::leak(Box::new(std::mem::zeroed::<libc::sigaction>()));
        let mut action = std::mem::zeroed::<libc::sigaction>();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(libc::SIGBUS, ptr::null(), previous);
        PREVIOUS.store(previous, Release);
        libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut());
    }
}

/// Gives the ring at the address its size again; for any other address the previous action follows, as the access fails
/// again. Nothing happens if another process has sent the signal.
extern "C" fn on_bus_error(
    _signal: libc::c_int,
    info: *mut libc::siginfo_t,
    _context: *mut libc::c_void,
) {
    // SAFETY: the kernel passes a valid record.
    if unsafe { (*info).si_code } <= 0 {
        return;
    }
    // SAFETY: as above; for a fault it has an address.
    let address = unsafe { (*info).si_addr() }.addr();
    let entry = RINGS.iter().find(|entry| {
        let start = entry.start.load(Acquire);
        start > TAKEN && (start..start + MAPPED_BYTES).contains(&address)
    });
    let is_mended = entry.is_some_and(|entry| {
        // SAFETY: the thread that was interrupted accesses the mapping, so it is neither unmapped nor unguarded now.
        let file = unsafe { &*entry.file.load(Acquire) };
        match empty(file) {
            Ok(true) => true,
            Ok(false) if entry.repeats.fetch_add(1, Relaxed) < MAX_REPEATS => true,
            _ => replace_page(address).is_ok(),
        }
    });
    if !is_mended {
        // SAFETY: stored before the handler was installed, and never freed.
        unsafe { libc::sigaction(libc::SIGBUS, PREVIOUS.load(Acquire), ptr::null_mut()) };
    }
}

/// Gives a file that was cut short a ring's size, all zeros, so that it is clear that nothing in it is valid. Returns false
/// if it has that size already.
fn empty(ring: &RingFile) -> io::Result<bool> {
    let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = File::from(open(&*ring.path, flags, Mode::empty())?);
    let found = file.metadata()?;
    if (found.dev(), found.ino()) != (ring.device, ring.inode) {
        return Err(io::ErrorKind::NotFound.into());
    }
    if found.len() >= FILE_BYTES as u64 {
        return Ok(false);
    }
    file.set_len(0)?;
    file.set_len(FILE_BYTES as u64)?;
    Ok(true)
}

/// Puts a page of zeros that is only this process's own at the address.
fn replace_page(address: usize) -> rustix::io::Result<()> {
    let page_bytes = PAGE_BYTES.load(Relaxed);
    let page = ptr::without_provenance_mut(address - address % page_bytes);
    let access = ProtFlags::READ | ProtFlags::WRITE;
    let flags = MapFlags::PRIVATE | MapFlags::FIXED;
    // SAFETY: replaces a page of a ring's mapping, which nobody can access as it is.
    unsafe { mmap_anonymous(page, page_bytes, access, flags) }.map(drop)
}
