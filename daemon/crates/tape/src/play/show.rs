//! Prints what a tape says, chunk by chunk, each at its time.

use crate::format::Stream;
use ccd_protocol::tape::TapeExit;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Output that may wait for its time; more input waits.
const MAX_WAITING_BYTES: usize = 16 << 20;

/// Of that, so much may be held.
const MAX_HELD_BYTES: usize = 4 << 20;

/// How the terminal treats what is typed, as far as a recorded program had it so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InputModes {
    /// Lines are not echoed.
    pub hidden: bool,
    /// The program reads keys.
    pub keys: bool,
}

/// The far side of a terminal, where a tape prints in place of a program.
pub trait FarSide: Send {
    /// Returns at `time`, to a fraction of a millisecond; at once when that has passed.
    fn wait_until(&mut self, time: Instant) -> impl Future<Output = ()> + Send;

    /// Has the terminal treat input as the recorded program had it.
    fn set_modes(&self, modes: InputModes);

    /// Prints all of it, at the pace at which the session takes it.
    ///
    /// # Errors
    ///
    /// The terminal is gone.
    fn print(
        &mut self,
        stream: Stream,
        bytes: &[u8],
    ) -> impl Future<Output = std::io::Result<()>> + Send;

    /// Ends the program, after what was printed.
    ///
    /// # Errors
    ///
    /// The terminal is gone.
    fn end(self, exit: TapeExit) -> std::io::Result<()>;
}

/// What is to be done, in order.
#[derive(Debug)]
pub enum Act {
    /// Something was typed: the next delay counts from there, unless what came before takes longer.
    Typed(Instant),
    Print {
        delay: Duration,
        bytes: Vec<u8>,
        /// Of a program between pipes.
        stream: Stream,
    },
    Modes(InputModes),
    End(TapeExit),
}

/// The acts that are left.
#[derive(Debug, Default)]
pub struct Show {
    acts: Mutex<Acts>,
    news: Notify,
    room: Notify,
}

#[derive(Debug, Default)]
struct Acts {
    queue: VecDeque<Act>,
    /// Acts that may not begin yet, and their bytes.
    held: Vec<Act>,
    held_bytes: usize,
    waiting_bytes: usize,
    /// The one that has its turn has not been done.
    is_busy: bool,
}

impl Act {
    /// That it prints.
    fn bytes(&self) -> usize {
        match self {
            Self::Print { bytes, .. } => bytes.len(),
            _ => 0,
        }
    }
}

impl Acts {
    fn add(&mut self, acts: impl IntoIterator<Item = Act>) {
        for act in acts {
            self.waiting_bytes += act.bytes();
            self.queue.push_back(act);
        }
    }
}

impl Show {
    /// Adds acts behind those that wait.
    pub fn add(&self, acts: impl IntoIterator<Item = Act>) {
        self.lock().add(acts);
        self.news.notify_one();
    }

    /// Adds acts that begin with [`Self::begin`], or when they are many.
    pub fn hold(&self, acts: impl IntoIterator<Item = Act>) {
        let mut state = self.lock();
        for act in acts {
            state.held_bytes += act.bytes();
            state.held.push(act);
        }
        if state.held_bytes > MAX_HELD_BYTES {
            drop(state);
            self.begin();
        }
    }

    /// Adds the acts that were held behind those that wait.
    pub fn begin(&self) {
        let mut state = self.lock();
        state.held_bytes = 0;
        let held = std::mem::take(&mut state.held);
        state.add(held);
        drop(state);
        self.news.notify_one();
    }

    /// Returns when there is room for more.
    pub async fn room(&self) {
        loop {
            let freed = self.room.notified();
            tokio::pin!(freed);
            freed.as_mut().enable();
            if self.lock().waiting_bytes < MAX_WAITING_BYTES {
                return;
            }
            freed.await;
        }
    }

    /// What is not printed yet.
    pub fn waiting_bytes(&self) -> u64 {
        let state = self.lock();
        (state.waiting_bytes + state.held_bytes) as u64
    }

    /// True when everything was done.
    pub fn is_over(&self) -> bool {
        let state = self.lock();
        state.queue.is_empty() && state.held.is_empty() && !state.is_busy
    }

    /// Does what there is to do until the program ends, or the terminal is gone.
    pub async fn run(&self, mut far_side: impl FarSide) -> std::io::Result<()> {
        let mut clock = Instant::now();
        loop {
            let Some(act) = self.next() else {
                self.news.notified().await;
                continue;
            };
            match act {
                Act::Typed(at) => clock = clock.max(at),
                Act::Modes(modes) => far_side.set_modes(modes),
                Act::End(exit) => return far_side.end(exit),
                Act::Print {
                    delay,
                    bytes,
                    stream,
                } => {
                    clock += delay;
                    far_side.wait_until(clock).await;
                    far_side.print(stream, &bytes).await?;
                    self.lock().waiting_bytes -= bytes.len();
                    self.room.notify_waiters();
                }
            }
        }
    }

    fn next(&self) -> Option<Act> {
        let mut state = self.lock();
        let next = state.queue.pop_front();
        state.is_busy = next.is_some();
        next
    }

    fn lock(&self) -> MutexGuard<'_, Acts> {
        self.acts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
