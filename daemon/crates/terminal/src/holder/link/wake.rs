//! How the holder and the worker wake each other: sets of slots in the shared memory, and a signal that is only sent if the
//! other side sleeps.
//! The order prevents lost wake-ups: a sender marks its news, then checks whether the other side sleeps; a receiver
//! first declares that it sleeps, then checks for news once more. All accesses are sequentially consistent.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::shared::{News, Notes, SharedLayout, SharedMemory};
use crate::holder::platform::WakeEvent;

/// What wakes the holder and the two parts of the worker that process output.
#[derive(Debug, Clone)]
pub(in crate::holder) struct WakeSignals {
    pub(in crate::holder) shared: Arc<SharedMemory>,
    pub(in crate::holder) holder: WakeSignal,
    /// To the part that processes the output of terminals that do not flood, and all exits.
    pub(in crate::holder) quiet: NewsSender,
    /// To the part that processes the output of flooding terminals.
    pub(in crate::holder) floods: NewsSender,
}

impl WakeSignals {
    pub(in crate::holder) fn new(
        shared: SharedMemory,
        [holder, quiet, floods]: [Arc<WakeEvent>; 3],
    ) -> Self {
        let shared = Arc::new(shared);
        let signal = |event, is_awake| WakeSignal {
            event,
            shared: Arc::clone(&shared),
            is_awake,
        };
        Self {
            shared: Arc::clone(&shared),
            holder: signal(holder, |shared| &shared.to_holder.is_awake),
            quiet: NewsSender {
                wake: signal(quiet, |shared| &shared.quiet.is_awake),
                news: |shared| &shared.quiet,
            },
            floods: NewsSender {
                wake: signal(floods, |shared| &shared.floods.is_awake),
                news: |shared| &shared.floods,
            },
        }
    }
}

/// Selects a part of the shared memory.
type SharedPart<T> = fn(&SharedLayout) -> &T;

/// A descriptor that becomes readable when somebody wakes its sleeping owner. The owner and the waker have one
/// each, or share one.
#[derive(Debug, Clone)]
pub(in crate::holder) struct WakeSignal {
    event: Arc<WakeEvent>,
    shared: Arc<SharedMemory>,
    is_awake: SharedPart<AtomicBool>,
}

impl WakeSignal {
    /// Wakes the owner if it sleeps. If it does not, this costs one atomic operation.
    pub(in crate::holder) fn send(&self) {
        if !self.is_awake().swap(true, SeqCst) {
            self.event.raise();
        }
    }

    /// Declares that the owner is going to sleep. If `has_news` is true then, takes that back and returns false.
    pub(in crate::holder) fn try_sleep(&self, has_news: impl FnOnce() -> bool) -> bool {
        self.is_awake().store(false, SeqCst);
        if has_news() {
            self.is_awake().store(true, SeqCst);
            return false;
        }
        true
    }

    /// Declares that the owner is awake, and makes the descriptor unreadable until it sleeps and is woken again.
    pub(in crate::holder) fn wake_up(&self) {
        if self.is_awake().swap(true, SeqCst) {
            self.event.clear(); // somebody has rung, or the owner was not sleeping
        }
    }

    fn is_awake(&self) -> &AtomicBool {
        (self.is_awake)(&self.shared)
    }
}

impl AsFd for WakeSignal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}

/// Returns new events for [`WakeSignals::new`].
pub(in crate::holder) fn events() -> io::Result<[Arc<WakeEvent>; 3]> {
    Ok([WakeEvent::new()?, WakeEvent::new()?, WakeEvent::new()?].map(Arc::new))
}

impl Notes {
    pub(in crate::holder) fn any(&self) -> bool {
        !self.space_freed.is_empty()
            || !self.released.is_empty()
            || !self.returned.is_empty()
            || self.stop.load(SeqCst)
    }
}

/// Notifies one of the two parts of the worker that process output. Both ends use it.
#[derive(Debug, Clone)]
pub(in crate::holder) struct NewsSender {
    wake: WakeSignal,
    news: SharedPart<News>,
}

impl NewsSender {
    /// Notifies the worker to check `slot`. Must be called after the change is in the ring.
    pub(in crate::holder) fn tell(&self, slot: usize) {
        self.news().slots.insert(slot);
        self.wake.send();
    }

    /// Declares that there will be no more news.
    pub(in crate::holder) fn close(&self) {
        self.news().is_closed.store(true, SeqCst);
        self.wake.send();
    }

    fn news(&self) -> &News {
        (self.news)(&self.wake.shared)
    }
}

/// The worker's end of a [`NewsSender`]. There is only one; its descriptor goes into an `AsyncFd`, or its owner blocks.
/// The loop of its owner: call [`NewsReceiver::drain`] until [`NewsReceiver::try_sleep`] returns true, then wait until the descriptor
/// is readable; end if [`NewsReceiver::is_closed`].
#[derive(Debug)]
pub struct NewsReceiver(NewsSender);

impl NewsReceiver {
    pub(in crate::holder) fn new(line: NewsSender) -> Self {
        Self(line)
    }

    /// Calls `look` for every slot with news since the last call. A slot may be reported once too often, even after it
    /// was released.
    pub fn drain(&self, look: impl FnMut(usize)) {
        self.0.wake.wake_up();
        self.0.news().slots.drain(look);
    }

    /// Declares that the worker is going to wait. False if there is news already, which must be drained first.
    pub fn try_sleep(&self) -> bool {
        let has_news = || !self.0.news().slots.is_empty() || self.is_closed();
        self.0.wake.try_sleep(has_news)
    }

    /// Blocks until there is news. Must be called after [`NewsReceiver::try_sleep`] has returned true.
    pub fn wait(&self) -> io::Result<()> {
        match poll(&mut [PollFd::new(self, PollFlags::IN)], None) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns true once the holder has ended. Everything was drained by then.
    pub fn is_closed(&self) -> bool {
        self.0.news().is_closed.load(SeqCst)
    }
}

impl AsFd for NewsReceiver {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.wake.as_fd()
    }
}

impl AsRawFd for NewsReceiver {
    fn as_raw_fd(&self) -> RawFd {
        self.as_fd().as_raw_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;
    use std::time::Duration;

    use rustix::event::Timespec;

    use super::*;
    use crate::holder::slot_set::MAX_SLOTS;

    fn line() -> (NewsSender, NewsReceiver) {
        let (shared, _) = SharedMemory::create().unwrap();
        let line = WakeSignals::new(shared, events().unwrap()).quiet;
        (line.clone(), NewsReceiver::new(line))
    }

    fn readable(fd: BorrowedFd<'_>, wait: Duration) -> bool {
        let wait = Timespec {
            tv_sec: wait.as_secs() as i64,
            tv_nsec: 0,
        };
        poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&wait)).unwrap() == 1
    }

    #[test]
    fn only_a_sleeper_is_rung() {
        let (news, wakes) = line();
        news.tell(1);
        assert!(
            readable(wakes.as_fd(), Duration::ZERO),
            "the first ring is heard"
        );
        wakes.drain(|slot| assert_eq!(slot, 1));
        assert!(!readable(wakes.as_fd(), Duration::ZERO));
        news.tell(2);
        assert!(!readable(wakes.as_fd(), Duration::ZERO), "awake");
        assert!(!wakes.try_sleep(), "there is news");
        wakes.drain(|slot| assert_eq!(slot, 2));
        assert!(wakes.try_sleep());
        news.tell(3);
        assert!(readable(wakes.as_fd(), Duration::ZERO));
    }

    #[test]
    fn no_news_is_slept_through() {
        const ROUNDS: u64 = 20_000;
        let (news, wakes) = line();
        let heard = Arc::new(AtomicU64::new(0));
        let teller = {
            let heard = Arc::clone(&heard);
            std::thread::spawn(move || {
                for round in 0..ROUNDS {
                    news.tell(round as usize % MAX_SLOTS);
                    while heard.load(SeqCst) == round {
                        std::thread::yield_now();
                    }
                }
            })
        };
        while heard.load(SeqCst) < ROUNDS {
            wakes.drain(|_| {
                heard.fetch_add(1, SeqCst);
            });
            if heard.load(SeqCst) < ROUNDS && wakes.try_sleep() {
                assert!(
                    readable(wakes.as_fd(), Duration::from_secs(20)),
                    "slept through {heard:?}"
                );
            }
        }
        teller.join().unwrap();
    }
}
