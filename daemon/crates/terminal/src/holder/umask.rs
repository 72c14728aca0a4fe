//! The file mode mask: the daemon's own files are private; programs get the mask with which the daemon was started.

use rustix::fs::Mode;
use rustix::process::umask;

/// The mask for programs.
#[derive(Debug, Clone, Copy)]
pub struct Umask(Mode);

impl Umask {
    /// Returns the current mask, for a process that does not change it.
    #[cfg(test)]
    pub(super) fn unchanged() -> Self {
        let mask = umask(Mode::empty());
        umask(mask);
        Self(mask)
    }

    /// Sets this mask for the calling thread and the programs it starts; other threads keep theirs.
    #[cfg(not(portable))]
    pub(super) fn use_in_this_thread(self) {
        use rustix::thread::{UnshareFlags, unshare_unsafe};
        // SAFETY: no longer sharing root, working directory and mask does not concern memory or descriptors.
        if let Err(error) = unsafe { unshare_unsafe(UnshareFlags::FS) } {
            tracing::warn!(%error, "the daemon's files are made with the mask of its programs");
        }
        umask(self.0);
    }

    /// Sets this mask for the process. Safe between fork and exec.
    #[cfg(portable)]
    pub(super) fn use_here(self) {
        umask(self.0);
    }
}

/// Makes the files of this process private. Returns the mask for programs. Must be called before any thread is started.
pub fn make_files_private() -> Umask {
    Umask(umask(Mode::RWXG | Mode::RWXO))
}
