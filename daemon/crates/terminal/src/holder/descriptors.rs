//! Descriptors in children: none of the daemon's, and the limit with which the daemon was started.

use std::io;

#[cfg(not(portable))]
use rustix::process::Pid;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The maximum number of descriptors that the daemon requests: four for each of the terminals that Linux allows, or on
/// macOS all that it grants (`OPEN_MAX`).
const WANTED_DESCRIPTORS: u64 = if cfg!(target_os = "macos") {
    10_240
} else {
    16_384
};

#[derive(Debug, Clone)]
pub struct DescriptorLimits {
    original: Rlimit,
    /// How many descriptors the daemon may have open.
    pub current: u64,
}

impl DescriptorLimits {
    /// Returns the current limits, for a process that does not change them.
    pub fn unchanged() -> Self {
        let original = getrlimit(Resource::Nofile);
        let current = original.current.unwrap_or(u64::MAX);
        Self { original, current }
    }

    #[cfg(test)]
    pub(super) fn restoring(original: u64) -> Self {
        let mut limits = Self::unchanged();
        limits.original.current = Some(original);
        limits
    }

    /// Restores in the process `pid` the limit with which the daemon was started.
    /// The program is running already, so it may see the daemon's limit for a few microseconds. Lowering the daemon's
    /// own limit during a start would make other threads fail instead. A program that has gained other privileges keeps
    /// the daemon's limit.
    #[cfg(not(portable))]
    pub(super) fn restore_in(&self, pid: Pid) {
        if self.is_raised() {
            let _ = rustix::process::prlimit(Some(pid), Resource::Nofile, self.original);
        }
    }

    /// Returns the soft limit with which the daemon was started; `None` is unlimited.
    #[cfg(not(portable))]
    pub(super) fn original(&self) -> Option<u64> {
        self.original.current
    }

    /// Restores in this process the limit with which the daemon was started. Safe between fork and exec.
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

/// Raises the limit on open descriptors, at most to [`WANTED_DESCRIPTORS`]; unchanged on an error.
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

/// Marks every open descriptor to be closed on exec, except standard input, output and error.
/// The daemon opens its own descriptors like this, but the process that started it may have left others open, which no
/// session may inherit.
#[cfg(not(portable))]
pub(super) fn close_all_on_exec() {
    let (first, last) = (3_u32, u32::MAX);
    // SAFETY: this changes a flag of descriptors and does not touch memory. It fails only on kernels before 5.11, where
    // such descriptors are inherited as from any program.
    unsafe {
        libc::syscall(
            libc::SYS_close_range,
            first,
            last,
            libc::CLOSE_RANGE_CLOEXEC,
        )
    };
}
