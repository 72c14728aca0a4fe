//! Signals to ccctl that concern the program it runs.

use super::interrupt::Interrupts;
use crate::ask;
use crate::call::call_at;
use crate::connect::Place;
use crate::failure::Failure;
use crate::lifeline::Lifeline;
use crate::terminal::terminal_size;
use ccd_protocol::Method;
use ccd_protocol::session::{
    SessionClose, SessionCloseParams, SessionResize, SessionResizeParams, SessionSignal,
    SessionSignalParams,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGWINCH};
use signal_hook::iterator::Signals;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Instant;

/// What became of the wish to end ccctl itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stopped(Arc<AtomicI32>);

impl Stopped {
    /// The number of the signal that asked ccctl to end, if one did.
    pub(crate) fn by(&self) -> Option<i32> {
        Some(self.0.load(Ordering::Acquire)).filter(|&signal| signal != 0)
    }
}

/// Passes signals on to the program of one session.
#[derive(Debug)]
pub(crate) struct Relay {
    pub(crate) place: Place,
    pub(crate) session: String,
    /// The size follows the terminal, unless it was given.
    pub(crate) follows_size: bool,
    /// The connection that the run lives on: shutting it down ends the program.
    pub(crate) lifeline: Lifeline,
}

impl Relay {
    /// Starts to listen, in a thread that ends with the process.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub(crate) fn start(self) -> io::Result<Stopped> {
        ask::leave_signals();
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGWINCH])?;
        let stopped = Stopped::default();
        let told = stopped.clone();
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || {
                let mut interrupts = Interrupts::default();
                for signal in signals.forever() {
                    self.handle(signal, &mut interrupts, &told);
                }
            })?;
        Ok(stopped)
    }

    fn handle(&self, signal: i32, interrupts: &mut Interrupts, stopped: &Stopped) {
        let session = self.session.clone();
        // A session that has ended takes none of these, and then there is nothing to pass on.
        let _ = match signal {
            SIGWINCH => match terminal_size().filter(|_| self.follows_size) {
                Some(size) => self.call::<SessionResize>(&SessionResizeParams {
                    session,
                    rows: size.rows,
                    cols: size.cols,
                }),
                None => Ok(()),
            },
            SIGINT if interrupts.is_again(Instant::now()) => {
                self.call::<SessionClose>(&SessionCloseParams {
                    session,
                    grace_ms: None,
                })
            }
            SIGINT => self.call::<SessionSignal>(&SessionSignalParams {
                session,
                signal: "INT".to_owned(),
            }),
            signal => {
                stopped.0.store(signal, Ordering::Release);
                self.lifeline.cut();
                Ok(())
            }
        };
    }

    fn call<M: Method>(&self, params: &M::Params) -> Result<(), Failure> {
        call_at::<M>(&self.place, params).map(|_| ())
    }
}
