//! Limits of a database.

use std::time::Duration;

pub(crate) const QUEUE_LEN: usize = 4096;

/// How long a write waits for room in a full queue.
pub(crate) const QUEUE_PATIENCE: Duration = Duration::from_secs(5);
