//! Memory that goes back to the system.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;

/// Results of work that is done are often freed within this time.
const DELAY: Duration = Duration::from_millis(500);

/// Returns free memory to the system: the allocator keeps it, half a gigabyte after 100,000 events. Takes milliseconds.
fn give_back_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it takes no pointer, and only touches memory that is free.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Returns free memory to the system in a moment, once for all who ask meanwhile. Does nothing outside a runtime.
pub fn give_back_memory_soon() {
    static IS_PLANNED: AtomicBool = AtomicBool::new(false);
    let Ok(runtime) = Handle::try_current() else {
        return;
    };
    if IS_PLANNED.swap(true, Ordering::Relaxed) {
        return;
    }
    runtime.spawn(async {
        tokio::time::sleep(DELAY).await;
        IS_PLANNED.store(false, Ordering::Relaxed);
        let _ = tokio::task::spawn_blocking(give_back_memory).await;
    });
}
