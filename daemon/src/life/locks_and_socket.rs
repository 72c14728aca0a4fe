//! One daemon per socket and base directory: the paths, the locks and the socket.

use super::args::Args;
use super::error::StartError;
use super::lock::Lock;
use super::socket::{Socket, passed_in};
use crate::config::Paths;
use ccd_protocol::parents::{User, check_parents};
use std::os::fd::OwnedFd;
use std::path::PathBuf;

/// What makes this the only daemon: its paths, locks and socket.
pub(crate) struct LocksAndSocket {
    pub(crate) locks: [OwnedFd; 2],
    pub(crate) socket: Socket,
}

impl LocksAndSocket {
    /// Determines the paths, takes the locks, and listens: a client that connects right after the start waits instead
    /// of failing.
    ///
    /// # Errors
    ///
    /// [`StartError`] in one line.
    pub(crate) fn take(args: &Args) -> Result<Self, StartError> {
        let paths = find_paths(args)?;
        // Not again when a worker follows: sessions must not end because of a change elsewhere.
        check_parents_of(&paths)?;
        paths.prepare()?;
        let base_lock = Lock::of_base(&paths.base, &paths.socket)?;
        let socket_lock = Lock::of_socket(&paths.socket)?;
        Ok(Self {
            socket: Socket::open(&paths.socket, passed_in())?,
            locks: [base_lock.into(), socket_lock.into()],
        })
    }
}

pub(super) fn find_paths(args: &Args) -> Result<Paths, StartError> {
    let env = |name: &str| std::env::var_os(name);
    Ok(Paths::from_env(args.socket.as_deref(), env)?)
}

fn check_parents_of(paths: &Paths) -> Result<(), StartError> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let user = User {
        uid: rustix::process::geteuid().as_raw(),
        gid: rustix::process::getegid().as_raw(),
        home: home.as_deref(),
    };
    check_parents(&paths.runtime, user).map_err(|source| StartError::Parent {
        socket: paths.socket.clone(),
        source,
    })
}
