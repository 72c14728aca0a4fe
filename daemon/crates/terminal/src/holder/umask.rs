//! The file mode mask: the daemon's own files are private, programs get the mask the daemon was started with.

use rustix::fs::Mode;
use rustix::process::umask;

/// The mask for programs.
#[derive(Debug, Clone, Copy)]
pub struct Umask(Mode);

impl Umask {
    /// Returns the mask as it is, for a process that leaves it alone.
    #[cfg(test)]
    pub(super) fn unchanged() -> Self {
        let mask = umask(Mode::empty());
        umask(mask);
        Self(mask)
    }

    /// Gives the calling thread, and what it starts, this mask; the other threads keep theirs.
    #[cfg(not(portable))]
    pub(super) fn use_in_this_thread(self) {
        use rustix::thread::{UnshareFlags, unshare_unsafe};
        // SAFETY: giving up the shared root, working directory and mask concerns no memory and no descriptor.
        if let Err(error) = unsafe { unshare_unsafe(UnshareFlags::FS) } {
            tracing::warn!(%error, "the daemon's files are made with the mask of its programs");
        }
        umask(self.0);
    }

    /// Gives this process the mask. Safe between fork and exec.
    #[cfg(portable)]
    pub(super) fn use_here(self) {
        umask(self.0);
    }
}

/// Makes the files of this process private; returns the mask for programs. Before any thread.
pub fn make_files_private() -> Umask {
    Umask(umask(Mode::RWXG | Mode::RWXO))
}
