//! Reads flooding terminals in turns, on a thread of its own. The holder, which reads the others, is therefore asleep
//! when an event arrives for it, and the kernel runs it at once.

use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::link::wake::{NewsSender, WakeSignals};
use super::slot_set::SlotSet;
use super::slots::SlotContent;
use super::source::TerminalWatch;
use super::terminal::FULL_READ_BYTES;

/// A terminal that has not filled a read for this long is no longer flooding. Without this delay, a program that prints
/// in bursts would change its state constantly.
const CALM: Duration = Duration::from_millis(5);

/// How long output may wait for more before the worker is notified.
const ANNOUNCE_DELAY: Duration = Duration::from_millis(1);

/// The terminals to be read in turn, each once.
#[derive(Debug, Default)]
pub(super) struct Floods {
    queue: Mutex<FloodQueue>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct FloodQueue {
    turns: VecDeque<FloodTurn>,
    stop: bool,
}

#[derive(Debug)]
struct FloodTurn {
    slot: usize,
    place: Arc<Mutex<SlotContent>>,
    master: Arc<OwnedFd>,
    /// When a read was last filled.
    full_at: Instant,
    /// When the first output was read of which the worker was not notified yet.
    untold_since: Option<Instant>,
    /// The ring had no room.
    is_full: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FloodRead {
    Output,
    /// There is nothing to read now.
    Dry,
    /// The ring has no room, because the worker is slower.
    Full,
    /// It is no longer flooding, or no longer exists.
    Calm,
}

impl Floods {
    /// Starts the thread. It notifies the worker of output, and the holder, also through `calmed`, of terminals that are no
    /// longer flooding.
    pub(super) fn start(
        self: &Arc<Self>,
        signals: WakeSignals,
        calmed: Arc<SlotSet>,
    ) -> io::Result<JoinHandle<()>> {
        let floods = Arc::clone(self);
        std::thread::Builder::new()
            .name("floods".into())
            .spawn(move || {
                crate::nice::give_way();
                floods.run(&signals, &calmed);
            })
    }

    /// Reads the terminal in `slot` until it is no longer flooding.
    pub(super) fn add(&self, slot: usize, place: &Arc<Mutex<SlotContent>>) {
        let master = match &*place.lock() {
            SlotContent::Held(terminal) => Arc::clone(&terminal.master),
            _ => return,
        };
        let turn = FloodTurn {
            slot,
            place: Arc::clone(place),
            master,
            full_at: Instant::now(),
            untold_since: None,
            is_full: false,
        };
        self.queue.lock().turns.push_back(turn);
        self.wake.notify_one();
    }

    pub(super) fn stop(&self) {
        self.queue.lock().stop = true;
        self.wake.notify_one();
    }

    fn run(&self, signals: &WakeSignals, calmed: &SlotSet) {
        let mut turns = VecDeque::new();
        while self.take_new(&mut turns) {
            let mut all_dry = true;
            turns.retain_mut(|turn| {
                let found = turn.read(&signals.floods);
                if found == FloodRead::Calm {
                    // The holder reads it once more, and watches it in another way.
                    calmed.insert(turn.slot);
                    signals.holder.send();
                }
                turn.is_full = found == FloodRead::Full;
                all_dry &= found != FloodRead::Output;
                found != FloodRead::Calm
            });
            if all_dry && !turns.is_empty() {
                wait_for_output(&turns);
            }
        }
    }

    /// Adds new turns; if there are none at all, waits for one. Returns false if the thread must end.
    fn take_new(&self, turns: &mut VecDeque<FloodTurn>) -> bool {
        let mut queue = self.queue.lock();
        if turns.is_empty() {
            let waiting = |queue: &mut FloodQueue| queue.turns.is_empty() && !queue.stop;
            self.wake.wait_while(&mut queue, waiting);
        }
        turns.append(&mut queue.turns);
        !queue.stop
    }
}

impl FloodTurn {
    fn read(&mut self, news: &NewsSender) -> FloodRead {
        let mut place = self.place.lock();
        let SlotContent::Held(terminal) = &mut *place else {
            return FloodRead::Calm; // released meanwhile
        };
        // The slot may belong to another session now, which gets its own turn if it floods.
        if terminal.watch != TerminalWatch::Flooding || !Arc::ptr_eq(&terminal.master, &self.master)
        {
            return FloodRead::Calm;
        }
        let now = Instant::now();
        let read = terminal.read_once(true);
        if read.len > FULL_READ_BYTES {
            self.full_at = now;
        }
        let floods = !matches!(read.watch, TerminalWatch::Lost | TerminalWatch::Closed)
            && now.duration_since(self.full_at) < CALM;
        let must_tell = read.changed
            || (read.is_untold && {
                let since = *self.untold_since.get_or_insert(now);
                !floods || now.duration_since(since) >= ANNOUNCE_DELAY
            });
        if must_tell {
            terminal.tell();
            self.untold_since = None;
            news.tell(self.slot);
        }
        match (floods, read.watch, read.len) {
            (false, ..) => FloodRead::Calm,
            (true, TerminalWatch::Full, _) => FloodRead::Full,
            (true, _, 0) => FloodRead::Dry,
            (true, ..) => FloodRead::Output,
        }
    }
}

/// Waits until one of the terminals has output and room for it, or for [`ANNOUNCE_DELAY`].
fn wait_for_output(turns: &VecDeque<FloodTurn>) {
    let mut polled: Vec<PollFd<'_>> = turns
        .iter()
        .filter(|turn| !turn.is_full)
        .map(|turn| PollFd::new(&turn.master, PollFlags::IN))
        .collect();
    let limit = Timespec::try_from(ANNOUNCE_DELAY).unwrap_or_default();
    // Whatever the result, the terminals are read again.
    let _ = poll(&mut polled, Some(&limit));
}
