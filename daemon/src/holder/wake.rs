//! How the holder and the worker wake each other: a set of slots, and a bell that is rung only for a sleeper.
//!
//! The order that loses nothing: the one who has news marks them, then looks whether the other sleeps; the one who
//! wants to sleep says so, then looks for news once more. All of it is sequentially consistent.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU64};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::platform::Event;

/// How many sessions there can be at once.
pub(crate) const MAX_SLOTS: usize = 4096;

const WORD_BITS: usize = u64::BITS as usize;

/// A set of slots that any thread may add to and one thread empties.
#[derive(Debug)]
pub(super) struct SlotSet {
    /// Bit n says that word n may have bits.
    summary: AtomicU64,
    words: [AtomicU64; MAX_SLOTS / WORD_BITS],
}

impl SlotSet {
    pub(super) fn new() -> Self {
        Self {
            summary: AtomicU64::new(0),
            words: [const { AtomicU64::new(0) }; MAX_SLOTS / WORD_BITS],
        }
    }

    /// Adds `slot`, which is less than [`MAX_SLOTS`].
    pub(super) fn insert(&self, slot: usize) {
        self.words[slot / WORD_BITS].fetch_or(1 << (slot % WORD_BITS), SeqCst);
        self.summary.fetch_or(1 << (slot / WORD_BITS), SeqCst);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.summary.load(SeqCst) == 0
    }

    /// Takes every slot out and calls `take` for each, in ascending order.
    pub(super) fn drain(&self, mut take: impl FnMut(usize)) {
        if self.is_empty() {
            return;
        }
        for word in ones(self.summary.swap(0, SeqCst)) {
            for bit in ones(self.words[word].swap(0, SeqCst)) {
                take(word * WORD_BITS + bit);
            }
        }
    }
}

/// Returns the positions of the set bits of `bits`.
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (lowest < WORD_BITS).then_some(lowest)
    })
}

/// A descriptor that becomes readable when someone rings while its owner sleeps.
#[derive(Debug)]
pub(super) struct Bell {
    event: Event,
    sleeps: AtomicBool,
}

impl Bell {
    /// Returns a bell whose owner counts as asleep, so the first ring is heard.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            event: Event::new()?,
            sleeps: AtomicBool::new(true),
        })
    }

    /// Wakes the owner if it sleeps. Costs one atomic operation when it does not.
    pub(super) fn ring(&self) {
        if self.sleeps.swap(false, SeqCst) {
            self.event.raise();
        }
    }

    /// Says that the owner is going to sleep. Returns false, and takes it back, when `has_news`.
    pub(super) fn try_sleep(&self, has_news: impl FnOnce() -> bool) -> bool {
        self.sleeps.store(true, SeqCst);
        if has_news() {
            self.sleeps.store(false, SeqCst);
            return false;
        }
        true
    }

    /// Says that the owner is awake and makes the descriptor unreadable until it sleeps and is rung again.
    pub(super) fn wake_up(&self) {
        if !self.sleeps.swap(false, SeqCst) {
            self.event.clear(); // somebody has rung, or the owner had not slept
        }
    }
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}

/// The news for the worker: slots whose ring has more bytes, another `eof` or a status.
#[derive(Debug)]
pub(super) struct News {
    slots: SlotSet,
    bell: Bell,
    /// Nothing will come any more.
    is_closed: AtomicBool,
}

impl News {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            slots: SlotSet::new(),
            bell: Bell::new()?,
            is_closed: AtomicBool::new(false),
        })
    }

    /// Tells the worker to look at `slot`. Call it after the change is in the ring.
    pub(super) fn tell(&self, slot: usize) {
        self.slots.insert(slot);
        self.bell.ring();
    }

    /// Says that there will be no more news.
    pub(super) fn close(&self) {
        self.is_closed.store(true, SeqCst);
        self.bell.ring();
    }
}

/// The worker's half of the news. There is one; its descriptor goes into an `AsyncFd`, or its owner blocks.
///
/// The loop of its owner: [`Wakes::drain`] until [`Wakes::try_sleep`] is true, then wait until it is readable; end
/// when [`Wakes::is_closed`].
#[derive(Debug)]
pub(crate) struct Wakes {
    news: Arc<News>,
}

impl Wakes {
    pub(super) fn new(news: Arc<News>) -> Self {
        Self { news }
    }

    /// Calls `look` for every slot with news since the last call. A slot may be named once too often, also after it
    /// was released.
    pub(crate) fn drain(&self, look: impl FnMut(usize)) {
        self.news.bell.wake_up();
        self.news.slots.drain(look);
    }

    /// Says that the worker will wait for the descriptor. Returns false when there is news already: drain then.
    pub(crate) fn try_sleep(&self) -> bool {
        let has_news = || !self.news.slots.is_empty() || self.is_closed();
        self.news.bell.try_sleep(has_news)
    }

    /// Blocks until there is news. After [`Wakes::try_sleep`] has returned true.
    ///
    /// # Errors
    ///
    /// The kernel's, which only a lack of memory can cause.
    pub(crate) fn wait(&self) -> io::Result<()> {
        match poll(&mut [PollFd::new(self, PollFlags::IN)], None) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns true once the holder has ended: what was drained before is all there was.
    pub(crate) fn is_closed(&self) -> bool {
        self.news.is_closed.load(SeqCst)
    }
}

impl AsFd for Wakes {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.news.bell.as_fd()
    }
}

impl AsRawFd for Wakes {
    fn as_raw_fd(&self) -> RawFd {
        self.as_fd().as_raw_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rustix::event::Timespec;

    use super::*;

    fn readable(fd: BorrowedFd<'_>, wait: Duration) -> bool {
        let wait = Timespec {
            tv_sec: wait.as_secs() as i64,
            tv_nsec: 0,
        };
        poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&wait)).unwrap() == 1
    }

    #[test]
    fn a_set_returns_each_slot_once_in_order() {
        let set = SlotSet::new();
        for slot in [4095, 0, 64, 63, 64] {
            set.insert(slot);
        }
        let mut taken = Vec::new();
        set.drain(|slot| taken.push(slot));
        assert_eq!(taken, [0, 63, 64, 4095]);
        assert!(set.is_empty());
        set.drain(|slot| panic!("{slot} was taken before"));
    }

    #[test]
    fn only_a_sleeper_is_rung() {
        let news = Arc::new(News::new().unwrap());
        let wakes = Wakes::new(Arc::clone(&news));
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
        let news = Arc::new(News::new().unwrap());
        let wakes = Wakes::new(Arc::clone(&news));
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
