//! `^C` while waiting for a job: the first cancels the job, a second one exits. TERM does the same. So does HUP inside
//! another job, whose steps get it when they are ended: a job started by a step ends with that step.

use crate::lifeline::Lifeline;
use crate::{Exit, Failure};
use parking_lot::Mutex;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::fmt;
use std::sync::Arc;

/// Set by the daemon in the environment of the programs of a job.
const JOB_DEPTH: &str = "CCD_JOB_DEPTH";

/// Whether a signal asked for the end of the job.
#[derive(Debug, Clone, Default)]
pub(in crate::verb) struct Cancel(Arc<Mutex<CancelState>>);

#[derive(Debug, Default)]
struct CancelState {
    signal: Option<i32>,
    /// True if this process is itself a step of a job. Later signals are then ignored: the job ends a step by HUP and
    /// TERM at once, which count as one.
    is_within_job: bool,
    job: Option<Waited>,
}

#[derive(Clone)]
struct Waited {
    /// Asks the job to stop, once, and says so.
    cancel: Arc<dyn Fn() + Send + Sync>,
    /// Cutting it ends the wait.
    lifeline: Lifeline,
}

impl fmt::Debug for Waited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waited").finish_non_exhaustive()
    }
}

impl Cancel {
    /// Starts to listen, in a thread that ends with the process. Called before the job is started, so that no job is
    /// left running.
    pub(in crate::verb) fn listen() -> Result<Self, Failure> {
        let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(Failure::io("signals"))?;
        let is_within_job = std::env::var_os(JOB_DEPTH).is_some();
        if is_within_job {
            let added = signals.add_signal(SIGHUP);
            added.map_err(Failure::io("signals"))?;
        }
        let cancel = Self::default();
        cancel.0.lock().is_within_job = is_within_job;
        let told = cancel.clone();
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || signals.forever().for_each(|signal| told.take(signal)))
            .map_err(Failure::io("signals"))?;
        Ok(cancel)
    }

    /// The number of the signal that asked for the end.
    pub(in crate::verb) fn by(&self) -> Option<i32> {
        self.0.lock().signal
    }

    /// How to leave if the user asked twice for the end, so that the wait for the job was cut.
    pub(super) fn left(&self, lifeline: &Lifeline) -> Option<Exit> {
        let signal = self.by().filter(|_| lifeline.is_cut())?;
        Some(Exit::of_program(None, Some(signal)))
    }

    /// From now on, a signal calls `cancel`, and another one cuts the lifeline.
    pub(super) fn started(&self, lifeline: Lifeline, cancel: impl Fn() + Send + Sync + 'static) {
        let cancel = Arc::new(cancel);
        let job = Waited { cancel, lifeline };
        let mut state = self.0.lock();
        state.job = Some(job.clone());
        if state.signal.is_some() {
            drop(state);
            (job.cancel)();
        }
    }

    fn take(&self, signal: i32) {
        let (before, job) = {
            let mut state = self.0.lock();
            if state.signal.is_some() && state.is_within_job {
                return;
            }
            (state.signal.replace(signal), state.job.clone())
        };
        match (before, job) {
            (None, Some(job)) => (job.cancel)(),
            // The job is cancelled once its id is known.
            (None, None) => {}
            (Some(_), Some(job)) => job.lifeline.cut(),
            // The daemon does not reply.
            (Some(_), None) => drop(emulate_default_handler(signal)),
        }
    }
}
