//! `ccctl daemon restart` and `ccctl daemon upgrade`: another worker takes over the sessions.

use crate::call::{Connection, DaemonAddress, call_within};
use crate::program::{NO_CCD, find_ccd};
use crate::render::counted;
use crate::{Context, Exit, Failure};
use ccd_protocol::daemon::{
    DaemonRestart, DaemonStatus, DaemonStatusReply, DaemonUpgrade, DaemonUpgradeParams,
    DaemonUpgradeReply, HandOver, HandOverCause,
};
use ccd_protocol::{Method, NoParams};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a handover may take: the end of the old worker (12 s), the start of the new one (20 s), or a rollback.
const LIMIT: Duration = Duration::from_secs(45);

/// How long the worker may take to begin the handover before it is pinged. It runs the new build for its formats.
const REPLY_LIMIT: Duration = Duration::from_secs(3);

const LOOK_PAUSE: Duration = Duration::from_millis(10);

/// Hands the sessions over to another worker of the same build.
pub(crate) fn restart(context: &mut Context) -> Result<Exit, Failure> {
    hand_over::<DaemonRestart>(&NoParams {}, context)
}

/// Hands the sessions over to another build: the named one, or the one that `ccctl` would start.
pub(crate) fn upgrade(binary: Option<&Path>, context: &mut Context) -> Result<Exit, Failure> {
    let binary = match binary {
        Some(path) => path.to_owned(),
        None => find_ccd().ok_or_else(|| Failure::NotFound(NO_CCD.to_owned()))?,
    };
    let params = DaemonUpgradeParams {
        binary: Some(absolute(&binary)?),
    };
    hand_over::<DaemonUpgrade>(&params, context)
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

fn hand_over<M: Method<Reply = DaemonUpgradeReply>>(
    params: &M::Params,
    context: &mut Context,
) -> Result<Exit, Failure> {
    let place = context.place()?.without_start();
    let asked = call_within::<M>(&place, params, Some(REPLY_LIMIT))?.value;
    let verb = M::NAME;
    let deadline = Instant::now() + LIMIT;
    let (status, hand_over) = wait_for_next(verb, &place, asked.number, deadline)?;
    require_success(verb, &status, &hand_over)?;
    let done = serde_json::json!({
        "pid": status.pid,
        "version": status.version,
        "sessions": status.sessions.live,
        "jobs_ended": asked.jobs,
        "last_hand_over": hand_over,
    });
    let summary = summary(verb == DaemonUpgrade::NAME, &asked, &status);
    context.print_either(&done, |out| writeln!(out, "{summary}"))?;
    Ok(Exit::Done)
}

/// Polls the status until a handover after `number` is done.
fn wait_for_next(
    verb: &str,
    place: &DaemonAddress,
    number: u64,
    deadline: Instant,
) -> Result<(DaemonStatusReply, HandOver), Failure> {
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
        match Connection::limited(stream, left)?.call::<DaemonStatus>(&NoParams {}) {
            Ok(answer) => {
                let done = answer.value.last_hand_over.clone();
                if let Some(done) = done.filter(|done| done.number > number) {
                    return Ok((answer.value, done));
                }
            }
            // The old worker or the new one ended the call.
            Err(Failure::Lost { .. } | Failure::Refused { .. }) => {}
            Err(failure) => return Err(failure),
        }
        std::thread::sleep(LOOK_PAUSE);
    }
}

/// Fails if the worker that took over is not the requested one.
fn require_success(
    verb: &str,
    status: &DaemonStatusReply,
    hand_over: &HandOver,
) -> Result<(), Failure> {
    let (pid, version) = (status.pid, &status.version);
    let reason = hand_over
        .reason
        .as_deref()
        .unwrap_or("ccctl daemon logs may say why");
    if hand_over.rolled_back {
        return Failure::failed(format!(
            "{verb}: the new build failed to start and was rolled back: {reason}; pid {pid} continues with the old build"
        ));
    }
    if hand_over.cause == HandOverCause::Crash {
        return Failure::failed(format!(
            "{verb}: the worker was killed during the handover: {reason}; pid {pid}, version {version} took over"
        ));
    }
    Ok(())
}

fn summary(is_upgrade: bool, asked: &DaemonUpgradeReply, status: &DaemonStatusReply) -> String {
    let (pid, version) = (status.pid, &status.version);
    let kept = match status.sessions.live {
        0 => String::new(),
        count => format!(", {} kept", counted(count, "session")),
    };
    let ended = match asked.jobs {
        0 => String::new(),
        1 => ", 1 job was ended (ccctl job list)".to_owned(),
        many => format!(", {many} jobs were ended (ccctl job list)"),
    };
    if is_upgrade {
        format!(
            "ccd upgraded: version {} -> {version}, pid {pid}{kept}{ended}",
            asked.version
        )
    } else {
        format!("ccd restarted: pid {pid}, version {version}{kept}{ended}")
    }
}

#[cfg(test)]
#[path = "upgrade_tests.rs"]
mod tests;
