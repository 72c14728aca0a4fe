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

/// Does work that blocks in a thread of its own, whose files get the mode mask `mask`; a panic there goes on here. Where
/// threads share the mask, they get that of the process.
pub async fn with_mask<T: Send + 'static>(
    mask: u32,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let (done, result) = tokio::sync::oneshot::channel();
    let masked = move || {
        #[cfg(not(portable))]
        Umask(Mode::from_raw_mode(mask)).use_in_this_thread();
        #[cfg(portable)]
        let _ = mask;
        let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        let _ = done.send(worked); // the caller may have been cancelled
    };
    if let Err(error) = std::thread::Builder::new()
        .name("masked".into())
        .spawn(masked)
    {
        std::panic::resume_unwind(Box::new(error.to_string()));
    }
    match result.await {
        Ok(Ok(value)) => value,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => std::panic::resume_unwind(Box::new(error.to_string())),
    }
}

/// Makes the files of this process private. Returns the mask for programs. Must be called before any thread is started.
pub fn make_files_private() -> Umask {
    Umask(umask(Mode::RWXG | Mode::RWXO))
}
