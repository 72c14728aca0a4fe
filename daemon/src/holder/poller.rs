//! The holder's epoll set, with names for what is in it.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;

use super::terminal::Watch;

/// How many events one wait returns at most.
const EVENTS_PER_WAIT: usize = 64;

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The worker rang.
    Bell,
    /// SIGCHLD arrived.
    Children,
    /// The terminal in this slot can be read.
    Terminal(usize),
    /// The leader of the session in this slot has ended.
    Leader(usize),
}

impl Source {
    fn data(self) -> EventData {
        EventData::new_u64(match self {
            Self::Bell => 0,
            Self::Children => 1,
            Self::Terminal(slot) => (slot as u64) << 2 | 2,
            Self::Leader(slot) => (slot as u64) << 2 | 3,
        })
    }

    fn of(data: EventData) -> Self {
        let data = data.u64();
        match (data & 3, (data >> 2) as usize) {
            (0, _) => Self::Bell,
            (1, _) => Self::Children,
            (2, slot) => Self::Terminal(slot),
            (_, slot) => Self::Leader(slot),
        }
    }
}

/// An epoll set.
#[derive(Debug)]
pub(super) struct Poller {
    epoll: OwnedFd,
}

impl Poller {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
        })
    }

    /// Watches `fd` for as long as it is readable.
    pub(super) fn add(&self, fd: impl AsFd, source: Source) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, fd, source.data(), EventFlags::IN)?)
    }

    /// Stops watching `fd`. Closing it is not enough when another descriptor of the same open file exists.
    pub(super) fn remove(&self, fd: impl AsFd) {
        // It fails only for what is not in the set, and then there is nothing to do.
        let _ = epoll::delete(&self.epoll, fd);
    }

    /// Changes how the terminal `fd` is watched.
    pub(super) fn change(
        &self,
        fd: impl AsFd,
        source: Source,
        from: Watch,
        to: Watch,
    ) -> io::Result<()> {
        match (from.interest(), to.interest()) {
            (None, Some(flags)) => epoll::add(&self.epoll, fd, source.data(), flags)?,
            (Some(old), Some(flags)) if old != flags => {
                epoll::modify(&self.epoll, fd, source.data(), flags)?;
            }
            (Some(_), None) => self.remove(fd),
            _ => {}
        }
        Ok(())
    }

    /// Waits for events, for ever without `timeout`, and puts what they are about into `sources`.
    pub(super) fn wait(
        &self,
        timeout: Option<Duration>,
        sources: &mut Vec<Source>,
    ) -> io::Result<()> {
        sources.clear();
        let timeout = timeout.map(|timeout| Timespec {
            tv_sec: timeout.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: timeout.subsec_nanos().into(),
        });
        let mut events = [MaybeUninit::uninit(); EVENTS_PER_WAIT];
        match epoll::wait(&self.epoll, &mut events, timeout.as_ref()) {
            Ok((events, _)) => sources.extend(events.iter().map(|event| Source::of(event.data))),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}
