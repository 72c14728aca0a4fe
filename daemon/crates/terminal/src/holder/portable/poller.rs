//! Waits for the holder's descriptors with select.
//! poll and kqueue are not used, because some versions of macOS refuse terminals there; select has always accepted
//! them.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::{Duration, Instant};

use rustix::event::{
    FdSetElement, FdSetIter, Timespec, fd_set_bound, fd_set_insert, fd_set_num_elements, select,
};
use rustix::io::Errno;

use crate::holder::source::{EventSource, TerminalWatch};

/// How often terminals that all processes have closed are checked. They always count as readable, so the system does
/// not report when the program opens one again. Such a session is rare, and wakes the daemon repeatedly until it ends.
const CLOSED_PAUSE: Duration = Duration::from_millis(100);

/// A set of descriptors. Its owner is one thread; the lock is only for the compiler.
#[derive(Debug)]
pub(crate) struct Poller {
    set: Mutex<PollSet>,
}

#[derive(Debug)]
struct PollSet {
    readable: HashMap<RawFd, EventSource>,
    closed: HashMap<RawFd, EventSource>,
    /// When the closed terminals are checked next.
    look_at: Instant,
}

impl Poller {
    pub(crate) fn new() -> io::Result<Self> {
        let set = PollSet {
            readable: HashMap::new(),
            closed: HashMap::new(),
            look_at: Instant::now(),
        };
        Ok(Self {
            set: Mutex::new(set),
        })
    }

    /// Watches `fd` for as long as it is readable. It must be removed before it is closed.
    pub(crate) fn add(&self, fd: impl AsFd, source: EventSource) -> io::Result<()> {
        self.set.lock().readable.insert(number(&fd), source);
        Ok(())
    }

    pub(crate) fn remove(&self, fd: impl AsFd) {
        let mut set = self.set.lock();
        set.readable.remove(&number(&fd));
        set.closed.remove(&number(&fd));
    }

    pub(crate) fn change(
        &self,
        fd: impl AsFd,
        source: EventSource,
        from: TerminalWatch,
        to: TerminalWatch,
    ) -> io::Result<()> {
        if from == to {
            return Ok(());
        }
        self.remove(&fd);
        let mut set = self.set.lock();
        match to {
            TerminalWatch::Quiet => {
                set.readable.insert(number(&fd), source);
            }
            TerminalWatch::Closed => {
                if set.closed.is_empty() {
                    set.look_at = Instant::now() + CLOSED_PAUSE;
                }
                set.closed.insert(number(&fd), source);
            }
            TerminalWatch::Flooding
            | TerminalWatch::Full
            | TerminalWatch::Lost
            | TerminalWatch::Lent => {}
        }
        Ok(())
    }

    /// Waits for events, for ever if there is no `timeout`, and returns their sources.
    pub(crate) fn wait(&self, timeout: Option<Duration>) -> io::Result<Vec<EventSource>> {
        let mut set = self.set.lock();
        let timeout = set.timeout(timeout);
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        let mut bits = set.bits();
        // SAFETY: a descriptor is always removed before it is closed.
        let selected = unsafe {
            let bound = fd_set_bound(&bits);
            select(bound, Some(&mut bits), None, None, timeout.as_ref())
        };
        let mut sources = match selected {
            Ok(_) => FdSetIter::new(&bits)
                .filter_map(|fd| set.readable.get(&fd).copied())
                .collect(),
            Err(Errno::INTR) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        set.look_at_closed(&mut sources);
        Ok(sources)
    }
}

impl PollSet {
    fn timeout(&self, asked: Option<Duration>) -> Option<Duration> {
        if self.closed.is_empty() {
            return asked;
        }
        let until_look = self.look_at.saturating_duration_since(Instant::now());
        Some(asked.map_or(until_look, |asked| asked.min(until_look)))
    }

    fn bits(&self) -> Vec<FdSetElement> {
        let highest = self.readable.keys().copied().max().unwrap_or(-1);
        let elements = fd_set_num_elements(self.readable.len(), highest + 1);
        let mut bits = vec![FdSetElement::default(); elements];
        for fd in self.readable.keys() {
            fd_set_insert(&mut bits, *fd);
        }
        bits
    }

    fn look_at_closed(&mut self, sources: &mut Vec<EventSource>) {
        if !self.closed.is_empty() && Instant::now() >= self.look_at {
            self.look_at = Instant::now() + CLOSED_PAUSE;
            sources.extend(self.closed.values());
        }
    }
}

fn number(fd: &impl AsFd) -> RawFd {
    fd.as_fd().as_raw_fd()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_readable_is_reported_until_it_is_removed() {
        let (input, output) = rustix::pipe::pipe().unwrap();
        let poller = Poller::new().unwrap();
        poller.add(&input, EventSource::Terminal(7)).unwrap();
        assert_eq!(poller.wait(Some(Duration::ZERO)).unwrap(), []);
        rustix::io::write(&output, b"x").unwrap();
        for _ in 0..2 {
            assert_eq!(poller.wait(None).unwrap(), [EventSource::Terminal(7)]);
        }
        poller.remove(&input);
        assert_eq!(poller.wait(Some(Duration::ZERO)).unwrap(), []);
    }

    #[test]
    fn a_closed_terminal_is_looked_at_but_does_not_spin() {
        let (input, output) = rustix::pipe::pipe().unwrap();
        drop(output);
        let poller = Poller::new().unwrap();
        let source = EventSource::Terminal(3);
        poller.add(&input, source).unwrap();
        poller
            .change(&input, source, TerminalWatch::Quiet, TerminalWatch::Closed)
            .unwrap();
        let started = Instant::now();
        for _ in 0..2 {
            // A signal may interrupt a wait.
            let sources = loop {
                let sources = poller.wait(None).unwrap();
                if !sources.is_empty() {
                    break sources;
                }
            };
            assert_eq!(sources, [source]);
        }
        assert!(started.elapsed() >= 2 * CLOSED_PAUSE);
        poller
            .change(&input, source, TerminalWatch::Closed, TerminalWatch::Quiet)
            .unwrap();
        assert_eq!(poller.wait(None).unwrap(), [source], "at once");
    }

    #[test]
    fn a_descriptor_beyond_the_classic_1024_is_watched() {
        let (input, output) = rustix::pipe::pipe().unwrap();
        let Ok(high) = rustix::io::fcntl_dupfd_cloexec(&input, 1500) else {
            eprintln!("skipped: the limit of descriptors is below 1500");
            return;
        };
        let poller = Poller::new().unwrap();
        poller.add(&high, EventSource::Wake).unwrap();
        rustix::io::write(&output, b"x").unwrap();
        assert_eq!(poller.wait(None).unwrap(), [EventSource::Wake]);
    }
}
