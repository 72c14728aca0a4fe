//! The holder's loop: reads every terminal into its ring, but for those that flood, and reaps children.
//!
//! It is one thread, waits for nothing but its poller, and touches no file but the rings.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

#[cfg(not(portable))]
use super::descriptors::close_all_on_exec;
use super::floods::Floods;
use super::handle::{Command, Inbox, Notes};
use super::launch::Originals;
use super::platform::{ChildSignals, Poller};
use super::slots::Slots;
use super::source::Source;
use super::terminal::Watch;
use super::wake::News;

/// How long a terminal waits before memory for its ring is asked for again.
const STARVED_RETRY: Duration = Duration::from_millis(500);

/// The holder's state. [`Reader::run`] is its thread.
#[derive(Debug)]
pub(super) struct Reader {
    inbox: Inbox,
    notes: Arc<Notes>,
    news: Arc<News>,
    flood_news: Arc<News>,
    poller: Arc<Poller>,
    /// `None` when the children of this process are not all the holder's.
    child_signals: Option<ChildSignals>,
    slots: Slots,
    floods: Arc<Floods>,
    flood_thread: Option<JoinHandle<()>>,
    /// The terminals whose ring found no memory, and when to try again.
    starved: Vec<usize>,
    retry_at: Instant,
}

impl Reader {
    /// See `Holder::start`. The thread that calls it tells whether SIGCHLD is blocked.
    pub(super) fn new(
        inbox: Inbox,
        news: Arc<News>,
        flood_news: Arc<News>,
        notes: Arc<Notes>,
        originals: Originals,
    ) -> io::Result<Self> {
        #[cfg(not(portable))] // elsewhere each child does it for itself
        close_all_on_exec();
        let poller = Arc::new(Poller::new()?);
        poller.add(&notes.bell, Source::Bell)?;
        let child_signals = ChildSignals::claim()?;
        if let Some(signals) = &child_signals {
            poller.add(signals, Source::Children)?;
        }
        let floods = Arc::new(Floods::default());
        let flood_thread = floods.start(Arc::clone(&flood_news), Arc::clone(&notes))?;
        Ok(Self {
            inbox,
            notes,
            news,
            flood_news,
            slots: Slots::new(Arc::clone(&poller), originals),
            poller,
            child_signals,
            floods,
            flood_thread: Some(flood_thread),
            starved: Vec::new(),
            retry_at: Instant::now(),
        })
    }

    /// Runs until it is told to stop.
    pub(super) fn run(mut self) {
        #[cfg(not(portable))] // elsewhere threads share the mask, and each child takes its own
        self.slots.originals.umask.use_in_this_thread();
        let mut sources = Vec::new();
        while !self.notes.stop.load(SeqCst) {
            let timeout = self.timeout();
            if let Err(error) = self.poller.wait(timeout, &mut sources) {
                // Only a bug in the arguments can make it fail, and then it would fail for ever.
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "the holder cannot wait"
                );
                return;
            }
            self.notes.bell.wake_up();
            for source in &sources {
                self.handle(*source);
            }
            self.retry_starved();
            self.take_notes();
        }
    }

    /// Returns how long to wait for events: not at all while there is something to do without any.
    fn timeout(&self) -> Option<Duration> {
        if !self.notes.bell.try_sleep(|| self.notes.any()) {
            return Some(Duration::ZERO);
        }
        (!self.starved.is_empty()).then(|| self.retry_at.saturating_duration_since(Instant::now()))
    }

    fn handle(&mut self, source: Source) {
        match source {
            Source::Bell => {} // what it says is in the notes, which are taken every time
            Source::Terminal(slot) => self.read(slot),
            Source::Leader(slot) => {
                if self.slots.reap(slot) {
                    self.news.tell(slot);
                }
            }
            Source::Children => {
                let Some(signals) = &self.child_signals else {
                    return;
                };
                for (pid, wait_status) in signals.reap(self.slots.leaders()) {
                    if let Some(slot) = self.slots.ended(pid, wait_status) {
                        self.news.tell(slot);
                    }
                }
            }
        }
    }

    fn read(&mut self, slot: usize) {
        let Some(outcome) = self.slots.read(slot) else {
            return;
        };
        if outcome.changed {
            self.news.tell(slot);
        }
        match outcome.watch {
            Watch::Flooding => self.floods.add(slot, self.slots.place(slot)),
            Watch::Starved => {
                self.retry_at = Instant::now() + STARVED_RETRY;
                self.starved.push(slot);
            }
            Watch::Quiet | Watch::Full | Watch::Closed => {}
        }
    }

    fn retry_starved(&mut self) {
        if !self.starved.is_empty() && Instant::now() >= self.retry_at {
            for slot in std::mem::take(&mut self.starved) {
                self.read(slot);
            }
        }
    }

    fn take_notes(&mut self) {
        let notes = Arc::clone(&self.notes);
        notes.space_freed.drain(|slot| {
            if self.slots.watch(slot) == Some(Watch::Full) {
                self.read(slot);
            }
        });
        notes.calmed.drain(|slot| self.read(slot));
        notes.idle.drain(|slot| self.slots.give_back_memory(slot));
        notes.released.drain(|slot| {
            self.starved.retain(|starved| *starved != slot);
            self.slots.release(slot);
        });
        if notes.has_commands.swap(false, SeqCst)
            && let Ok(command) = self.inbox.try_recv()
        {
            // One at a time, so that a row of starts does not keep the terminals waiting; there may be more.
            notes.has_commands.store(true, SeqCst);
            self.obey(command);
        }
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Spawn { spec, reply } => {
                if let Err(Ok(unclaimed)) = reply.send(self.slots.spawn(&spec)) {
                    self.slots.discard(unclaimed.slot);
                }
            }
            Command::Probe { slot, look } => {
                self.slots.show(slot, |terminal| {
                    // A mistake in looking must not end every session.
                    if catch_unwind(AssertUnwindSafe(|| look(terminal))).is_err() {
                        tracing::error!(slot, "a probe panicked");
                    }
                });
            }
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.floods.stop();
        if let Some(Err(_)) = self.flood_thread.take().map(JoinHandle::join) {
            tracing::error!("the reader of floods panicked");
        }
        self.news.close();
        self.flood_news.close();
    }
}
