//! The file mode mask: the daemon's own files are private; each program gets the mask of its caller.

use rustix::fs::Mode;
use rustix::process::umask;

/// Gives the calling thread a mask of its own, which is that of the programs it starts.
#[cfg(not(portable))]
pub(super) fn own_mask_in_this_thread() {
    use rustix::thread::{UnshareFlags, unshare_unsafe};
    // SAFETY: no longer sharing root, working directory and mask does not concern memory or descriptors.
    if let Err(error) = unsafe { unshare_unsafe(UnshareFlags::FS) } {
        tracing::warn!(%error, "files that the daemon makes while it starts a program get the program's mask");
    }
}

/// Does work with this mask, which must be the calling thread's own.
#[cfg(not(portable))]
pub(super) fn masked<T>(mask: u32, work: impl FnOnce() -> T) -> T {
    let before = umask(Mode::from_raw_mode(mask));
    let done = work();
    umask(before);
    done
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
        {
            own_mask_in_this_thread();
            umask(Mode::from_raw_mode(mask));
        }
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

/// Makes the files of this process private. Must be called before any thread is started.
pub fn make_files_private() {
    umask(Mode::RWXG | Mode::RWXO);
}
