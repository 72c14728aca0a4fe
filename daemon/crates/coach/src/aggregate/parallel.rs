//! Work on many items by several threads.

use std::panic::resume_unwind;
use std::thread::{available_parallelism, scope};

/// Fewer items are not worth a thread.
const MIN_PART: usize = 200;

/// Returns `work` of each item, in the order of the items.
pub(super) fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = available_parallelism().map_or(1, usize::from);
    let len = items.len().div_ceil(threads).max(MIN_PART);
    if items.len() <= len {
        return items.iter().map(work).collect();
    }
    scope(|scope| {
        let parts = items.chunks(len);
        let work = &work;
        let threads: Vec<_> = parts
            .map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<R>>()))
            .collect();
        let done = |thread: std::thread::ScopedJoinHandle<'_, Vec<R>>| match thread.join() {
            Ok(done) => done,
            Err(panic) => resume_unwind(panic),
        };
        threads.into_iter().flat_map(done).collect()
    })
}
