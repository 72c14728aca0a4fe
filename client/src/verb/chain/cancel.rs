//! `^C` while a job is waited for: the first cancels it, a second one leaves.

use crate::call::call_at;
use crate::connect::Place;
use crate::context::note;
use crate::failure::Failure;
use crate::lifeline::Lifeline;
use ccd_protocol::job::{JobCancel, JobParams};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// Whether the job was cancelled from here.
#[derive(Debug, Clone, Default)]
pub(super) struct Cancelled(Arc<AtomicI32>);

impl Cancelled {
    /// The number of the signal that asked for it.
    pub(super) fn by(&self) -> Option<i32> {
        Some(self.0.load(Ordering::Acquire)).filter(|&signal| signal != 0)
    }

    /// Starts to listen, in a thread that ends with the process.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub(super) fn listen(place: Place, job: String, lifeline: Lifeline) -> Result<Self, Failure> {
        let system = |source: io::Error| Failure::Io {
            what: "signals".to_owned(),
            source,
        };
        let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(system)?;
        let cancelled = Self::default();
        let told = cancelled.clone();
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || {
                for signal in signals.forever() {
                    if told.0.swap(signal, Ordering::AcqRel) != 0 {
                        lifeline.cut();
                        continue;
                    }
                    note(&format!("cancelling {job}; once more leaves it to itself"));
                    let params = JobParams { job: job.clone() };
                    if let Err(failure) = call_at::<JobCancel>(&place, &params) {
                        note(&failure.to_string());
                    }
                }
            })
            .map_err(system)?;
        Ok(cancelled)
    }
}
