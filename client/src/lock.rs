//! Locks of values that a panic cannot leave half changed.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a value, even if another thread has panicked with the lock.
pub(crate) fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
