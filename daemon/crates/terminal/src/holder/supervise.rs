//! The worker as the holder sees it: it is started, gets signals, must keep its deadlines, and is replaced.

mod ended;

pub use ended::DaemonEnd;

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, waitpid};

use super::link::port::{MAX_DESCRIPTORS, Port, blob};
use super::link::shared::SharedMemory;
use super::link::wire::{HandOver, HandoverCause, ToHolder, ToWorker, VERSION, Welcome};
use super::platform::{AskingSignals, WakeEvent, start_worker};
use super::ring::RingError;
use super::ring::{Exit, exit_of};
use super::slots::HeldTerminal;

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

/// The file from which workers are started.
type WorkerBinary = Arc<OwnedFd>;

/// A descriptor of each lock.
pub(super) type Locks = [OwnedFd; 2];

#[derive(Debug)]
pub(super) struct Worker {
    pid: Pid,
    pub(super) signals: AskingSignals,
    resources: WorkerResources,
    phase: Phase,
    /// By when the worker must serve or heed a signal that asks it to end, must have ended, or is to be replaced.
    deadline: Option<Instant>,
    /// Number of starts since the last worker that served.
    restarts: u32,
    has_served: bool,
    /// Number of workers in a row that served but soon ended by their own fault.
    quick_ends: u32,
    /// Set if the worker is of another build than the last worker that served.
    candidate: Option<WorkerBinary>,
    is_stopped: bool,
    /// The worker missed its deadline and was killed.
    was_late: bool,
    /// The build of the last worker that served.
    proven: WorkerBinary,
    hand_overs: u64,
    /// The signal that asked the daemon to end.
    stop_signal: Option<Signal>,
}

#[derive(Debug)]
enum Phase {
    Starting,
    /// Since this moment.
    Serving(Instant),
    /// The worker has announced its end, and one of this build follows.
    Leaving(WorkerBinary),
    Ended {
        exit: Exit,
        /// The build that follows if the worker had announced its end.
        successor: Option<WorkerBinary>,
    },
}

/// What happens after a worker has ended.
#[derive(Debug)]
pub(super) enum AfterWorker {
    /// Another worker; this is the holder's end of its port.
    Serves(Port),
    /// Another attempt is made later.
    Later,
    /// The daemon ends.
    End,
}

/// What every worker receives.
#[derive(Debug)]
pub(super) struct WorkerResources {
    pub(super) shared: Arc<SharedMemory>,
    pub(super) memory: OwnedFd,
    pub(super) events: [Arc<WakeEvent>; 3],
    pub(super) listener: OwnedFd,
    pub(super) locks: Locks,
    pub(super) owns_path: bool,
    pub(super) secret: [u8; 32],
    pub(super) since: String,
}

impl WorkerResources {
    /// Starts a worker that takes over the sessions in `held`; returns the holder's end of its port.
    fn start_worker(
        &self,
        build: &WorkerBinary,
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
        let pid = start_worker(workers_port.as_fd(), build.as_fd())?;
        Ok((pid, port))
    }
}

impl Worker {
    pub(super) fn first(
        resources: WorkerResources,
        signals: AskingSignals,
    ) -> io::Result<(Self, Port)> {
        // This program, even if its file is replaced later.
        let own = rustix::fs::open(
            "/proc/self/exe",
            OFlags::PATH | OFlags::CLOEXEC,
            Mode::empty(),
        );
        let own = Arc::new(own?);
        let (pid, port) = resources.start_worker(&own, &[], None)?;
        let worker = Self {
            pid,
            signals,
            resources,
            phase: Phase::Starting,
            deadline: None,
            restarts: 0,
            has_served: false,
            quick_ends: 0,
            candidate: None,
            is_stopped: false,
            was_late: false,
            proven: own,
            hand_overs: 0,
            stop_signal: None,
        };
        Ok((worker, port))
    }

    /// Starts another worker after the last one has ended, unless the daemon ends with it.
    pub(super) fn restart(&mut self, held: &[HeldTerminal]) -> AfterWorker {
        let Phase::Ended { exit, successor } = &mut self.phase else {
            return AfterWorker::End;
        };
        let ended = *exit;
        let (build, cause, failed) = match (successor.take(), self.candidate.take()) {
            (Some(build), _) => {
                self.candidate = Some(Arc::clone(&build));
                (build, HandoverCause::Upgrade, None)
            }
            (None, Some(_)) => (
                Arc::clone(&self.proven),
                HandoverCause::Upgrade,
                Some(ended),
            ),
            (None, None) => {
                // If no worker has ever served and this one exited by itself, it has reported the reason.
                let has_tried = self.restarts == MAX_RESTARTS;
                let may_end = held.is_empty() || !self.may_wait();
                if has_tried && may_end || !self.has_served && ended.code.is_some() {
                    return AfterWorker::End;
                }
                self.restarts = (self.restarts + 1).min(MAX_RESTARTS);
                (Arc::clone(&self.proven), HandoverCause::Crash, None)
            }
        };
        tracing::warn!(%ended, ?cause, "starting another worker");
        let reason = match cause {
            HandoverCause::Upgrade if failed.is_none() => None,
            _ if self.was_late => Some("the worker did not start serving in time".to_owned()),
            HandoverCause::Upgrade => {
                Some(format!("the worker ended with {ended} before it served"))
            }
            HandoverCause::Crash => Some(format!("the worker was ended by {ended}")),
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
        for news in [&self.resources.shared.quiet, &self.resources.shared.floods] {
            news.is_awake.store(false, SeqCst);
        }
        for held in held {
            let slot = held.session.started.slot as usize;
            self.resources.shared.quiet.slots.insert(slot);
        }
        let started = self.resources.start_worker(&build, held, Some(hand_over));
        let (pid, port) = match started {
            Ok(started) => started,
            Err(error) => {
                tracing::error!(%error, "could not start a worker");
                self.has_ended_with(NOT_STARTED, None);
                return AfterWorker::Later;
            }
        };
        self.pid = pid;
        self.phase = Phase::Starting;
        self.deadline = Some(Instant::now() + ready_time() * (self.restarts + 1));
        if let Some(signal) = self.stop_signal {
            let _ = kill_process(pid, signal); // the worker before did not handle it
        }
        AfterWorker::Serves(port)
    }

    pub(super) fn may_wait(&self) -> bool {
        self.stop_signal.is_none()
    }

    /// Keeps the sessions without a worker for a while: `error` prevents any worker from taking them over.
    pub(super) fn wait_for_rings(&mut self, error: &RingError) -> AfterWorker {
        tracing::error!(%error, "sessions are kept, but no worker can take them over until this is fixed; the next attempt is in 60 s, or at once on SIGHUP");
        self.deadline = Some(Instant::now() + HELD_PAUSE);
        AfterWorker::Later
    }

    /// Records what the worker reports about itself. Other requests are ignored, and so is that a worker serves which has
    /// ended.
    pub(super) fn note(&mut self, report: ToHolder, descriptors: Vec<OwnedFd>) {
        let file = descriptors.into_iter().next();
        match report {
            ToHolder::Ready if !self.has_ended() => {
                let now = Instant::now();
                self.phase = Phase::Serving(now);
                self.deadline = self.stop_signal.map(|_| now + HEED_TIME);
                // It has recovered from whatever ended the one before.
                self.restarts = 0;
                self.has_served = true;
                if let Some(build) = self.candidate.take() {
                    self.proven = build;
                }
            }
            ToHolder::Stopping => {
                self.stop_signal = Some(Signal::TERM);
                if let Phase::Serving(_) = self.phase {
                    self.deadline = None;
                }
            }
            ToHolder::Leave => {
                let build = match file {
                    Some(file) => Arc::new(file),
                    None => Arc::clone(&self.proven),
                };
                if let Phase::Ended { successor, .. } = &mut self.phase {
                    *successor = Some(build);
                } else {
                    self.phase = Phase::Leaving(build);
                    self.deadline = Some(Instant::now() + LEAVE_TIME);
                }
            }
            ToHolder::Listen => {
                if let Some(listener) = file {
                    self.resources.listener = listener;
                }
            }
            ToHolder::Ready | ToHolder::Start { .. } | ToHolder::Look { .. } => {}
        }
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Kills the worker if it has missed its deadline. Returns true once it has ended and it is time to start another one.
    pub(super) fn keep_time(&mut self) -> bool {
        let now = Instant::now();
        if self.deadline.is_none_or(|at| now < at) {
            return false;
        }
        match self.phase {
            Phase::Ended { .. } => return true,
            Phase::Serving(_) => {
                tracing::error!(
                    "the worker hangs, so it is killed; the next one ends the sessions"
                );
                self.deadline = None;
            }
            Phase::Starting | Phase::Leaving(_) => {
                self.deadline = Some(now + LEAVE_TIME); // its end is noticed before that
                self.was_late = true;
            }
        }
        let _ = kill_process(self.pid, Signal::KILL);
        false
    }

    pub(super) fn forward_signals(&mut self) {
        for signal in self.signals.take() {
            let asks_to_end = signal != Signal::HUP;
            if asks_to_end
                && self.stop_signal.replace(signal).is_none()
                && let Phase::Serving(_) = self.phase
            {
                // A worker that does not serve yet heeds the signal once it does.
                self.deadline = Some(Instant::now() + HEED_TIME);
            }
            // The worker may have ended, which will be noticed soon. The next worker gets a signal that is to end the
            // daemon.
            if self.has_ended() {
                self.deadline = Some(Instant::now());
            } else {
                let _ = kill_process(self.pid, signal);
                if asks_to_end {
                    let _ = kill_process(self.pid, Signal::CONT); // a stopped worker would not get it
                }
            }
        }
    }

    /// If the child `pid` is the worker, records that it has ended, was stopped, or continues, and returns true.
    pub(super) fn note_change(&mut self, pid: Pid, status: WaitStatus) -> bool {
        if pid != self.pid || self.has_ended() {
            return false;
        }
        self.is_stopped = status.stopped();
        if status.stopped() || status.continued() {
            return true;
        }
        let exit = exit_of(status.as_raw());
        let was_killed = exit.signal == Some(Signal::KILL.as_raw()) && !self.was_late;
        if was_killed {
            // By somebody else: no session is the reason.
            self.resources.shared.deaths.clear();
        }
        let mut successor = None;
        match std::mem::replace(&mut self.phase, Phase::Starting) {
            Phase::Serving(since) => {
                let is_fault = !was_killed && exit.code != Some(0) && since.elapsed() < SETTLED;
                self.quick_ends = if is_fault { self.quick_ends + 1 } else { 0 };
            }
            Phase::Leaving(build) => {
                self.quick_ends = 0;
                successor = Some(build);
            }
            Phase::Starting | Phase::Ended { .. } => {}
        }
        if self.restarts == MAX_RESTARTS {
            tracing::error!(ended = %exit, "{MAX_RESTARTS} workers in a row ended before they served; live sessions are kept, and SIGHUP starts another worker at once");
        }
        self.has_ended_with(exit, successor);
        true
    }

    /// Has another worker started after a pause, during which terminals are still read.
    fn has_ended_with(&mut self, exit: Exit, successor: Option<WorkerBinary>) {
        self.phase = Phase::Ended { exit, successor };
        self.deadline = Some(Instant::now() + self.pause());
    }

    pub(super) fn has_ended(&self) -> bool {
        matches!(self.phase, Phase::Ended { .. })
    }

    /// True if the worker can read terminals that are lent to it.
    pub(super) fn serves(&self) -> bool {
        matches!(self.phase, Phase::Serving(_)) && !self.is_stopped
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
    pub(super) fn wait(self) -> DaemonEnd {
        let deadline = Instant::now() + LEAVE_TIME;
        let ended = loop {
            if let Phase::Ended { exit, .. } = self.phase {
                break exit;
            }
            match waitpid(Some(self.pid), WaitOptions::NOHANG) {
                Ok(Some((_, status))) => break exit_of(status.as_raw()),
                Ok(None) if Instant::now() < deadline => std::thread::sleep(LOOK_PERIOD),
                Ok(None) => {
                    let _ = kill_process(self.pid, Signal::KILL);
                }
                Err(_) => return DaemonEnd::Lost,
            }
        };
        if self.restarts == MAX_RESTARTS {
            DaemonEnd::TooManyRestarts(MAX_RESTARTS, ended)
        } else {
            DaemonEnd::Worker(ended)
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
