//! Rings whose file another program has truncated. An access beyond the end of a mapped file is a SIGBUS, which would end
//! this process, and with it all sessions. The handler puts zeros in place of what is gone and marks the ring as lost, so
//! that only its session ends.

use std::io;
use std::ptr;
use std::sync::Once;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use libc::{c_int, c_void, siginfo_t};
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};

use super::layout::{DATA_OFFSET, MAPPED_BYTES, RingLayout};
use crate::holder::slot_set::MAX_SLOTS;

/// Maximum number of mapped rings: some more than one process has sessions, which may map each twice.
const MAX_RINGS: usize = 4 * MAX_SLOTS;

/// The addresses at which rings are mapped, 0 where there is none.
static RINGS: [AtomicUsize; MAX_RINGS] = [const { AtomicUsize::new(0) }; MAX_RINGS];
static INSTALLED: Once = Once::new();

/// Keeps accesses to the ring that is mapped at the address `start` from ending this process, until [`unguard`].
pub(in crate::holder) fn guard(start: usize) -> io::Result<()> {
    install_once();
    let is_guarded = exchange(0, start).then_some(());
    is_guarded.ok_or_else(|| io::Error::other("too many rings are in use"))
}

pub(in crate::holder) fn unguard(start: usize) {
    exchange(start, 0);
}

fn exchange(old: usize, new: usize) -> bool {
    let exchange = |ring: &AtomicUsize| ring.compare_exchange(old, new, AcqRel, Relaxed);
    RINGS.iter().any(|ring| exchange(ring).is_ok())
}

/// Installs the handler, unless that was done.
pub(in crate::holder) fn install_once() {
    INSTALLED.call_once(|| {
        let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = on_bus_error;
        // SAFETY: all zeros is a valid sigaction, and the handler makes nothing but system calls.
        unsafe {
            let mut action = std::mem::zeroed::<libc::sigaction>();
            action.sa_sigaction = handler as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
            libc::sigemptyset(&raw mut action.sa_mask);
            libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut());
        }
    });
}

/// Does nothing if another process has sent the signal. For an address in no ring, the access is repeated and ends this
/// process.
extern "C" fn on_bus_error(_signal: c_int, info: *mut siginfo_t, _context: *mut c_void) {
    // SAFETY: the kernel passes a valid record, which has an address unless a process has sent it.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr().addr()) };
    let is_in = |start: &usize| *start != 0 && (*start..*start + MAPPED_BYTES).contains(&address);
    let mut hit = RINGS.iter().map(|ring| ring.load(Acquire)).filter(is_in);
    if code > 0 && !hit.any(|start| replace(start, address).is_ok()) {
        // SAFETY: no handler runs any more.
        unsafe { libc::signal(libc::SIGBUS, libc::SIG_DFL) };
    }
}

/// Puts zeros that are only this process's own in place of the header or of the data of the ring at `start`, and marks the
/// ring as lost for the other process too.
fn replace(start: usize, address: usize) -> rustix::io::Result<()> {
    let (offset, len) = if address < start + DATA_OFFSET {
        (0, DATA_OFFSET)
    } else {
        (DATA_OFFSET, MAPPED_BYTES - DATA_OFFSET)
    };
    let part = ptr::with_exposed_provenance_mut(start + offset);
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: replaces a part of a ring's mapping, which exists because it is being accessed.
    unsafe { mmap_anonymous(part, len, access, MapFlags::PRIVATE | MapFlags::FIXED)? };
    // SAFETY: as above. If the header is gone as well, this handler is called once more.
    unsafe { &*ptr::with_exposed_provenance::<RingLayout>(start) }.set_lost();
    Ok(())
}
