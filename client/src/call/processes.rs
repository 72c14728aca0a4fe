//! The processes of a daemon, found by its socket even if its files are gone: for a daemon that does not reply.

use rustix::process::Pid;
use std::path::Path;

/// Returns the processes of this user's daemon that listens at `socket`, whether or not the file is still there. The first
/// one is the holder, if it lives: signals to it reach the whole daemon.
#[cfg(target_os = "linux")]
pub(super) fn of_socket(socket: &Path) -> Vec<Pid> {
    let sockets = std::fs::read("/proc/net/unix").unwrap_or_default();
    let descriptors = listening(&sockets, socket);
    if descriptors.is_empty() {
        return Vec::new();
    }
    let has_one = |pid: &Pid| {
        let files = std::fs::read_dir(format!("/proc/{pid}/fd"));
        let mut links = files.into_iter().flatten().flatten();
        links.any(|file| {
            std::fs::read_link(file.path()).is_ok_and(|link| descriptors.contains(&link))
        })
    };
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut found: Vec<Pid> = entries
        .filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
        .filter(|pid| is_our_daemon(*pid) && has_one(pid))
        .collect();
    let all = found.clone();
    found.sort_by_key(|pid| parent_of(*pid).is_some_and(|parent| all.contains(&parent)));
    found
}

/// Returns what `/proc/PID/fd` calls the sockets that listen at a path, from the text of `/proc/net/unix`.
#[cfg(target_os = "linux")]
fn listening(sockets: &[u8], at: &Path) -> Vec<std::path::PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;
    const LISTENS: &[u8] = b"00010000";
    let lines = sockets.split(|byte| *byte == b'\n');
    let inodes = lines.filter_map(|line| {
        let mut fields = line.splitn(8, |byte| *byte == b' ');
        let (flags, inode, path) = (fields.nth(3)?, fields.nth(2)?, fields.next()?);
        let inode = std::str::from_utf8(inode).ok()?.trim();
        (flags == LISTENS && path == at.as_os_str().as_bytes()).then_some(inode)
    });
    inodes
        .map(|inode| format!("socket:[{inode}]").into())
        .collect()
}

/// systemd may have the socket too, and a daemon in a container says a number that is another process's here.
#[cfg(target_os = "linux")]
pub(crate) fn is_our_daemon(pid: Pid) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let us = rustix::process::geteuid().as_raw();
    let is_ours = std::fs::metadata(format!("/proc/{pid}")).is_ok_and(|it| it.uid() == us);
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm"));
    is_ours && name.is_ok_and(|name| name == "ccd\n")
}

#[cfg(target_os = "linux")]
fn parent_of(pid: Pid) -> Option<Pid> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    Pid::from_raw(after_name.split_whitespace().nth(1)?.parse().ok()?)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn is_our_daemon(_pid: Pid) -> bool {
    true
}

/// A daemon is one process here, which holds the lock beside its socket as long as it lives, and has written `pid N, …` there.
#[cfg(not(target_os = "linux"))]
pub(super) fn of_socket(socket: &Path) -> Vec<Pid> {
    use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
    use std::io::Read as _;
    let mut path = socket.as_os_str().to_owned();
    path.push(".lock");
    // A named pipe would be waited for.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let taker = || {
        let mut lock = std::fs::File::from(open(Path::new(&path), flags, Mode::empty()).ok()?);
        let is_held = flock(&lock, FlockOperation::NonBlockingLockShared).is_err();
        let mut note = String::new();
        lock.read_to_string(&mut note).ok()?;
        let (pid, _) = note.strip_prefix("pid ")?.split_once(',')?;
        Pid::from_raw(pid.parse().ok()?).filter(|_| is_held)
    };
    taker().into_iter().collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_listener_is_found_by_its_path_alone() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("a b");
        let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let found = || listening(&std::fs::read("/proc/net/unix").unwrap(), &socket);
        assert_eq!(found().len(), 1);
        std::fs::remove_file(&socket).unwrap();
        assert_eq!(found().len(), 1);
        assert!(of_socket(&socket).is_empty(), "this process is no daemon");
        drop(listener);
        assert!(found().is_empty());
    }

    #[test]
    fn the_parent_of_a_process_is_read_after_its_name() {
        let us = rustix::process::getpid();
        assert_eq!(parent_of(us), rustix::process::getppid());
    }
}
