//! What a database takes at most.

use std::time::Duration;

/// Writes that may wait for the writer.
pub(crate) const QUEUE_LEN: usize = 4096;

/// How long a write waits for a place in a full queue.
pub(crate) const QUEUE_PATIENCE: Duration = Duration::from_secs(5);
