//! What children get of the daemon's descriptors: none of them, and the limit that the daemon was started with.

use std::io;

#[cfg(not(portable))]
use rustix::process::Pid;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The most descriptors the daemon asks for: four for each of the terminals that Linux allows; what macOS grants at
/// all (`OPEN_MAX`).
const WANTED_DESCRIPTORS: u64 = if cfg!(target_os = "macos") {
    10_240
} else {
    16_384
};

/// The limits of open descriptors.
#[derive(Debug, Clone)]
pub struct DescriptorLimits {
    original: Rlimit,
    /// How many descriptors the daemon may have open now.
    pub current: u64,
}

impl DescriptorLimits {
    /// Returns the limits as they are, for a process that leaves them alone.
    pub fn unchanged() -> Self {
        let original = getrlimit(Resource::Nofile);
        let current = original.current.unwrap_or(u64::MAX);
        Self { original, current }
    }

    /// Returns limits that restore `original` in children.
    #[cfg(test)]
    pub(super) fn restoring(original: u64) -> Self {
        let mut limits = Self::unchanged();
        limits.original.current = Some(original);
        limits
    }

    /// Puts the limit that the daemon was started with into the process `pid`.
    ///
    /// The program runs already when this happens, so it may see the daemon's limit for some microseconds. Lowering
    /// the daemon's own around a start would make other threads fail instead. A program that has taken other
    /// privileges on keeps the daemon's.
    #[cfg(not(portable))]
    pub(super) fn restore_in(&self, pid: Pid) {
        if self.is_raised() {
            let _ = rustix::process::prlimit(Some(pid), Resource::Nofile, self.original);
        }
    }

    /// Puts the limit that the daemon was started with into this process. Safe between fork and exec.
    #[cfg(portable)]
    pub(super) fn restore_here(&self) {
        if self.is_raised() {
            let _ = setrlimit(Resource::Nofile, self.original);
        }
    }

    fn is_raised(&self) -> bool {
        self.original
            .current
            .is_some_and(|original| original < self.current)
    }
}

/// Raises the limit of open descriptors as far as allowed, at most to [`WANTED_DESCRIPTORS`].
///
/// # Errors
///
/// The kernel's error; the limit is as before then.
pub fn raise_descriptor_limit() -> io::Result<DescriptorLimits> {
    let mut limits = DescriptorLimits::unchanged();
    let hard = limits.original.maximum.unwrap_or(u64::MAX);
    let wanted = WANTED_DESCRIPTORS.min(hard);
    if limits.current < wanted {
        let raised = Rlimit {
            current: Some(wanted),
            maximum: limits.original.maximum,
        };
        setrlimit(Resource::Nofile, raised)?;
        limits.current = wanted;
    }
    Ok(limits)
}

/// Marks every descriptor that is open now to be closed on exec, standard input and outputs aside.
///
/// The daemon opens its own so, but whoever started it may have left others, and no session is to get those.
#[cfg(not(portable))]
pub(super) fn close_all_on_exec() {
    let (first, last) = (3_u32, u32::MAX);
    // SAFETY: this changes a flag of descriptors and touches no memory. It fails only on kernels before 5.11, where
    // such descriptors are passed on as every program does.
    unsafe {
        libc::syscall(
            libc::SYS_close_range,
            first,
            last,
            libc::CLOSE_RANGE_CLOEXEC,
        )
    };
}
