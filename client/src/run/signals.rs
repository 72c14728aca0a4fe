//! Passes signals to ccctl on to the program that it runs.

use super::grace;
use super::interrupt::Interrupts;
use crate::call::{DaemonAddress, close, fetch_within};
use crate::lifeline::Lifeline;
use crate::terminal::terminal_size;
use crate::{Failure, ask};
use ccd_protocol::Method;
use ccd_protocol::session::{
    SessionResize, SessionResizeParams, SessionSignal, SessionSignalParams,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGWINCH};
use signal_hook::iterator::Signals;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

/// A signal that is repeated within this time counts once: `timeout` sends it to its child and to the process group.
const SAME_SIGNAL: Duration = Duration::from_millis(300);

#[derive(Debug, Clone, Default)]
pub(crate) struct Stopped(Arc<AtomicI32>);

impl Stopped {
    /// The number of the signal that asked ccctl to exit, if one did.
    pub(crate) fn by(&self) -> Option<i32> {
        Some(self.0.load(Ordering::Acquire)).filter(|&signal| signal != 0)
    }
}

#[derive(Debug)]
pub(crate) struct Relay {
    pub(crate) place: DaemonAddress,
    pub(crate) session: String,
    /// True if the size follows the terminal, because none was given.
    pub(crate) follows_size: bool,
    /// The connection that keeps the program alive: shutting it down ends the program.
    pub(crate) lifeline: Lifeline,
}

impl Relay {
    /// Starts to listen, in a thread that ends with the process.
    pub(crate) fn start(self) -> io::Result<Stopped> {
        ask::leave_signals();
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGWINCH])?;
        let stopped = Stopped::default();
        let told = stopped.clone();
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || {
                let mut interrupts = Interrupts::default();
                let mut first_end = None;
                for signal in signals.forever() {
                    match signal {
                        SIGTERM | SIGHUP => self.end(signal, &mut first_end, &told),
                        signal => self.handle(signal, &mut interrupts),
                    }
                }
            })?;
        Ok(stopped)
    }

    /// Passes the signal to the program; ends the program at a second signal, or if it takes too long to exit.
    fn end(&self, signal: i32, first: &mut Option<Instant>, stopped: &Stopped) {
        match first {
            Some(first) if first.elapsed() < SAME_SIGNAL => {}
            Some(_) => self.lifeline.cut(),
            None => {
                *first = Some(Instant::now());
                stopped.0.store(signal, Ordering::Release);
                let (lifeline, place) = (self.lifeline.clone(), self.place.clone());
                let session = self.session.clone();
                let asked = std::thread::Builder::new().spawn(move || {
                    grace::ask(&place, &session, signal);
                    std::thread::sleep(grace::PATIENCE);
                    lifeline.cut();
                });
                if asked.is_err() {
                    self.lifeline.cut();
                }
            }
        }
    }

    fn handle(&self, signal: i32, interrupts: &mut Interrupts) {
        let session = self.session.clone();
        // A session that has ended accepts no signal, and needs none.
        let _ = match signal {
            SIGWINCH => match terminal_size().filter(|_| self.follows_size) {
                Some(size) => self.call::<SessionResize>(&SessionResizeParams {
                    session,
                    rows: size.rows,
                    cols: size.cols,
                }),
                None => Ok(()),
            },
            SIGINT if interrupts.is_again(Instant::now()) => close(&self.place, &session).map(drop),
            _ => self.call::<SessionSignal>(&SessionSignalParams {
                session,
                signal: "INT".to_owned(),
            }),
        };
    }

    fn call<M: Method>(&self, params: &M::Params) -> Result<(), Failure> {
        fetch_within(&self.place, M::NAME, params, None).map(drop)
    }
}
