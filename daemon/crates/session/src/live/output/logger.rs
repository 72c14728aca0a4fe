//! Writes the logs of all sessions: one thread, in batches.
//! Output that is due waits briefly for more: a task of the worker's loop, the timer, wakes the thread when that time is
//! over, so that nobody else is woken while a reply is on its way. A write that hangs affects only its session: the timer
//! puts another thread in charge of the other sessions, and the hanging thread ends once its write returns. Nothing that
//! delivers output ever waits for the disk.

use super::thread::LogThread;
use crate::interaction::HistoryEvent;
use crate::live::end::{CLOSE_GRACE, sleep_until};
use crate::live::session::Session;
use crate::live::survive::die_if_asked;
use crate::output::{Flushed, Flusher, LogCall};
use ccd_protocol::session::EndReason;
use ccd_tape::record::Recording;
use ccd_terminal::holder::Holder;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

/// How long output waits for more before it is logged.
const LOG_DELAY: Duration = Duration::from_millis(1);

/// How long a write may take before the session continues without its log.
const STALL: Duration = Duration::from_millis(100);

/// The same at the session's end, when no program waits for room.
const LAST_STALL: Duration = Duration::from_secs(2);

/// Time between two checks for a write that hangs, while there is something to write.
const CHECK_PERIOD: Duration = Duration::from_millis(50);

/// Unlogged bytes kept for a slow write: half a ring. With more, the program would soon have to wait.
const KEEP_BYTES: u64 = 128 << 10;

#[derive(Debug, Default)]
pub(crate) struct SessionLog {
    /// Locked during a write; `None` in a session that has ended, whose files are closed.
    flusher: Mutex<Option<Flusher>>,
    /// Output was given up since the last write that returned.
    is_given_up: AtomicBool,
    flushed: Notify,
}

impl SessionLog {
    pub(crate) fn new(flusher: Flusher) -> Self {
        Self {
            flusher: Mutex::new(Some(flusher)),
            ..Self::default()
        }
    }
}

/// The handle to the threads and the timer. They end when it is dropped.
pub struct Logger {
    shared: Arc<LoggerShared>,
    timer: AbortHandle,
}

struct LoggerShared {
    state: Mutex<LoggerState>,
    /// Wakes the thread in charge.
    woken: Condvar,
    timer: Notify,
    holder: Holder,
    /// Cancelled when logs are written.
    begun: CancellationToken,
}

#[derive(Default)]
struct LoggerState {
    /// Sessions with output to log; [`crate::output::Output`] ensures that each is listed once.
    due: Vec<Arc<Session>>,
    /// Sessions that were due at the end of the last wait and were not written yet.
    batch: VecDeque<Arc<Session>>,
    /// Something is due that must not wait for more.
    is_urgent: bool,
    rest: LogRest,
    /// The number of the thread in charge; all others end.
    in_charge: u64,
    /// The session that is being written.
    turn: Option<LogTurn>,
    /// The timer checks for a write that hangs.
    is_checked: bool,
    stop: bool,
}

struct LogTurn {
    session: Arc<Session>,
    since: Instant,
    thread: LogThread,
}

impl LogTurn {
    /// Returns whether the write has waited for the disk for too long. A thread that only waits for a processor does
    /// not hang.
    fn hangs(&self) -> bool {
        self.since.elapsed() >= STALL && !self.thread.is_runnable()
    }
}

/// State of the thread in charge while it does not write.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum LogRest {
    #[default]
    None,
    /// It waits for more output.
    Gathers,
    /// It waits for any output.
    Sleeps,
}

impl Logger {
    /// Starts the timer; no log is written before [`Logger::begin`]. Must be called inside the runtime.
    pub fn new(holder: Holder) -> Self {
        let shared = Arc::new(LoggerShared {
            state: Mutex::default(),
            woken: Condvar::new(),
            timer: Notify::new(),
            holder,
            begun: CancellationToken::new(),
        });
        let timer = tokio::spawn(Arc::clone(&shared).time()).abort_handle();
        Self { shared, timer }
    }

    /// Starts the thread, once no session is being adopted: a worker that dies must have worked either on what it adopts
    /// or on what it logs.
    pub fn begin(&self) -> io::Result<()> {
        LoggerShared::spawn(&self.shared, 0)?;
        self.shared.begun.cancel();
        Ok(())
    }

    /// Requests that a session's output is logged, soon or at once.
    pub(super) fn call(&self, session: &Arc<Session>, call: LogCall) {
        self.shared.call(session, call);
    }

    /// Waits until all output of a session that has ended is logged, or given up because the disk hangs.
    pub async fn finish(&self, session: &Arc<Session>) {
        self.shared.begun.cancelled().await;
        let all_logged = async {
            loop {
                let flushed = session.log.flushed.notified();
                if session.output.unlogged_bytes() == 0 {
                    return;
                }
                self.shared.call(session, session.output.call_log_now());
                flushed.await;
            }
        };
        if tokio::time::timeout(LAST_STALL, all_logged).await.is_err() {
            self.shared.give_up(session);
        }
        // A thread that hangs in a write holds the lock; it closes the file when the session is forgotten.
        if let Some(mut flusher) = session.log.flusher.try_lock() {
            *flusher = None;
        }
    }
}

impl Drop for Logger {
    fn drop(&mut self) {
        self.shared.state.lock().stop = true;
        self.shared.woken.notify_all();
        self.timer.abort();
    }
}

impl LoggerShared {
    fn spawn(this: &Arc<Self>, number: u64) -> io::Result<()> {
        let shared = Arc::clone(this);
        std::thread::Builder::new()
            .name("log".into())
            .spawn(move || {
                ccd_terminal::nice::give_way();
                shared.write_all(number);
            })
            .map(drop)
    }

    fn call(&self, session: &Arc<Session>, call: LogCall) {
        if !call.is_first && !call.is_urgent {
            return;
        }
        let mut state = self.state.lock();
        if call.is_first {
            state.due.push(Arc::clone(session));
        }
        match state.rest {
            _ if call.is_urgent => self.wake(state),
            LogRest::Sleeps => self.timer.notify_one(),
            LogRest::None | LogRest::Gathers => {}
        }
    }

    /// Has the thread in charge write what is due, at once.
    fn wake(&self, mut state: MutexGuard<'_, LoggerState>) {
        state.is_urgent = true;
        if state.rest != LogRest::None {
            state.rest = LogRest::None;
            drop(state);
            self.woken.notify_one();
        }
    }

    /// Main loop of the thread with this number: writes what is due while the thread is in charge.
    fn write_all(&self, number: u64) {
        let mut buffer = Vec::new();
        let thread = LogThread::current();
        while let Some(session) = self.next(number, thread) {
            self.write(&session, &mut buffer);
            let mut state = self.state.lock();
            if state.in_charge == number {
                state.turn = None;
                continue;
            }
            drop(state);
            // Output that arrived during the write was left to this thread.
            self.call(&session, session.output.call_log_now());
            return;
        }
    }

    /// Returns the session to write next; `None` if this thread must end.
    fn next(&self, number: u64, thread: LogThread) -> Option<Arc<Session>> {
        let mut state = self.state.lock();
        loop {
            if state.stop || state.in_charge != number {
                return None;
            }
            if let Some(session) = state.batch.pop_front() {
                session.output.log_answers();
                state.turn = Some(LogTurn {
                    session: Arc::clone(&session),
                    since: Instant::now(),
                    thread,
                });
                if !std::mem::replace(&mut state.is_checked, true) {
                    self.timer.notify_one();
                }
                return Some(session);
            }
            self.gather(&mut state);
        }
    }

    /// Waits until something is due and [`LOG_DELAY`] longer, then makes it the batch.
    fn gather(&self, state: &mut MutexGuard<'_, LoggerState>) {
        if !state.is_urgent {
            self.rest(state, LogRest::Gathers, Some(LOG_DELAY));
        }
        if state.due.is_empty() {
            return self.rest(state, LogRest::Sleeps, None);
        }
        state.is_urgent = false;
        let LoggerState { due, batch, .. } = &mut **state;
        batch.extend(due.drain(..));
    }

    /// Waits until woken, or for `limit`.
    fn rest(
        &self,
        state: &mut MutexGuard<'_, LoggerState>,
        rest: LogRest,
        limit: Option<Duration>,
    ) {
        state.rest = rest;
        let is_resting = |state: &mut LoggerState| state.rest == rest && !state.stop;
        match limit {
            Some(limit) => {
                self.woken.wait_while_for(state, is_resting, limit);
            }
            None => self.woken.wait_while(state, is_resting),
        }
        state.rest = LogRest::None;
    }

    fn write(&self, session: &Arc<Session>, buffer: &mut Vec<u8>) {
        let Some(mut flusher) = session.log.flusher.try_lock() else {
            // A hanging thread holds the lock.
            if session.output.unlogged_bytes() > KEEP_BYTES {
                self.give_up(session);
            }
            return;
        };
        let is_written = flusher.as_ref().is_some_and(Flusher::writes);
        let slot = session.facts.slot.filter(|_| is_written);
        let at_work = slot.map(|slot| self.holder.works_at(slot));
        if is_written {
            die_if_asked("CCD_TEST_ABORT_AT_FLUSH", session.id().as_str());
        }
        if let Some(flusher) = flusher.as_mut() {
            let flushed = flusher.flush(&session.output, buffer);
            session.log.is_given_up.store(false, Ordering::Relaxed);
            let has_rotated = flushed.has_rotated;
            self.report(session, flushed);
            keep_limit(session, flusher, has_rotated);
        }
        drop(flusher);
        session.with_recording(Recording::flush);
        if let Some(at_work) = at_work {
            at_work.succeeded();
        }
        session.log.flushed.notify_waiters();
    }

    fn give_up(&self, session: &Arc<Session>) {
        let is_told = session.log.is_given_up.swap(true, Ordering::Relaxed);
        let flushed = Flushed {
            holder_waits: session.output.lose_pending(),
            trouble: (!is_told).then(|| "could not write logs to the disk".into()),
            ..Flushed::default()
        };
        self.report(session, flushed);
    }

    fn report(&self, session: &Arc<Session>, flushed: Flushed) {
        if flushed.holder_waits
            && let Some(slot) = session.facts.slot
        {
            self.holder.space_freed(slot);
        }
        if let Some(trouble) = flushed.trouble {
            tracing::error!(session = %session.id(), trouble, "output is not logged; the session continues");
            session.note(None, HistoryEvent::Trouble(trouble));
        }
    }

    /// Wakes the thread in charge once output has waited for more, and puts another one in charge if it takes too long.
    /// Sleeps while there is nothing to write.
    async fn time(self: Arc<Self>) {
        let (mut write_at, mut check_at) = (None, None);
        loop {
            tokio::select! {
                () = self.timer.notified() => {
                    // Starting a timer costs two calls of the system; a reply that is on its way goes first.
                    tokio::task::yield_now().await;
                    let state = self.state.lock();
                    let now = Instant::now();
                    if state.rest == LogRest::Sleeps && !state.due.is_empty() {
                        write_at.get_or_insert(now + LOG_DELAY);
                    }
                    if state.is_checked {
                        check_at.get_or_insert(now + CHECK_PERIOD);
                    }
                }
                () = sleep_until(write_at), if write_at.is_some() => {
                    write_at = None;
                    let mut state = self.state.lock();
                    if state.rest == LogRest::Sleeps && !state.due.is_empty() {
                        state.is_checked = true;
                        check_at.get_or_insert_with(|| Instant::now() + CHECK_PERIOD);
                        self.wake(state);
                    }
                }
                () = sleep_until(check_at), if check_at.is_some() => {
                    check_at = self.check().then(|| Instant::now() + CHECK_PERIOD);
                }
            }
        }
    }

    /// Puts another thread in charge if the current one takes too long. Returns whether to check again.
    fn check(self: &Arc<Self>) -> bool {
        let mut state = self.state.lock();
        if state.turn.as_ref().is_some_and(LogTurn::hangs) {
            self.replace(&mut state);
        }
        state.is_checked = state.turn.is_some();
        state.is_checked
    }

    fn replace(self: &Arc<Self>, state: &mut LoggerState) {
        if let Err(error) = Self::spawn(self, state.in_charge + 1) {
            tracing::error!(%error, "could not start another thread that writes the logs; trying again");
            return;
        }
        state.in_charge += 1;
        if let Some(LogTurn { session, .. }) = state.turn.take()
            && session.output.call_log_now().is_first
        {
            // Its output may have to be given up before any more arrives.
            state.due.push(session);
        }
        state.is_urgent = true;
    }
}

/// Enforces the limit of a session's log after a write. Only a rotation makes files that can be dropped.
fn keep_limit(session: &Arc<Session>, flusher: &mut Flusher, has_rotated: bool) {
    let limit = session.facts.log_limit_bytes;
    if limit == 0 || session.output.published() <= limit {
        return;
    }
    let is_recorded = session
        .tape()
        .is_some_and(|tape| tape.recording().is_some());
    if !session.facts.persist {
        session.order_close(EndReason::OutputLimit, CLOSE_GRACE);
    } else if has_rotated
        // A tape will be made from the log.
        && !is_recorded
        && let Err(error) = flusher.drop_oldest(limit)
    {
        tracing::error!(session = %session.id(), %error, "old log files could not be deleted");
    }
}
