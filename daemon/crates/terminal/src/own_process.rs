//! Processes of this build that stand in for a program or hold others, how signals that are not meant for them pass by,
//! and how they end as another process did.

use rustix::process::{Resource, Rlimit, Signal, getpid, kill_process, setrlimit};
use std::path::PathBuf;

pub(crate) const NAME: &str = "ccd";

/// The highest signal number of any system.
const MAX_SIGNAL: libc::c_int = 64;

/// Signals that are never ignored: without the first, nothing could be reaped, and the second has a handler, which mends
/// rings.
const NEVER_IGNORED: [libc::c_int; 2] = [libc::SIGCHLD, libc::SIGBUS];

/// Returns this build, even if its file was replaced, under a name other than a daemon's.
pub(crate) fn program() -> PathBuf {
    #[cfg(target_os = "linux")]
    let program = PathBuf::from("/proc/self/exe");
    #[cfg(not(target_os = "linux"))]
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from(NAME));
    program
}

/// Ends this process by a signal, without a core dump. Returns if the signal does not end a process.
pub(crate) fn die_by(signal: i32) {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    let _ = setrlimit(Resource::Core, none);
    // SAFETY: this restores the default action, whatever was set before.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
    if let Some(signal) = Signal::from_named_raw(signal) {
        let _ = kill_process(getpid(), signal);
    }
}

/// Ignores all signals but `meant`, which have a meaning for this process. The kernel ends a process for a fault of its own
/// nevertheless. Programs that it starts must [reset](reset_signals) them.
pub(crate) fn ignore_signals_but(meant: &[libc::c_int]) {
    let is_kept = |signal: &libc::c_int| meant.contains(signal) || NEVER_IGNORED.contains(signal);
    for signal in (1..=MAX_SIGNAL).filter(|signal| !is_kept(signal)) {
        set_action(signal, libc::SIG_IGN);
    }
}

/// Blocks no signal, and gives all their default action. Safe between fork and exec.
pub(crate) fn reset_signals() {
    for signal in 1..=MAX_SIGNAL {
        set_action(signal, libc::SIG_DFL);
    }
    let mut none = std::mem::MaybeUninit::uninit();
    // SAFETY: sigemptyset initialises the set; the old mask is not requested.
    unsafe {
        libc::sigemptyset(none.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, none.as_ptr(), std::ptr::null_mut());
    }
}

/// Sets the action of a signal: no handler. Nothing happens for a number that is not a signal.
#[cfg(target_os = "linux")]
fn set_action(signal: libc::c_int, action: libc::sighandler_t) {
    // The C library refuses two signals that it uses itself, and which end a process before it does. In the kernel's
    // record, the action is followed by flags, a restorer and a mask, which are all zero here.
    const MASK_BYTES: usize = 8;
    let record: [libc::sighandler_t; 8] = [action, 0, 0, 0, 0, 0, 0, 0];
    let none = std::ptr::null_mut::<libc::c_void>();
    // SAFETY: the record is valid for the call, and no handler is installed.
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigaction,
            signal,
            record.as_ptr(),
            none,
            MASK_BYTES,
        )
    };
}

#[cfg(not(target_os = "linux"))]
fn set_action(signal: libc::c_int, action: libc::sighandler_t) {
    // SAFETY: no handler is installed.
    unsafe { libc::signal(signal, action) };
}
