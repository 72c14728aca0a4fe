//! Repetition of a request whose connection ended before the reply: another worker knows the same sessions.

use super::connect::{ConnectError, DaemonAddress};
use super::failure::Failure;
use super::request::{Connection, garbled, lost};
use ccd_base::clock;
use ccd_protocol::Method as _;
use ccd_protocol::session::{SessionGet, SessionGetParams};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::time::{Duration, Instant, SystemTime};

/// Methods that only read, or change nothing the second time: a noun and its verbs.
const REPEATABLE: &[(&str, &str)] = &[
    ("session", "list get wait read screen history resize close"),
    ("pattern", "list set test classify"),
    ("job", "get list"),
    ("chain", "list get save"),
    ("daemon", "ping status log"),
    ("config", "list get check"),
    ("program", "list get"),
    ("tape", "list get validate diff export svg"),
    (
        "coach",
        "status review get events ledger report patterns detect fingerprint export",
    ),
    ("exec", "get list sessions session"),
    (
        "conversation",
        "list search stats get export turns turn record tool tree",
    ),
];

/// Methods that wait, and must not wait for their whole time again.
const WAITING: &[&str] = &["session.expect", "session.wait", "session.run", "job.get"];

/// A request that lasted this long did not kill the daemon, and may be repeated.
pub(crate) const SETTLED: Duration = Duration::from_secs(1);

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

    /// The connection has brought something.
    pub(crate) fn forget(&mut self) {
        self.short = 0;
    }
}

/// How many repetitions may be lost unread, for example by a worker that is about to exit.
const MAX_UNREAD: u32 = 5;

/// Minimum timeout of a repetition, so that it sees output that arrived in the meantime.
const MOMENT_MS: f64 = 100.0;

/// True if repeating the method changes nothing, judged by its name.
pub(crate) fn is_repeatable(method: &str) -> bool {
    let (noun, verb) = method.split_once('.').unwrap_or_default();
    let verbs = REPEATABLE.iter().find(|(one, _)| *one == noun);
    verbs.is_some_and(|(_, verbs)| verbs.split(' ').any(|one| one == verb))
}

/// Repeats a lost request if that is safe: it was not read, or a repetition changes nothing.
/// A repetition waits only for the rest of its time. A request that lasted for [`SETTLED`], or was not read, is
/// repeated again; one that is read and lost at once twice may be what kills the daemon. `limit` is that of
/// [`Connection::within`].
/// [`Failure::Lost`] if a repetition is not safe, nobody listens any more, or it is lost too.
pub(crate) fn again(
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
        let mut next = params.clone();
        if was_read || WAITING.contains(&method) {
            match adapt(method, &mut next, &mut connection, start) {
                Ok(true) => {}
                Err(Failure::Lost { .. }) if unread < MAX_UNREAD => {
                    unread += 1;
                    continue;
                }
                Ok(false) | Err(Failure::Lost { .. }) => return Err(lost(method, was_read)),
                Err(failure) => return Err(failure),
            }
        }
        let began = Instant::now();
        match connection.request(method, &next) {
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
        "session.close" | "session.resize" => params["session"].is_string(),
        "session.run" => params["run_id"].is_string(),
        method => is_repeatable(method),
    }
}

/// Adapts the parameters for a repetition; false if there must be none.
fn adapt(
    method: &str,
    params: &mut Value,
    connection: &mut Connection,
    start: Instant,
) -> Result<bool, Failure> {
    let session = params["session"].as_str().map(str::to_owned);
    match method {
        "session.close" | "session.resize" => {
            let Some(session) = session else {
                return Ok(false);
            };
            match id_since(connection, method, &session, start)? {
                Some(id) => params["session"] = json!(id),
                None => return Ok(false),
            }
        }
        "session.expect" | "session.wait" | "session.run" => {
            let waits_for_ever = params["for"].as_str().is_some_and(is_exit);
            if params.get("timeout_ms").is_none()
                && !waits_for_ever
                && let Some(session) = session
            {
                let session = look(connection, method, &session)?;
                params["timeout_ms"] = json!(session.timeout * 1000.0);
            }
            shorten(params.get_mut("timeout_ms"), start.elapsed());
        }
        "job.get" => shorten(params.get_mut("wait_ms"), start.elapsed()),
        _ => {}
    }
    Ok(true)
}

/// Subtracts the time that has passed, down to [`MOMENT_MS`].
fn shorten(time: Option<&mut Value>, passed: Duration) {
    if let Some(time) = time
        && let Some(ms) = time.as_f64()
    {
        let left = ms - passed.as_secs_f64() * 1000.0;
        *time = json!(left.max(ms.min(MOMENT_MS)));
    }
}

fn is_exit(condition: &str) -> bool {
    condition.eq_ignore_ascii_case("exit")
}

/// The fields of a session that are needed here; the rest of its record may be of another version.
#[derive(Deserialize)]
struct Facts {
    session_id: String,
    created_at: String,
    timeout: f64,
}

/// Looks up a session, in the name of `method`.
fn look(connection: &mut Connection, method: &str, session: &str) -> Result<Facts, Failure> {
    let params = SessionGetParams::of(session);
    let found = connection.request(SessionGet::NAME, &params);
    let json = found.map_err(|failure| failure.of_verb(method))?;
    serde_json::from_str(json.get()).map_err(|error| garbled(method, &error))
}

/// Returns the id of a session that already existed at `start`, looked up in the name of `method`.
/// `None` if it did not: another session may have got the name while nobody answered.
pub(crate) fn id_since(
    connection: &mut Connection,
    method: &str,
    session: &str,
    start: Instant,
) -> Result<Option<String>, Failure> {
    let session = look(connection, method, session)?;
    let start = SystemTime::now().checked_sub(start.elapsed());
    let created = clock::parse(&session.created_at);
    let was_there = created.is_some_and(|created| Some(created) <= start);
    Ok(was_there.then_some(session.session_id))
}

#[cfg(test)]
#[path = "again_tests.rs"]
mod tests;
