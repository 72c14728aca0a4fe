//! The holder's epoll set.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;

use crate::holder::source::{EventSource, TerminalWatch};

const EVENTS_PER_WAIT: usize = 64;

#[derive(Debug)]
pub(crate) struct Poller {
    epoll: OwnedFd,
}

impl Poller {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
        })
    }

    /// Watches `fd` for as long as it is readable.
    pub(crate) fn add(&self, fd: impl AsFd, source: EventSource) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, fd, data(source), EventFlags::IN)?)
    }

    /// Stops watching `fd`. Closing it is not enough if another descriptor of the same open file exists.
    pub(crate) fn remove(&self, fd: impl AsFd) {
        // It fails only if it is not in the set, and then there is nothing to do.
        let _ = epoll::delete(&self.epoll, fd);
    }

    pub(crate) fn change(
        &self,
        fd: impl AsFd,
        source: EventSource,
        from: TerminalWatch,
        to: TerminalWatch,
    ) -> io::Result<()> {
        match (interest(from), interest(to)) {
            (None, Some(flags)) => epoll::add(&self.epoll, fd, data(source), flags)?,
            (Some(old), Some(flags)) if old != flags => {
                epoll::modify(&self.epoll, fd, data(source), flags)?;
            }
            (Some(_), None) => self.remove(fd),
            _ => {}
        }
        Ok(())
    }

    /// Waits for events, for ever if there is no `timeout`, and returns their sources.
    pub(crate) fn wait(&self, timeout: Option<Duration>) -> io::Result<Vec<EventSource>> {
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        let mut events = [MaybeUninit::uninit(); EVENTS_PER_WAIT];
        match epoll::wait(&self.epoll, &mut events, timeout.as_ref()) {
            Ok((events, _)) => Ok(events.iter().map(|event| source(event.data)).collect()),
            Err(Errno::INTR) => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns the epoll events for a watch; `None` if the terminal must not be in the set.
fn interest(watch: TerminalWatch) -> Option<EventFlags> {
    match watch {
        TerminalWatch::Quiet => Some(EventFlags::IN),
        TerminalWatch::Closed => Some(EventFlags::IN | EventFlags::ET),
        TerminalWatch::Flooding
        | TerminalWatch::Full
        | TerminalWatch::Lost
        | TerminalWatch::Lent => None,
    }
}

/// The number of the first slot: smaller ones are those of the other sources.
const FIRST_SLOT: u64 = 4;

fn data(source: EventSource) -> EventData {
    EventData::new_u64(match source {
        EventSource::Wake => 0,
        EventSource::Port => 1,
        EventSource::Signals => 2,
        EventSource::Children => 3,
        EventSource::Terminal(slot) => FIRST_SLOT + slot as u64,
    })
}

fn source(data: EventData) -> EventSource {
    match data.u64() {
        0 => EventSource::Wake,
        1 => EventSource::Port,
        2 => EventSource::Signals,
        3 => EventSource::Children,
        number => EventSource::Terminal((number - FIRST_SLOT) as usize),
    }
}
