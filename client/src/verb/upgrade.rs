//! `ccctl daemon restart` and `ccctl daemon upgrade`: another process goes on with the sessions.

use crate::args::UpgradeArgs;
use crate::call::{Connection, LaunchError, call_at, find_program};
use crate::connect::Place;
use crate::context::Context;
use crate::exit_code::Exit;
use crate::failure::Failure;
use ccd_protocol::daemon::{
    DaemonRestart, DaemonStatus, DaemonStatusReply, DaemonUpgrade, DaemonUpgradeParams,
    DaemonUpgradeReply, HandOver, HandOverCause,
};
use ccd_protocol::{Method, NoParams};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long the hand-over may take: until the old process is gone (12 s), another serves (20 s), or the old build again.
const LIMIT: Duration = Duration::from_secs(45);

/// Pause between two looks whether another process answers.
const LOOK_PAUSE: Duration = Duration::from_millis(10);

/// Hands the sessions over to another process of the same build.
///
/// # Errors
///
/// As [`upgrade`].
pub(crate) fn restart(context: &mut Context) -> Result<Exit, Failure> {
    hand_over::<DaemonRestart>(&NoParams {}, context)
}

/// Hands the sessions over to another build: the one that is named, else the one that `ccctl` would start.
///
/// # Errors
///
/// [`crate::connect::ConnectError::NoDaemon`] when none runs, [`Failure::Failed`] when another build than the one
/// asked for goes on, [`Failure::TimedOut`] when nobody does, else those of the call.
pub(crate) fn upgrade(args: &UpgradeArgs, context: &mut Context) -> Result<Exit, Failure> {
    let binary = match &args.binary {
        Some(path) => path.clone(),
        None => {
            find_program().ok_or_else(|| Failure::NotFound(LaunchError::NoProgram.to_string()))?
        }
    };
    let params = DaemonUpgradeParams {
        binary: Some(absolute(&binary)?),
    };
    hand_over::<DaemonUpgrade>(&params, context)
}

/// The path from the root on, with its links: whoever changes where one leads means the next start too.
fn absolute(binary: &Path) -> Result<String, Failure> {
    if !binary.is_file() {
        let shown = binary.display();
        return Err(Failure::Usage(format!(
            "daemon.upgrade: {shown} is no regular file"
        )));
    }
    let path = std::path::absolute(binary).map_err(|source| Failure::Io {
        what: binary.display().to_string(),
        source,
    })?;
    path.into_os_string()
        .into_string()
        .map_err(|path| Failure::Usage(format!("daemon.upgrade: the path {path:?} is not UTF-8")))
}

fn hand_over<M: Method<Reply = DaemonUpgradeReply>>(
    params: &M::Params,
    context: &mut Context,
) -> Result<Exit, Failure> {
    let place = Place {
        may_start: false,
        ..context.place()?
    };
    let asked = call_at::<M>(&place, params)?.value;
    let verb = M::NAME;
    let deadline = Instant::now() + LIMIT;
    let (status, hand_over) = wait_for_next(verb, &place, asked.number, deadline)?;
    require_success(verb, &status, &hand_over)?;
    if context.global.json {
        context.write_json(&serde_json::json!({
            "pid": status.pid,
            "version": status.version,
            "sessions": status.sessions.live,
            "jobs_ended": asked.jobs,
            "last_hand_over": hand_over,
        }))?;
    } else {
        context.write_line(&told(verb == DaemonUpgrade::NAME, &asked, &status))?;
    }
    Ok(Exit::Done)
}

/// Asks on one connection after the other, until a hand-over behind `number` is done.
fn wait_for_next(
    verb: &str,
    place: &Place,
    number: u64,
    deadline: Instant,
) -> Result<(DaemonStatusReply, HandOver), Failure> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Failure::TimedOut(format!(
                "{verb}: nobody goes on with the sessions after {} s; the log tells why: ccctl daemon logs",
                LIMIT.as_secs()
            )));
        }
        let stream = place.connect()?;
        // Whoever connects meanwhile waits until somebody serves.
        stream
            .set_read_timeout(Some(left))
            .map_err(|source| Failure::Io {
                what: "the connection".to_owned(),
                source,
            })?;
        match Connection::over(stream).call::<DaemonStatus>(&NoParams {}) {
            Ok(answer) => {
                let done = answer.value.last_hand_over.clone();
                if let Some(done) = done.filter(|done| done.number > number) {
                    return Ok((answer.value, done));
                }
            }
            // By the one that goes, or the one that comes.
            Err(Failure::Lost { .. } | Failure::Refused { .. }) => {}
            Err(failure) => return Err(failure),
        }
        std::thread::sleep(LOOK_PAUSE);
    }
}

/// Fails when the process that goes on is not the one that was asked for.
fn require_success(
    verb: &str,
    status: &DaemonStatusReply,
    hand_over: &HandOver,
) -> Result<(), Failure> {
    let (pid, version) = (status.pid, &status.version);
    let reason = hand_over
        .reason
        .as_deref()
        .unwrap_or("ccctl daemon logs tells why");
    if hand_over.rolled_back {
        return Err(Failure::Failed(format!(
            "{verb}: the new build did not get to serve and was rolled back: {reason}; pid {pid} goes on"
        )));
    }
    if hand_over.cause == HandOverCause::Crash {
        return Err(Failure::Failed(format!(
            "{verb}: the daemon was killed meanwhile: {reason}; pid {pid}, version {version} goes on"
        )));
    }
    Ok(())
}

fn told(is_upgrade: bool, asked: &DaemonUpgradeReply, status: &DaemonStatusReply) -> String {
    let (pid, version) = (status.pid, &status.version);
    let kept = match status.sessions.live {
        0 => String::new(),
        1 => ", 1 session kept".to_owned(),
        many => format!(", {many} sessions kept"),
    };
    let ended = match asked.jobs {
        0 => String::new(),
        1 => ", 1 job ended by it (ccctl job list)".to_owned(),
        many => format!(", {many} jobs ended by it (ccctl job list)"),
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
