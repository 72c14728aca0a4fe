//! Limits of one root.

/// Maximum number of tapes of one root.
pub(super) const MAX_TAPES: usize = 100_000;

/// Maximum size of one tape.
pub(super) const MAX_TAPE_BYTES: u64 = 64 << 20;

/// Maximum number of directories that are read: a link may lead to the whole file system.
pub(super) const MAX_FOLDERS: usize = 100_000;
