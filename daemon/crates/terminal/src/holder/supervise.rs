//! The holder as a separate process: it starts the worker, forwards signals to it, and ends with it.

mod build;
mod ended;

use build::Build;
pub use ended::DaemonEnd;

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, waitpid};

use super::board::Board;
use super::descriptors::DescriptorLimits;
use super::platform::{AskingSignals, Event, start_worker};
use super::port::{MAX_DESCRIPTORS, Port, blob};
use super::processes::end_descendants;
use super::reader::HolderReader;
use super::ring::{Exit, RingError, exit_of};
use super::slots::HeldTerminal;
use super::wake::{NewsSender, WakeSignal};
use super::wire::{Cause, HandOver, ToWorker, VERSION, Welcome};

/// How long a worker that has announced its end may take to end.
const LEAVE_TIME: Duration = Duration::from_secs(12);

/// How long a worker that follows another one may take until it serves calls; each one in a row that never serves adds
/// as much.
const READY_TIME: Duration = Duration::from_secs(20);

/// How long a worker may take until it begins to end the sessions, once the daemon was asked to end by a signal.
const HEED_TIME: Duration = Duration::from_secs(2);

const LOOK_PERIOD: Duration = Duration::from_millis(2);

/// Maximum number of restarts in a row of workers that never serve, unless sessions are held.
const MAX_RESTARTS: u32 = 10;

/// Pause after that, or as long as the files of rings cannot be created. A SIGHUP ends it.
const HELD_PAUSE: Duration = Duration::from_secs(60);

/// Pause before the second start in a row. It is doubled each time, up to the maximum.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// If a worker has served this long, its end is not attributed to the same reason as the end of the one before.
const SETTLED: Duration = Duration::from_secs(10);

/// What a shell reports for a program that cannot be started.
const NOT_STARTED: Exit = Exit {
    code: Some(127),
    signal: None,
};

/// A descriptor of each lock.
pub(super) type Locks = [OwnedFd; 2];

#[derive(Debug)]
pub(super) struct Worker {
    pid: Pid,
    pub(super) signals: AskingSignals,
    resources: WorkerResources,
    /// Number of starts since the last worker that served.
    restarts: u32,
    /// When the current worker began to serve.
    served_at: Option<Instant>,
    has_served: bool,
    /// Number of workers in a row that served but soon ended by their own fault.
    quick_ends: u32,
    ended: Option<Exit>,
    /// When the next worker is to be started.
    restart_at: Option<Instant>,
    /// Set once the worker has announced its end: which build follows, and by when the worker must have ended.
    leaving: Option<(Build, Instant)>,
    /// Set if the worker is of another build than the last worker that served.
    candidate: Option<Build>,
    /// By when the worker must serve: a fault that makes it hang must become an end.
    ready_by: Option<Instant>,
    /// Set once the worker was sent a signal that asks it to end: by when it must heed it.
    heeds_by: Option<Instant>,
    is_stopped: bool,
    /// The worker missed its deadline and was killed.
    was_late: bool,
    /// The build of the last worker that served.
    proven: Build,
    hand_overs: u64,
    /// The signal that asked the daemon to end.
    stop_signal: Option<Signal>,
}

/// What happens after a worker has ended.
#[derive(Debug)]
pub(super) enum Next {
    /// Another worker; this is the holder's end of its port.
    Serves(Port),
    /// Another attempt is made later.
    Later,
    /// The daemon ends.
    End,
}

/// What every worker receives.
#[derive(Debug)]
struct WorkerResources {
    board: Arc<Board>,
    memory: OwnedFd,
    events: [Arc<Event>; 3],
    listener: OwnedFd,
    locks: Locks,
    owns_path: bool,
    secret: [u8; 32],
    since: String,
}

impl WorkerResources {
    /// Starts a worker that takes over the sessions in `held`; returns the holder's end of its port.
    fn start_worker(
        &self,
        build: &Build,
        held: &[HeldTerminal],
        hand_over: Option<HandOver>,
    ) -> io::Result<(Pid, Port)> {
        let (port, workers_port) = Port::pair()?;
        let welcome = ToWorker::Welcome(Welcome {
            version: VERSION,
            holder_pid: std::process::id().cast_signed(),
            held: held.len() as u32,
            owns_path: self.owns_path,
            secret: self.secret,
            since: self.since.clone(),
            hand_over,
        });
        let [wake, quiet, floods] = &self.events;
        let [base_lock, socket_lock] = &self.locks;
        port.send(
            &welcome,
            &[
                self.memory.as_fd(),
                wake.as_fd(),
                quiet.as_fd(),
                floods.as_fd(),
                self.listener.as_fd(),
                base_lock.as_fd(),
                socket_lock.as_fd(),
            ],
        )?;
        for some in held.chunks((MAX_DESCRIPTORS - 1) / 2) {
            let sessions: Vec<_> = some.iter().map(|held| &held.session).collect();
            let sessions = blob(&sessions)?;
            let of_each = some
                .iter()
                .flat_map(|held| [held.master.as_fd(), held.kept_state.as_fd()]);
            let descriptors: Vec<_> = of_each.chain([sessions.as_fd()]).collect();
            port.send(&ToWorker::Held, &descriptors)?;
        }
        let pid = start_worker(workers_port.as_fd(), &build.path())?;
        Ok((pid, port))
    }
}

impl Worker {
    fn first(resources: WorkerResources, signals: AskingSignals) -> io::Result<(Self, Port)> {
        let (pid, port) = resources.start_worker(&Build::Own, &[], None)?;
        let worker = Self {
            pid,
            signals,
            resources,
            restarts: 0,
            served_at: None,
            has_served: false,
            quick_ends: 0,
            ended: None,
            restart_at: None,
            leaving: None,
            candidate: None,
            ready_by: None,
            heeds_by: None,
            is_stopped: false,
            was_late: false,
            proven: Build::Own,
            hand_overs: 0,
            stop_signal: None,
        };
        Ok((worker, port))
    }

    /// Starts another worker after the last one has ended, unless the daemon ends with it.
    pub(super) fn restart(&mut self, held: &[HeldTerminal]) -> Next {
        let Some(ended) = self.ended else {
            return Next::End;
        };
        self.restart_at = None;
        let (build, cause, failed) = match (self.leaving.take(), self.candidate.take()) {
            (Some((build, _)), _) => {
                self.candidate = Some(build.clone());
                (build, Cause::Upgrade, None)
            }
            (None, Some(_)) => (self.proven.clone(), Cause::Upgrade, Some(ended)),
            (None, None) => {
                // If no worker has ever served and this one exited by itself, it has reported the reason.
                let has_tried = self.restarts == MAX_RESTARTS;
                let may_end = held.is_empty() || !self.may_wait();
                if has_tried && may_end || !self.has_served && ended.code.is_some() {
                    return Next::End;
                }
                self.restarts = (self.restarts + 1).min(MAX_RESTARTS);
                (self.proven.clone(), Cause::Crash, None)
            }
        };
        tracing::warn!(%ended, ?cause, "starting another worker");
        let reason = match cause {
            Cause::Upgrade if failed.is_none() => None,
            _ if self.was_late => Some("the worker did not start serving in time".to_owned()),
            Cause::Upgrade => Some(format!("the worker ended with {ended} before it served")),
            Cause::Crash => Some(format!("the worker was ended by {ended}")),
        };
        // A worker that never served does not count as a handover.
        self.hand_overs += u64::from(failed.is_none());
        self.was_late = false;
        let hand_over = HandOver {
            number: self.hand_overs,
            cause,
            rolled_back: failed.is_some(),
            reason,
        };
        for news in [&self.resources.board.quiet, &self.resources.board.floods] {
            news.is_awake.store(false, SeqCst);
        }
        for held in held {
            let slot = held.session.started.slot as usize;
            self.resources.board.quiet.slots.insert(slot);
        }
        let started = self.resources.start_worker(&build, held, Some(hand_over));
        let (pid, port) = match started {
            Ok(started) => started,
            Err(error) => {
                tracing::error!(%error, "could not start a worker");
                self.ended = Some(NOT_STARTED);
                self.restart_at = Some(Instant::now() + self.pause());
                return Next::Later;
            }
        };
        self.pid = pid;
        self.ended = None;
        self.ready_by = Some(Instant::now() + ready_time() * (self.restarts + 1));
        if let Some(signal) = self.stop_signal {
            let _ = kill_process(pid, signal); // the worker before did not handle it
        }
        Next::Serves(port)
    }

    pub(super) fn may_wait(&self) -> bool {
        self.stop_signal.is_none()
    }

    /// Keeps the sessions without a worker for a while: `error` prevents any worker from taking them over.
    pub(super) fn wait_for_rings(&mut self, error: &RingError) -> Next {
        tracing::error!(%error, "sessions are kept, but no worker can take them over until this is fixed; the next attempt is in 60 s, or at once on SIGHUP");
        self.restart_at = Some(Instant::now() + HELD_PAUSE);
        Next::Later
    }

    /// Records that the worker serves, so it has recovered from whatever ended the one before.
    pub(super) fn is_ready(&mut self) {
        let now = Instant::now();
        self.restarts = 0;
        self.served_at = Some(now);
        self.has_served = true;
        self.heeds_by = self.stop_signal.map(|_| now + HEED_TIME);
        self.ready_by = None;
        if let Some(build) = self.candidate.take() {
            self.proven = build;
        }
    }

    pub(super) fn is_stopping(&mut self) {
        self.stop_signal = Some(Signal::TERM);
        self.heeds_by = None;
    }

    /// Records that the worker is about to end, and that a worker of the build in `file`, or of its own, follows.
    pub(super) fn leaves(&mut self, file: Option<OwnedFd>) {
        let build = match file {
            Some(file) => Build::Other(Arc::new(file)),
            None => self.proven.clone(),
        };
        self.leaving = Some((build, Instant::now() + LEAVE_TIME));
        self.heeds_by = None;
    }

    /// Records the socket on which the next worker must listen.
    pub(super) fn listens_on(&mut self, listener: OwnedFd) {
        self.resources.listener = listener;
    }

    /// Returns by when the worker must have ended, must serve, or must end the sessions.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let leaves_by = self.leaving.as_ref().map(|(_, at)| *at);
        let deadlines = [leaves_by, self.ready_by, self.restart_at, self.heeds_by];
        deadlines.into_iter().flatten().min()
    }

    /// True when the worker has ended and it is time to start another one.
    pub(super) fn is_to_be_replaced(&self) -> bool {
        self.restart_at.is_some_and(|at| at <= Instant::now())
    }

    /// Kills the worker if it has missed its deadline.
    pub(super) fn keep_time(&mut self) {
        let now = Instant::now();
        if self.ended.is_some() {
            return;
        }
        let leaves_by = self.leaving.as_mut().map(|(_, at)| at);
        for at in [leaves_by, self.ready_by.as_mut()].into_iter().flatten() {
            if *at <= now {
                *at = now + LEAVE_TIME; // its end is noticed before that
                self.was_late = true;
                let _ = kill_process(self.pid, Signal::KILL);
            }
        }
        if self.heeds_by.is_some_and(|at| at <= now) {
            tracing::error!("the worker hangs, so it is killed; the next one ends the sessions");
            self.heeds_by = None;
            let _ = kill_process(self.pid, Signal::KILL);
        }
    }

    pub(super) fn forward_signals(&mut self) {
        for signal in self.signals.take() {
            let asks_to_end = signal != Signal::HUP;
            if asks_to_end && self.stop_signal.replace(signal).is_none() {
                // A worker that does not serve yet heeds the signal once it does.
                let has_begun = self.served_at.is_some() && self.leaving.is_none();
                self.heeds_by = has_begun.then(|| Instant::now() + HEED_TIME);
            }
            // The worker may have ended, which will be noticed soon. The next worker gets a signal that is to end the
            // daemon.
            if self.ended.is_some() {
                self.restart_at = Some(Instant::now());
            } else {
                let _ = kill_process(self.pid, signal);
                if asks_to_end {
                    let _ = kill_process(self.pid, Signal::CONT); // a stopped worker would not get it
                }
            }
        }
    }

    pub(super) fn is(&self, pid: Pid) -> bool {
        pid == self.pid
    }

    /// Records that the worker's process has ended, was stopped, or continues.
    pub(super) fn has_changed(&mut self, status: WaitStatus) {
        self.is_stopped = status.stopped();
        if status.stopped() || status.continued() {
            return;
        }
        let ended = exit_of(status.as_raw());
        let was_killed = ended.signal == Some(Signal::KILL.as_raw()) && !self.was_late;
        if was_killed {
            // By somebody else: no session is the reason.
            self.resources.board.accused.clear();
        }
        if let Some(served_at) = self.served_at.take() {
            let is_fault = !was_killed && ended.code != Some(0) && served_at.elapsed() < SETTLED;
            self.quick_ends = if is_fault { self.quick_ends + 1 } else { 0 };
        }
        self.ended = Some(ended);
        self.ready_by = None;
        self.heeds_by = None;
        // Terminals are still read during the pause.
        if self.restarts == MAX_RESTARTS {
            tracing::error!(%ended, "{MAX_RESTARTS} workers in a row ended before they served; live sessions are kept, and SIGHUP starts another worker at once");
        }
        self.restart_at = Some(Instant::now() + self.pause());
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// True if the worker can read terminals that are lent to it.
    pub(super) fn serves(&self) -> bool {
        self.served_at.is_some() && !self.is_stopped && self.leaving.is_none()
    }

    fn pause(&self) -> Duration {
        if self.restarts == MAX_RESTARTS {
            return HELD_PAUSE;
        }
        // The first worker is replaced at once.
        match self.restarts.max(self.quick_ends.saturating_sub(1)) {
            0 => Duration::ZERO,
            count => FIRST_PAUSE
                .saturating_mul(1 << (count - 1).min(MAX_RESTARTS))
                .min(LONGEST_PAUSE),
        }
    }

    /// Waits until the worker has ended, and returns how.
    fn wait(&mut self) -> DaemonEnd {
        let deadline = Instant::now() + LEAVE_TIME;
        while self.ended.is_none() {
            match waitpid(Some(self.pid), WaitOptions::NOHANG) {
                Ok(Some((_, status))) => self.ended = Some(exit_of(status.as_raw())),
                Ok(None) if Instant::now() < deadline => std::thread::sleep(LOOK_PERIOD),
                Ok(None) => {
                    let _ = kill_process(self.pid, Signal::KILL);
                }
                Err(_) => break,
            }
        }
        match self.ended {
            Some(ended) if self.restarts == MAX_RESTARTS => {
                DaemonEnd::TooManyRestarts(MAX_RESTARTS, ended)
            }
            Some(ended) => DaemonEnd::Worker(ended),
            None => DaemonEnd::Lost,
        }
    }
}

/// Returns [`READY_TIME`]; in a debug build, tests ask for less.
fn ready_time() -> Duration {
    let asked = std::env::var("CCD_TEST_READY_MS").ok();
    let asked = asked.filter(|_| cfg!(debug_assertions));
    let asked = asked.and_then(|asked| asked.parse().ok());
    asked.map_or(READY_TIME, Duration::from_millis)
}

/// Everything that a daemon holds besides its terminals, from start to end.
#[derive(Debug)]
pub struct Held {
    pub listener: UnixListener,
    pub locks: Locks,
    /// The daemon must remove the socket's path.
    pub owns_path: bool,
}

/// Holds the terminals for its workers until the last one has ended. Returns how it ended. `since` is when the daemon
/// was started.
pub fn hold(held: &Held, limits: DescriptorLimits, since: &str) -> io::Result<DaemonEnd> {
    let signals = AskingSignals::claim()?;
    let (board, memory) = Board::create_shared()?;
    let resources = WorkerResources {
        board: Arc::new(board),
        memory,
        events: [Event::new()?, Event::new()?, Event::new()?].map(Arc::new),
        listener: held.listener.as_fd().try_clone_to_owned()?,
        locks: [held.locks[0].try_clone()?, held.locks[1].try_clone()?],
        owns_path: held.owns_path,
        secret: rand::random(),
        since: since.to_owned(),
    };
    let [wake, quiet, floods] = resources.events.clone();
    let board = Arc::clone(&resources.board);
    let (worker, port) = Worker::first(resources, signals)?;
    let mut reader = HolderReader::new(
        Arc::clone(&board),
        WakeSignal::of_holder(&board, wake),
        port,
        NewsSender::quiet(&board, quiet),
        NewsSender::floods(&board, floods),
        limits,
    )?;
    reader.supervise(worker)?;
    let worker = reader.run();
    let ended = worker.map_or(DaemonEnd::Lost, |mut worker| worker.wait());
    if !end_descendants() {
        tracing::error!(
            "processes start others faster than they can be stopped, or survive SIGKILL"
        );
    }
    Ok(ended)
}
