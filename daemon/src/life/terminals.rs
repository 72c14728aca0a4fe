//! The process that holds the terminals, and what it passes on.

#[cfg(portable)]
use super::locks_and_socket::LocksAndSocket;
#[cfg(portable)]
use super::socket::OwnPath;
use crate::config::Paths;
#[cfg(portable)]
use ccd_terminal::holder::DescriptorLimits;
#[cfg(not(portable))]
use ccd_terminal::holder::Welcomed;
use ccd_terminal::holder::{Adopted, HandOver, Holder, HolderNews};
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

/// The process that holds the terminals, and what makes this the only daemon.
pub(crate) enum Terminals {
    /// The process that has started this one.
    #[cfg(not(portable))]
    Of(Welcomed),
    #[cfg(portable)]
    Own {
        ground: LocksAndSocket,
        limits: DescriptorLimits,
    },
}

pub(super) struct Begun {
    pub(super) holder: Holder,
    pub(super) news: HolderNews,
    pub(super) listener: std::os::unix::net::UnixListener,
    /// Path of the socket, if this process must remove it.
    pub(super) own_path: Option<PathBuf>,
    pub(super) adopted: Vec<Adopted>,
    pub(super) since: String,
    pub(super) hand_over: Option<HandOver>,
    pub(super) _locks: [OwnedFd; 2],
}

impl Terminals {
    /// True if another worker has served before this one.
    pub(super) fn are_handed_over(&self) -> bool {
        match self {
            #[cfg(not(portable))]
            Self::Of(welcomed) => welcomed.hand_over.is_some(),
            #[cfg(portable)]
            Self::Own { .. } => false,
        }
    }

    #[cfg(not(portable))]
    pub(super) fn begin(self, paths: &Paths) -> io::Result<Begun> {
        let Self::Of(welcomed) = self;
        let since = welcomed.since.clone();
        let hand_over = welcomed.hand_over.clone();
        let (holder, news, held, adopted) = welcomed.into_holder()?;
        Ok(Begun {
            since,
            hand_over,
            holder,
            news,
            listener: held.listener,
            own_path: held.owns_path.then(|| paths.socket.clone()),
            adopted,
            _locks: held.locks,
        })
    }

    #[cfg(portable)]
    pub(super) fn begin(self, _paths: &Paths) -> io::Result<Begun> {
        let Self::Own { ground, limits } = self;
        let (holder, news) = Holder::start(limits)?;
        Ok(Begun {
            holder,
            news,
            listener: ground.socket.listener,
            own_path: ground.socket.own_path.map(OwnPath::into_path),
            adopted: Vec::new(),
            since: ccd_base::clock::now(),
            hand_over: None,
            _locks: ground.locks,
        })
    }
}
