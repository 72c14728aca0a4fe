//! Locks that stay usable if a thread has panicked while it held them.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks `mutex`, whatever happened to those who have held it.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
