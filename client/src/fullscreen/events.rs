//! Events: keys, signals, news from other threads.

use super::keys::{Key, KeyDecoder};
use crate::terminal::ENDING_SIGNALS;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGCONT, SIGINT, SIGWINCH};
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// How long to wait for the rest of a sequence; after that it was the escape key.
const ESCAPE_TIME: Duration = Duration::from_millis(50);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    Keys(Vec<Key>),
    /// The terminal was resized, or other programs wrote to it while this process was stopped.
    Redraw {
        was_stopped: bool,
    },
    /// A signal asks this process to exit.
    Stopped(i32),
    HungUp,
    /// Another thread called [`Waker::wake`].
    News,
}

#[derive(Debug)]
pub(crate) struct Waker(UnixStream);

#[derive(Debug)]
pub(crate) struct Events {
    keys: KeyDecoder,
    /// A byte for each signal and each wake-up.
    wakes: UnixStream,
    /// Number of the signal that asked this process to exit, or 0.
    stopped: Arc<AtomicUsize>,
    resized: Arc<AtomicBool>,
    continued: Arc<AtomicBool>,
}

impl Waker {
    fn wake(&self) {
        // If the socket is full, the wake-up is pending already.
        let _ = (&self.0).write(&[0]);
    }
}

/// Sends reports of a thread to the screen, and wakes it.
#[derive(Debug)]
pub(crate) struct Reporter<R> {
    reports: SyncSender<R>,
    waker: Arc<Waker>,
}

impl<R> Clone for Reporter<R> {
    fn clone(&self) -> Self {
        Self {
            reports: self.reports.clone(),
            waker: Arc::clone(&self.waker),
        }
    }
}

impl<R> Reporter<R> {
    pub(crate) fn new(waker: Waker) -> (Self, Receiver<R>) {
        /// Most reports that wait for the screen to be drawn; a thread with a further one waits.
        const MAX_REPORTS: usize = 16;
        let (reports, received) = sync_channel(MAX_REPORTS);
        let waker = Arc::new(waker);
        (Self { reports, waker }, received)
    }

    /// Sends a report; false if nobody listens any more.
    pub(crate) fn report(&self, report: R) -> bool {
        let is_taken = self.reports.send(report).is_ok();
        self.waker.wake();
        is_taken
    }
}

impl Events {
    /// Listens from now on, until the process exits.
    pub(crate) fn listen() -> io::Result<(Self, Waker)> {
        let (wakes, waker) = UnixStream::pair()?;
        wakes.set_nonblocking(true)?;
        waker.set_nonblocking(true)?;
        let events = Self {
            keys: KeyDecoder::default(),
            wakes,
            stopped: Arc::default(),
            resized: Arc::default(),
            continued: Arc::default(),
        };
        for signal in ENDING_SIGNALS {
            let number = usize::try_from(signal).unwrap_or_default();
            signal_hook::flag::register_usize(signal, Arc::clone(&events.stopped), number)?;
            signal_hook::low_level::pipe::register(signal, waker.try_clone()?)?;
        }
        for (signal, flag) in [(SIGWINCH, &events.resized), (SIGCONT, &events.continued)] {
            signal_hook::flag::register(signal, Arc::clone(flag))?;
            signal_hook::low_level::pipe::register(signal, waker.try_clone()?)?;
        }
        Ok((events, Waker(waker)))
    }

    /// Discards interrupts that were meant for a program that used the terminal in between.
    pub(crate) fn forget_interrupts(&self) {
        let (interrupt, none) = (SIGINT as usize, 0);
        let order = Ordering::AcqRel;
        let _ = self
            .stopped
            .compare_exchange(interrupt, none, order, Ordering::Relaxed);
    }

    pub(crate) fn next(&mut self) -> io::Result<Event> {
        loop {
            if let Some(event) = self.next_until(None)? {
                return Ok(event);
            }
        }
    }

    /// Waits for the next event; `None` if there is none before `deadline`.
    pub(crate) fn next_until(&mut self, deadline: Option<Instant>) -> io::Result<Option<Event>> {
        loop {
            if let Some(event) = self.signalled() {
                return Ok(Some(event));
            }
            let escape = self.keys.is_waiting().then_some(ESCAPE_TIME);
            let rest = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let wait = escape.into_iter().chain(rest).min();
            let timeout = wait.and_then(|wait| Timespec::try_from(wait).ok());
            let stdin = io::stdin();
            let mut sources = [
                PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN),
                PollFd::from_borrowed_fd(self.wakes.as_fd(), PollFlags::IN),
            ];
            let ready = match poll(&mut sources, timeout.as_ref()) {
                Err(Errno::INTR) => continue,
                ready => ready?,
            };
            if ready == 0 {
                if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                    return Ok(None);
                }
                match escape {
                    Some(_) => {
                        let keys = self.keys.finish().into_iter().collect();
                        return Ok(Some(Event::Keys(keys)));
                    }
                    None => continue,
                }
            }
            let [typed, rung] = sources.map(|source| !source.revents().is_empty());
            if rung {
                while self.wakes.read(&mut [0; 64]).is_ok_and(|len| len > 0) {}
                return Ok(Some(self.signalled().unwrap_or(Event::News)));
            }
            if typed {
                match self.read()? {
                    Some(keys) if keys.is_empty() => {}
                    Some(keys) => return Ok(Some(Event::Keys(keys))),
                    None => return Ok(Some(Event::HungUp)),
                }
            }
        }
    }

    fn signalled(&self) -> Option<Event> {
        let stopped = self.stopped.swap(0, Ordering::AcqRel);
        let was_stopped = self.continued.swap(false, Ordering::AcqRel);
        let was_resized = self.resized.swap(false, Ordering::AcqRel);
        if stopped != 0 {
            return Some(Event::Stopped(stopped as i32));
        }
        (was_stopped || was_resized).then_some(Event::Redraw { was_stopped })
    }

    /// Reads keys; `None` if the terminal was closed.
    fn read(&mut self) -> io::Result<Option<Vec<Key>>> {
        let mut bytes = [0; 1024];
        match rustix::io::read(io::stdin().as_fd(), &mut bytes) {
            Ok(0) | Err(Errno::IO) => Ok(None),
            Ok(len) => Ok(Some(self.keys.take(&bytes[..len]))),
            Err(Errno::INTR | Errno::AGAIN) => Ok(Some(Vec::new())),
            Err(error) => Err(error.into()),
        }
    }
}
