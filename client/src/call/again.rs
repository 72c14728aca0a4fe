//! Calls of the daemon at an address, repeated if the connection ends before the reply: another worker knows the same
//! sessions.

use super::connect::DaemonAddress;
use super::connect_error::ConnectError;
use super::failure::Failure;
use super::repeatable::is_repeatable;
use super::request::{Answer, Connection, answer, garbled, lost, written};
use crate::fields::Fields as _;
use ccd_base::clock;
use ccd_protocol::Method;
use ccd_protocol::session::{SessionClose, SessionGet, SessionGetParams};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::time::{Duration, Instant, SystemTime};

/// A request that lasted this long did not kill the daemon, and may be repeated.
const SETTLED: Duration = Duration::from_secs(1);

/// How many connections in a row may be lost at once.
const MAX_SHORT_LOSSES: u32 = 5;

/// Counts connections that were lost at once.
#[derive(Debug)]
pub(crate) struct Losses {
    /// When the connection was made.
    since: Instant,
    short: u32,
}

impl Losses {
    pub(crate) fn since(since: Instant) -> Self {
        Self { since, short: 0 }
    }

    /// A connection was lost, and the next one is made. False if that is not worth while.
    pub(crate) fn may_go_on(&mut self) -> bool {
        let is_short = self.since.elapsed() < SETTLED;
        self.short = if is_short { self.short + 1 } else { 0 };
        self.since = Instant::now();
        self.short <= MAX_SHORT_LOSSES
    }

    /// The next connection is made, after a wait for something else.
    pub(crate) fn connected(&mut self) {
        self.since = Instant::now();
    }

    /// The connection has brought something.
    pub(crate) fn forget(&mut self) {
        self.short = 0;
    }
}

/// How many repetitions may be lost unread, for example by a worker that is about to exit.
const MAX_UNREAD: u32 = 5;

/// Parameters that are a time limit, in milliseconds.
const LIMITS: [&str; 2] = ["timeout_ms", "wait_ms"];

/// Minimum limit of a repetition, so that it sees output that arrived in the meantime.
const MOMENT_MS: f64 = 100.0;

/// Connects to `place` and calls a method, again if [`again()`] says that this is safe. Fails if the daemon replies to nothing
/// any more after `limit`.
pub(crate) fn fetch_within(
    place: &DaemonAddress,
    method: &str,
    params: &impl Serialize,
    limit: Option<Duration>,
) -> Result<Answer<Value>, Failure> {
    answer(
        method,
        request_within(place, method, &written(method, params)?, limit)?,
    )
}

/// Closes a session; a crash of the worker may lose the request.
pub(crate) fn close(place: &DaemonAddress, session: &str) -> Result<Value, Failure> {
    let params = json!({ "session": session });
    fetch_within(place, SessionClose::NAME, &params, None).map(|answer| answer.value)
}

/// Connects to `place` and calls a method, as [`fetch_within`] does; the reply stays as it is.
pub(crate) fn request_at(
    place: &DaemonAddress,
    method: &str,
    params: &impl Serialize,
) -> Result<Box<RawValue>, Failure> {
    request_within(place, method, &written(method, params)?, None)
}

fn request_within(
    place: &DaemonAddress,
    method: &str,
    params: &RawValue,
    limit: Option<Duration>,
) -> Result<Box<RawValue>, Failure> {
    let start = Instant::now();
    let mut connection = Connection::over(place.connect()?).within(limit)?;
    let done = match connection.exchange(method, params) {
        Err(Failure::Lost { was_read, .. }) => again(place, method, params, start, was_read, limit),
        done => {
            // A ping may be outstanding on one with a limit.
            if limit.is_none() {
                place.keep(connection);
            }
            done
        }
    };
    done.map_err(|failure| match failure {
        Failure::Silent { method, .. } => Failure::Silent {
            method,
            pid: place
                .processes()
                .first()
                .map(|pid| pid.as_raw_nonzero().get()),
        },
        other => other,
    })
}

/// Repeats a lost request if that is safe: it was not read, or a repetition changes nothing.
/// A repetition waits only for the rest of its time. A request that lasted for [`SETTLED`], or was not read, is
/// repeated again; one that is read and lost at once twice may be what kills the daemon. `limit` is that of
/// [`Connection::within`].
/// [`Failure::Lost`] if a repetition is not safe, nobody listens any more, or it is lost too.
fn again(
    place: &DaemonAddress,
    method: &str,
    params: &RawValue,
    start: Instant,
    mut was_read: bool,
    limit: Option<Duration>,
) -> Result<Box<RawValue>, Failure> {
    let params: Value =
        serde_json::from_str(params.get()).map_err(|error| garbled(method, &error))?;
    let mut unread = 0;
    loop {
        if was_read && !is_safe(method, &params) {
            return Err(lost(method, was_read));
        }
        let stream = match place.connect() {
            Err(ConnectError::NoDaemon { .. }) => return Err(lost(method, was_read)),
            connected => connected?,
        };
        let mut connection = Connection::over(stream).within(limit)?;
        let rest = for_the_rest(&params, start.elapsed());
        let began = Instant::now();
        match connection.request(method, &rest) {
            Err(Failure::Lost { was_read: read, .. })
                if began.elapsed() >= SETTLED || (!read && unread < MAX_UNREAD) =>
            {
                was_read |= read;
                unread += u32::from(!read);
            }
            Err(Failure::Lost { was_read: read, .. }) => {
                return Err(lost(method, was_read || read));
            }
            done => return done,
        }
    }
}

/// An expect without an offset starts at the session's read position, which an unanswered expect may have moved.
fn is_safe(method: &str, params: &Value) -> bool {
    match method {
        "session.expect" => params["from"].is_u64(),
        "session.run" => params["run_id"].is_string(),
        method => is_repeatable(method),
    }
}

/// Returns the parameters without the time that has passed, down to [`MOMENT_MS`].
fn for_the_rest(params: &Value, passed: Duration) -> Value {
    let mut rest = params.clone();
    for limit in LIMITS {
        if let Some(ms) = params[limit].as_f64() {
            let left = ms - passed.as_secs_f64() * 1000.0;
            let left = left.max(ms.min(MOMENT_MS));
            // Some methods take whole milliseconds alone.
            rest[limit] = if params[limit].is_u64() {
                json!(left.ceil() as u64)
            } else {
                json!(left)
            };
        }
    }
    rest
}

/// Returns the id of a session that already existed at `start`, looked up in the name of `method`.
/// `None` if it did not: another session may have got the name while nobody answered.
pub(crate) fn id_since(
    connection: &mut Connection,
    method: &str,
    session: &str,
    start: Instant,
) -> Result<Option<String>, Failure> {
    let found = connection.fetch(SessionGet::NAME, &SessionGetParams::of(session));
    let session = found.map_err(|failure| failure.of_verb(method))?.value;
    let start = SystemTime::now().checked_sub(start.elapsed());
    let created = clock::parse(session.text("created_at"));
    let was_there = created.is_some_and(|created| Some(created) <= start);
    Ok(was_there.then(|| session.text("session_id").to_owned()))
}

#[cfg(test)]
#[path = "again_tests.rs"]
mod tests;
