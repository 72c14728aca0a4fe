//! The end of a program whose user has left: it gets time to exit by itself, and its tape is written.

use crate::call::{self, DaemonAddress, fetch_within};
use crate::tape;
use ccd_protocol::Method as _;
use ccd_protocol::Timeout;
use ccd_protocol::session::{
    SessionSignal, SessionSignalParams, SessionWait, SessionWaitParams, WaitFor,
};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How long a program may take to exit after a signal.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// How long ccctl takes to exit at most.
const LONGEST: Duration = Duration::from_secs(3);

/// Sends a program the signal that ccctl received. Takes at most [`LONGEST`].
pub(super) fn ask(place: &DaemonAddress, session: &str, signal: i32) {
    let params = SessionSignalParams {
        session: session.to_owned(),
        signal: signal.to_string(),
    };
    // A program that has exited accepts no signal.
    bounded(place, move |place| {
        drop(fetch_within(place, SessionSignal::NAME, &params, None))
    });
}

/// Sends the signal as [`ask`] does, and waits until the program exits; false if it keeps running.
pub(crate) fn ends_by(place: &DaemonAddress, session: &str, signal: i32) -> bool {
    ask(place, session, signal);
    let session = session.to_owned();
    let limit = Timeout::After(PATIENCE.as_secs_f64() * 1000.0);
    let ended = bounded(place, move |place| {
        wait(place, &session, WaitFor::Exit, limit)
    });
    ended == Some(true)
}

/// Ends a program, and returns when its recording is written. Takes at most [`LONGEST`].
pub(super) fn close(place: &DaemonAddress, session: &str) {
    let session = session.to_owned();
    bounded(place, move |place| {
        let _ = call::close(place, &session);
        tape::await_written(place, &session);
    });
}

/// Waits for a session; false if that was in vain.
pub(super) fn wait(
    place: &DaemonAddress,
    session: &str,
    condition: WaitFor,
    limit: Timeout,
) -> bool {
    let params = SessionWaitParams {
        session: session.to_owned(),
        condition,
        // After a miss, earlier output has arrived once there was none for this long.
        idle_ms: (condition == WaitFor::Idle).then_some(500.0),
        since: None,
        timeout_ms: limit,
    };
    fetch_within(place, SessionWait::NAME, &params, None).is_ok()
}

/// Does `work` in a thread for a limited time: an exiting ccctl does not wait for a daemon that does not reply.
fn bounded<T: Send + 'static>(
    place: &DaemonAddress,
    work: impl FnOnce(&DaemonAddress) -> T + Send + 'static,
) -> Option<T> {
    let place = place.clone();
    let (done, is_done) = mpsc::sync_channel(1);
    let worker = thread::Builder::new().spawn(move || done.send(work(&place)));
    worker.ok()?;
    is_done.recv_timeout(LONGEST).ok()
}
