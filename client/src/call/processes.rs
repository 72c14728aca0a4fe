//! The processes of a daemon, found by its lock: for a daemon that does not reply.

use rustix::fs::{Mode, OFlags, open};
use rustix::process::Pid;
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Returns the processes that hold the lock of the daemon at `socket`. The first is the one that took it, if it lives:
/// signals to it reach the whole daemon.
pub(super) fn of_socket(socket: &Path) -> Vec<Pid> {
    let mut path = socket.as_os_str().to_owned();
    path.push(".lock");
    let path = Path::new(&path);
    // A named pipe would be waited for.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(lock) = open(path, flags, Mode::empty()) else {
        return Vec::new();
    };
    let mut lock = File::from(lock);
    let us = rustix::process::geteuid().as_raw();
    let is_ours = |file: Metadata| file.is_file() && file.uid() == us;
    if !lock.metadata().is_ok_and(is_ours) {
        return Vec::new();
    }
    let mut note = String::new();
    let read = lock.read_to_string(&mut note);
    let taker = read.ok().and_then(|_| pid_in(&note));
    let mut holders = holders_of(&lock, path, taker);
    holders.sort_by_key(|pid| Some(*pid) != taker);
    holders
}

/// Returns the process in the text that a daemon writes to its lock file: `pid N, socket PATH`.
fn pid_in(note: &str) -> Option<Pid> {
    let (pid, _) = note.strip_prefix("pid ")?.split_once(',')?;
    Pid::from_raw(pid.parse().ok()?)
}

/// The lock file says who took the lock, but that process may have ended and its number may belong to another one. So
/// only processes that have the file open count.
#[cfg(target_os = "linux")]
fn holders_of(lock: &File, path: &Path, _: Option<Pid>) -> Vec<Pid> {
    let identity = |file: &Metadata| (file.dev(), file.ino());
    let Ok(lock) = lock.metadata() else {
        return Vec::new();
    };
    let has_it_open = |pid: &Pid| {
        let files = std::fs::read_dir(format!("/proc/{pid}/fd"));
        let mut files = files.into_iter().flatten().flatten();
        files.any(|file| {
            // Only files of that name are looked at: others may be on a file system that hangs.
            let link = std::fs::read_link(file.path());
            let open = link
                .is_ok_and(|link| link.file_name() == path.file_name())
                .then(|| std::fs::metadata(file.path()));
            matches!(open, Some(Ok(open)) if identity(&open) == identity(&lock))
        })
    };
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
        .filter(|pid| *pid != rustix::process::getpid() && has_it_open(pid))
        .collect()
}

/// A daemon is one process here, which holds the lock as long as it lives.
#[cfg(not(target_os = "linux"))]
fn holders_of(lock: &File, _: &Path, taker: Option<Pid>) -> Vec<Pid> {
    use rustix::fs::{FlockOperation, flock};
    let is_held = flock(lock, FlockOperation::NonBlockingLockShared).is_err();
    taker.filter(|_| is_held).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn nothing_but_an_own_regular_file_is_a_lock() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("s.lock");
        let open_it = || File::options().read(true).write(true).open(&lock).unwrap();
        let mkfifo = std::process::Command::new("mkfifo").arg(&lock).status();
        assert!(mkfifo.unwrap().success());
        let (found, answer) = std::sync::mpsc::sync_channel(1);
        let socket = folder.path().join("s");
        std::thread::spawn(move || found.send(of_socket(&socket)));
        let answer = answer.recv_timeout(Duration::from_secs(20));
        // Lets a thread go on that waits for the pipe.
        drop(open_it());
        assert_eq!(answer, Ok(Vec::new()));
    }

    #[test]
    fn a_number_that_another_process_has_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        assert!(of_socket(&socket).is_empty());
        let note = format!("pid {}, socket {}\n", std::process::id(), socket.display());
        assert!(pid_in(&note).is_some());
        std::fs::write(folder.path().join("s.lock"), note).unwrap();
        // A process that another test is starting has a copy of the descriptor until it runs its program.
        let written = Instant::now();
        while !of_socket(&socket).is_empty() {
            assert!(written.elapsed() < Duration::from_secs(20));
            std::thread::yield_now();
        }
        for note in ["", "pid", "pid x, socket /s", "pid 0, socket /s"] {
            assert!(pid_in(note).is_none(), "{note:?}");
        }
    }
}
