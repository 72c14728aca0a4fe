//! Files of this run, and of earlier runs that were killed.

use rustix::process::{Pid, test_kill_process};
use std::path::{Path, PathBuf};

const PREFIX: &str = "ccd-bench-";

/// A directory in memory, if it exists, like a user's runtime directory.
const MEMORY: &str = "/dev/shm";

/// Returns a name that no other run uses at the same time.
pub(crate) fn unique(name: &str) -> String {
    format!("{PREFIX}{}-{name}", std::process::id())
}

/// Returns a path on disk.
pub(crate) fn on_disk(name: &str) -> PathBuf {
    std::env::temp_dir().join(unique(name))
}

/// Returns a path in memory, or on disk if there is no directory in memory.
pub(crate) fn in_memory(name: &str) -> PathBuf {
    match Path::new(MEMORY) {
        memory if memory.is_dir() => memory.join(unique(name)),
        _ => on_disk(&format!("{name}-runtime")),
    }
}

/// Deletes files of runs whose process no longer exists.
pub(crate) fn sweep() {
    for folder in [std::env::temp_dir(), PathBuf::from(MEMORY)] {
        let Ok(entries) = std::fs::read_dir(folder) else {
            continue;
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            if is_of_a_dead_run(&path) {
                // A file that cannot be deleted is left; the next run tries again.
                let _ = std::fs::remove_dir_all(&path).or_else(|_| std::fs::remove_file(&path));
            }
        }
    }
}

fn is_of_a_dead_run(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let rest = name.and_then(|name| name.strip_prefix(PREFIX));
    let pid = rest.and_then(|rest| rest.split('-').next()?.parse().ok());
    pid.and_then(Pid::from_raw)
        .is_some_and(|pid| test_kill_process(pid).is_err())
}
