//! Memory that threads share through a descriptor, as processes do on Linux.

use std::fs::{OpenOptions, remove_file};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes the temporary names of the files unique.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// Creates an empty file without a path. The system may keep it in memory.
pub(crate) fn memory_file(name: &str) -> io::Result<OwnedFd> {
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let pid = rustix::process::getpid().as_raw_nonzero();
    let path = std::env::temp_dir().join(format!("{name} {pid} {number}"));
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    remove_file(path)?;
    Ok(file.into())
}
