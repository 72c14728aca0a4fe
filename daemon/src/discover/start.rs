//! What investigations and tests need before they start.

use super::error::DiscoverError;
use crate::config::Config;
use crate::daemon::Daemon;
use crate::failure::{CallError, Failure, invalid};
use ccd_discover::drive::{Driver, Limits, Target, folder_of};
use ccd_discover::safety::refusal;
use ccd_session::peer::Peer;
use std::sync::Arc;
use std::time::Duration;

/// Longest time that a request may give to a job, in seconds.
const MAX_TIMEOUT_S: f64 = 24.0 * 60.0 * 60.0;

pub(super) fn time_limit(
    name: &str,
    given_s: Option<f64>,
    default: Duration,
) -> Result<Duration, CallError> {
    match given_s {
        None => Ok(default),
        Some(seconds) if seconds > 0.0 && seconds <= MAX_TIMEOUT_S => {
            Ok(Duration::from_secs_f64(seconds))
        }
        Some(seconds) => Err(invalid(format!(
            "{name} is {seconds}: give more than 0 and at most {MAX_TIMEOUT_S} seconds"
        ))),
    }
}

/// Returns how long a program may take for each step.
pub(super) fn limits(config: &Config) -> Limits {
    let step = Duration::from_secs(config.investigation.step_timeout.into());
    Limits { step, start: step }
}

/// Prepares to start copies of a program; none is started yet. A sandbox is tried.
pub(super) async fn driver(
    daemon: &Daemon,
    peer: &Peer,
    method: &'static str,
    target: Target,
    limits: Limits,
    is_safe: bool,
) -> Result<Driver, Failure> {
    let line = target.command_line(&target.args);
    if let Some(rule) = refusal(&line).filter(|_| is_safe) {
        return Err(DiscoverError::Refused { line, rule }.into());
    }
    let (sessions, folder) = (Arc::clone(&daemon.sessions), folder_of(&daemon.paths.base));
    let driver = Driver::new(target, limits, (sessions, peer), method, &folder);
    let driver = driver.map_err(DiscoverError::Folder)?;
    driver.try_sandbox().await?;
    Ok(driver)
}
