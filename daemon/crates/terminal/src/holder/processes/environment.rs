//! The environment that a process was started with.

use crate::process_stat::ProcessStat;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::time::Duration;

/// Maximum length of the part of a process's environment that is searched; the kernel does not allow more.
const MAX_BYTES: u64 = 6 << 20;

/// A process that execs another program has no environment for a moment, which is long on a busy machine. It is looked
/// at this many times, with this pause in between.
const EXEC_LOOKS: u32 = 500;
const EXEC_PAUSE: Duration = Duration::from_micros(200);

#[derive(Debug, PartialEq, Eq)]
pub(super) enum EnvironmentLook {
    /// The values of the variable; none if the process belongs to another user.
    Values(Vec<Vec<u8>>),
    /// The process execs another program, whose environment is not in place yet.
    Execs,
    /// It has ended, but its parent has not reaped it yet.
    Ended,
    Gone,
}

/// Looks once for the values of the variable `name` in a process's initial environment.
pub(super) fn look(pid: i32, name: &str) -> EnvironmentLook {
    let mut environ = Vec::new();
    let first = read(pid, &mut environ);
    if !matches!(first, Ok(1..)) {
        match ProcessStat::read(pid) {
            None => return EnvironmentLook::Gone,
            Some(stat) if !stat.lives => return EnvironmentLook::Ended,
            // Newer kernels (seen with 6.18) fail with ESRCH where older ones return nothing.
            Some(stat) if stat.is_in_exec && !is_denied(&first) => return EnvironmentLook::Execs,
            Some(_) => {}
        }
        // It may have got its environment since. If only its first thread has ended, the others still show it.
        if !matches!(read(pid, &mut environ), Ok(1..)) && !is_denied(&first) {
            read_of_threads(pid, &mut environ);
        }
    }
    let value = |entry: &[u8]| {
        let after_name = entry.strip_prefix(name.as_bytes())?;
        after_name.strip_prefix(b"=").map(<[u8]>::to_vec)
    };
    EnvironmentLook::Values(environ.split(|byte| *byte == 0).filter_map(value).collect())
}

/// Returns the values of the variable `name` in a process's initial environment, which cannot be read for another
/// user's process. Waits while the process execs a program.
pub(super) fn environment_values(pid: i32, name: &str) -> Vec<Vec<u8>> {
    for _ in 0..EXEC_LOOKS {
        match look(pid, name) {
            EnvironmentLook::Values(values) => return values,
            EnvironmentLook::Execs => std::thread::sleep(EXEC_PAUSE),
            EnvironmentLook::Ended | EnvironmentLook::Gone => break,
        }
    }
    Vec::new()
}

/// True for the process of another user.
fn is_denied(read: &io::Result<usize>) -> bool {
    (read.as_ref()).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}

fn read(pid: i32, environ: &mut Vec<u8>) -> io::Result<usize> {
    read_file(format!("/proc/{pid}/environ").as_ref(), environ)
}

fn read_of_threads(pid: i32, environ: &mut Vec<u8>) {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task"));
    for thread in threads.into_iter().flatten().flatten() {
        if matches!(read_file(&thread.path().join("environ"), environ), Ok(1..)) {
            return;
        }
    }
}

fn read_file(path: &Path, environ: &mut Vec<u8>) -> io::Result<usize> {
    File::open(path)?.take(MAX_BYTES).read_to_end(environ)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_of_the_kernel_do_not_exec() {
        const KERNEL: i32 = 2; // its first thread; elsewhere another process, or none
        assert_ne!(look(KERNEL, "PATH"), EnvironmentLook::Execs);
    }
}
