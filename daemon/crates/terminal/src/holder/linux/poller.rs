//! The holder's epoll set.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;

use crate::holder::source::{Source, Watch};

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
    pub(crate) fn add(&self, fd: impl AsFd, source: Source) -> io::Result<()> {
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
        source: Source,
        from: Watch,
        to: Watch,
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
    pub(crate) fn wait(&self, timeout: Option<Duration>) -> io::Result<Vec<Source>> {
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
fn interest(watch: Watch) -> Option<EventFlags> {
    match watch {
        Watch::Quiet => Some(EventFlags::IN),
        Watch::Closed => Some(EventFlags::IN | EventFlags::ET),
        Watch::Flooding | Watch::Full | Watch::Lost | Watch::Lent => None,
    }
}

/// The number of the first slot: smaller ones are those of the other sources.
const FIRST_SLOT: u64 = 4;

fn data(source: Source) -> EventData {
    EventData::new_u64(match source {
        Source::Wake => 0,
        Source::Port => 1,
        Source::Signals => 2,
        Source::Children => 3,
        Source::Terminal(slot) => FIRST_SLOT + slot as u64,
    })
}

fn source(data: EventData) -> Source {
    match data.u64() {
        0 => Source::Wake,
        1 => Source::Port,
        2 => Source::Signals,
        3 => Source::Children,
        number => Source::Terminal((number - FIRST_SLOT) as usize),
    }
}
