//! `ccctl daemon restart` and `ccctl daemon upgrade`: another worker takes over the sessions.

use crate::call::{Connection, DaemonAddress, fetch_within};
use crate::fields::Fields as _;
use crate::program::{NO_CCD, find_ccd};
use crate::render::text;
use crate::{Context, Exit, Failure};
use ccd_protocol::NoParams;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a handover may take: the end of the old worker (12 s), the start of the new one (20 s), or a rollback.
const LIMIT: Duration = Duration::from_secs(45);

/// How long the worker may take to begin the handover before it is pinged. It runs the new build for its formats.
const REPLY_LIMIT: Duration = Duration::from_secs(3);

const LOOK_PAUSE: Duration = Duration::from_millis(10);

/// Hands the sessions over to another worker of the same build.
pub(crate) fn restart(context: &mut Context) -> Result<Exit, Failure> {
    hand_over("daemon.restart", &json!({}), context)
}

/// Hands the sessions over to another build: the named one, or the one that `ccctl` would start.
pub(crate) fn upgrade(binary: Option<&Path>, context: &mut Context) -> Result<Exit, Failure> {
    let binary = match binary {
        Some(path) => path.to_owned(),
        None => find_ccd().ok_or_else(|| Failure::NotFound(NO_CCD.to_owned()))?,
    };
    let params = json!({"binary": absolute(&binary)?});
    hand_over("daemon.upgrade", &params, context)
}

/// The absolute path, with symbolic links kept: if a link is changed later, the next start follows it.
fn absolute(binary: &Path) -> Result<String, Failure> {
    if !binary.is_file() {
        let shown = binary.display();
        return Failure::usage(format!(
            "daemon.upgrade: {shown} is not a regular file; give a build of ccd"
        ));
    }
    let path = std::path::absolute(binary).map_err(Failure::io(binary.display()))?;
    path.into_os_string().into_string().map_err(|path| {
        Failure::Usage(format!(
            "daemon.upgrade: the path {path:?} is not UTF-8; give another one"
        ))
    })
}

fn hand_over(method: &str, params: &Value, context: &mut Context) -> Result<Exit, Failure> {
    let place = context.place()?.without_start();
    let asked = fetch_within(&place, method, params, Some(REPLY_LIMIT))?.value;
    let deadline = Instant::now() + LIMIT;
    let status = wait_for_next(method, &place, asked.number("number"), deadline)?;
    let failed = text("no handover", &status);
    if !failed.is_empty() {
        return Failure::failed(format!("{method}: {failed}"));
    }
    let done = json!({
        "pid": status["pid"],
        "version": status["version"],
        "sessions": status["sessions"]["live"],
        "jobs_ended": asked.number("jobs"),
        "last_hand_over": status["last_hand_over"],
    });
    let mut about = done.clone();
    about["old_version"] = asked["version"].clone();
    about["is_upgrade"] = (method == "daemon.upgrade").into();
    context.print_either(&done, |out| {
        writeln!(out, "{}", text("handed over", &about))
    })
}

/// Polls the status until a handover after `number` is done.
fn wait_for_next(
    verb: &str,
    place: &DaemonAddress,
    number: u64,
    deadline: Instant,
) -> Result<Value, Failure> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Failure::TimedOut(format!(
                "{verb}: no worker took over within {} s; ccctl daemon logs may say why",
                LIMIT.as_secs()
            )));
        }
        let stream = place.connect()?;
        // A connection that is made during the handover waits for the next worker.
        match Connection::limited(stream, left)?.fetch("daemon.status", &NoParams {}) {
            Ok(answer) if answer.value.number("last_hand_over.number") > number => {
                return Ok(answer.value);
            }
            // The old worker or the new one ended the call.
            Ok(_) | Err(Failure::Lost { .. } | Failure::Refused { .. }) => {}
            Err(failure) => return Err(failure),
        }
        std::thread::sleep(LOOK_PAUSE);
    }
}

#[cfg(test)]
#[path = "upgrade_tests.rs"]
mod tests;
