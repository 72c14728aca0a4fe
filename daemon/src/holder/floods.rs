//! The terminals that flood: a thread of their own reads them in turns, so that the holder, which reads the others,
//! has slept when something comes for it and runs at once.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::handle::Notes;
use super::slots::Place;
use super::terminal::Watch;
use super::wake::News;

/// The terminals to read in turn, each once.
#[derive(Debug, Default)]
pub(super) struct Floods {
    queue: Mutex<Queue>,
    bell: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    turns: VecDeque<Turn>,
    stop: bool,
}

/// A slot and what is in it.
#[derive(Debug)]
struct Turn {
    slot: usize,
    place: Arc<Mutex<Place>>,
}

impl Floods {
    /// Starts the thread. It tells `news` what has come, and `notes` which terminals flood no more.
    pub(super) fn start(
        self: &Arc<Self>,
        news: Arc<News>,
        notes: Arc<Notes>,
    ) -> io::Result<JoinHandle<()>> {
        let floods = Arc::clone(self);
        std::thread::Builder::new()
            .name("floods".into())
            .spawn(move || {
                crate::nice::give_way();
                while let Some(turn) = floods.next() {
                    if turn.read(&news, &notes) {
                        floods.push(turn);
                    }
                }
            })
    }

    /// Reads the terminal in `slot` until it floods no more.
    pub(super) fn add(&self, slot: usize, place: Arc<Mutex<Place>>) {
        self.push(Turn { slot, place });
        self.bell.notify_one();
    }

    /// Lets the thread end.
    pub(super) fn stop(&self) {
        self.lock().stop = true;
        self.bell.notify_one();
    }

    fn push(&self, turn: Turn) {
        self.lock().turns.push_back(turn);
    }

    fn next(&self) -> Option<Turn> {
        let waiting = |queue: &mut Queue| queue.turns.is_empty() && !queue.stop;
        let queue = self.bell.wait_while(self.lock(), waiting);
        let mut queue = queue.unwrap_or_else(PoisonError::into_inner);
        if queue.stop {
            return None;
        }
        queue.turns.pop_front()
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// Reads once; returns whether the terminal still floods.
    fn read(&self, news: &News, notes: &Notes) -> bool {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        let Place::Held(terminal) = &mut *place else {
            return false; // released meanwhile
        };
        if terminal.watch != Watch::Flooding {
            return false;
        }
        let outcome = terminal.read_once();
        drop(place);
        if outcome.changed {
            news.tell(self.slot);
        }
        let floods = outcome.watch == Watch::Flooding;
        if !floods {
            // The holder looks once more, and watches it in another way.
            notes.calmed.insert(self.slot);
            notes.bell.ring();
        }
        floods
    }
}
