//! Prints the answers of a tape, each chunk at its time.

use crate::format::Stream;
use ccd_protocol::tape::TapeExit;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Maximum output in the queue; further input waits until there is room.
const MAX_WAITING_BYTES: usize = 16 << 20;

/// The part of [`MAX_WAITING_BYTES`] that may be held.
const MAX_HELD_BYTES: usize = 4 << 20;

/// How the terminal treats input, as far as it is known from the recorded program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InputModes {
    /// Lines are not echoed.
    pub hidden: bool,
    /// The program reads keys.
    pub keys: bool,
}

/// The program's side of a terminal, on which a tape prints in place of a program.
pub trait FarSide: Send {
    /// Returns at `time`, within a fraction of a millisecond, or at once if that has passed.
    fn wait_until(&mut self, time: Instant) -> impl Future<Output = ()> + Send;

    /// Sets the terminal to treat input as it did when the program was recorded.
    fn set_modes(&self, modes: InputModes);

    /// Prints all bytes, at the pace at which the session reads them.
    fn print(
        &mut self,
        stream: Stream,
        bytes: &[u8],
    ) -> impl Future<Output = std::io::Result<()>> + Send;

    /// Ends the program after everything that was printed.
    fn end(self, exit: TapeExit) -> std::io::Result<()>;
}

/// One step of a replay.
#[derive(Debug)]
pub enum PlaybackStep {
    /// Something was typed. The next delay counts from this time, unless the steps before take longer.
    Typed(Instant),
    Print {
        delay: Duration,
        bytes: Vec<u8>,
        /// Standard error only if the program ran with pipes.
        stream: Stream,
    },
    Modes(InputModes),
    End(TapeExit),
}

#[derive(Debug, Default)]
pub struct Playback {
    queue: Mutex<PlaybackQueue>,
    news: Notify,
    room: Notify,
}

#[derive(Debug, Default)]
struct PlaybackQueue {
    queue: VecDeque<PlaybackStep>,
    /// Steps that may not start yet, and the number of their bytes.
    held: Vec<PlaybackStep>,
    held_bytes: usize,
    waiting_bytes: usize,
    /// The current step has not been completed.
    is_busy: bool,
}

impl PlaybackStep {
    /// Prints the echo of what was typed.
    pub(super) fn echo(bytes: Vec<u8>) -> Self {
        Self::Print {
            delay: Duration::ZERO,
            bytes,
            stream: Stream::Stdout,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Print { bytes, .. } => bytes.len(),
            _ => 0,
        }
    }
}

impl PlaybackQueue {
    fn add(&mut self, steps: impl IntoIterator<Item = PlaybackStep>) {
        for step in steps {
            self.waiting_bytes += step.bytes();
            self.queue.push_back(step);
        }
    }
}

impl Playback {
    /// Adds steps at the end of the queue.
    pub fn add(&self, steps: impl IntoIterator<Item = PlaybackStep>) {
        self.queue.lock().add(steps);
        self.news.notify_one();
    }

    /// Adds steps that start with [`Self::begin`], or as soon as they are too many to hold.
    pub fn hold(&self, steps: impl IntoIterator<Item = PlaybackStep>) {
        let mut state = self.queue.lock();
        for step in steps {
            state.held_bytes += step.bytes();
            state.held.push(step);
        }
        if state.held_bytes > MAX_HELD_BYTES {
            drop(state);
            self.begin();
        }
    }

    /// Moves the held steps to the end of the queue.
    pub fn begin(&self) {
        let mut state = self.queue.lock();
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
            if self.queue.lock().waiting_bytes < MAX_WAITING_BYTES {
                return;
            }
            freed.await;
        }
    }

    pub(crate) fn waiting_bytes(&self) -> u64 {
        let state = self.queue.lock();
        (state.waiting_bytes + state.held_bytes) as u64
    }

    /// True when all steps have been done.
    pub fn is_over(&self) -> bool {
        let state = self.queue.lock();
        state.queue.is_empty() && state.held.is_empty() && !state.is_busy
    }

    /// Does the steps until the program ends or the terminal is closed.
    pub async fn run(&self, mut far_side: impl FarSide) -> std::io::Result<()> {
        let mut clock = Instant::now();
        loop {
            let Some(step) = self.next() else {
                self.news.notified().await;
                continue;
            };
            match step {
                PlaybackStep::Typed(at) => clock = clock.max(at),
                PlaybackStep::Modes(modes) => far_side.set_modes(modes),
                PlaybackStep::End(exit) => return far_side.end(exit),
                PlaybackStep::Print {
                    delay,
                    bytes,
                    stream,
                } => {
                    clock += delay;
                    far_side.wait_until(clock).await;
                    far_side.print(stream, &bytes).await?;
                    self.queue.lock().waiting_bytes -= bytes.len();
                    self.room.notify_waiters();
                }
            }
        }
    }

    fn next(&self) -> Option<PlaybackStep> {
        let mut state = self.queue.lock();
        let next = state.queue.pop_front();
        state.is_busy = next.is_some();
        next
    }
}
