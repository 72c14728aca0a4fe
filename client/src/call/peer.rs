//! Whose daemon a socket leads to, as reported by the kernel: where others may write, it may be anybody's.

use std::io;
use std::os::fd::{AsFd, AsRawFd as _};

/// A user other than this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it belongs to user {owner}, not to user {us}")]
pub(crate) struct Foreign {
    owner: u32,
    us: u32,
}

impl Foreign {
    /// True if this user may trust the owner: root can read and change everything anyway, and a service manager of the
    /// system may listen for the daemon.
    fn is_trusted(self) -> bool {
        self.owner == 0
    }
}

/// Checks that a daemon of this user, or root, listens at the other end of `socket`. Called before the first byte is sent.
pub(crate) fn check(socket: impl AsFd) -> io::Result<()> {
    match foreign(socket)? {
        Some(foreign) if !foreign.is_trusted() => Err(io::Error::other(foreign)),
        _ => Ok(()),
    }
}

/// Returns the user that listens at the other end of `socket` if that is not this one: such a daemon may refuse to serve.
pub(super) fn foreign(socket: impl AsFd) -> io::Result<Option<Foreign>> {
    let us = rustix::process::geteuid().as_raw();
    let owner = owner_of(socket)?;
    Ok((owner != us).then_some(Foreign { owner, us }))
}

/// The user that called `listen`. Not through rustix, in whose type a process of another namespace, number 0, is invalid.
#[cfg(target_os = "linux")]
fn owner_of(socket: impl AsFd) -> io::Result<u32> {
    let mut peer = libc::ucred {
        pid: 0,
        uid: 0,
        gid: 0,
    };
    let mut len = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: both pointers are valid for the call, and `len` is the size of `peer`.
    let result = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut peer).cast(),
            &raw mut len,
        )
    };
    match result {
        0 => Ok(peer.uid),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(not(target_os = "linux"))]
fn owner_of(socket: impl AsFd) -> io::Result<u32> {
    let (mut uid, mut gid) = (0, 0);
    // SAFETY: both pointers are valid for the call.
    let result =
        unsafe { libc::getpeereid(socket.as_fd().as_raw_fd(), &raw mut uid, &raw mut gid) };
    match result {
        0 => Ok(uid),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::{UnixListener, UnixStream};

    #[test]
    fn the_own_user_and_root_are_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let _listener = UnixListener::bind(&path).unwrap();
        let stream = UnixStream::connect(&path).unwrap();
        assert_eq!(foreign(&stream).unwrap(), None);
        check(&stream).unwrap();
        for (owner, is_trusted) in [(0, true), (1001, false)] {
            assert_eq!(Foreign { owner, us: 1000 }.is_trusted(), is_trusted);
        }
    }
}
