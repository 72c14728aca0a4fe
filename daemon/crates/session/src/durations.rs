//! Times in requests, checked once on arrival.

use ccd_protocol::Timeout;
use std::time::{Duration, Instant};

/// Longest time a request can ask for; a longer one is shortened to it, with a warning.
pub const MAX_TIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A time that is not allowed in a request; `what` names it.
#[derive(Debug, thiserror::Error)]
#[error("{what} is {value}: give 0 or more")]
pub struct InvalidTime {
    what: String,
    value: f64,
}

/// Returns `seconds` as a duration; `what` names it in errors and warnings.
pub fn seconds(
    value: f64,
    what: &str,
    warnings: &mut Vec<String>,
) -> Result<Duration, InvalidTime> {
    refuse_negative(value, what)?;
    if value > MAX_TIME.as_secs_f64() {
        warnings.push(format!("{what} was shortened to 30 days"));
        return Ok(MAX_TIME);
    }
    Ok(Duration::from_secs_f64(value))
}

/// Like [`seconds`], for milliseconds.
pub fn millis(value: f64, what: &str, warnings: &mut Vec<String>) -> Result<Duration, InvalidTime> {
    refuse_negative(value, what)?;
    seconds(value / 1000.0, what, warnings)
}

fn refuse_negative(value: f64, what: &str) -> Result<(), InvalidTime> {
    if value.is_nan() || value < 0.0 {
        let what = what.to_owned();
        return Err(InvalidTime { what, value });
    }
    Ok(())
}

#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    started: Instant,
    /// `None` waits for ever.
    pub limit: Option<Duration>,
}

impl Deadline {
    /// Starts a wait of `timeout`, or of `default` if the request has no timeout.
    pub fn start(
        timeout: Timeout,
        default: Option<Duration>,
        warnings: &mut Vec<String>,
    ) -> Result<Self, InvalidTime> {
        let limit = match timeout {
            Timeout::Default => default,
            Timeout::Forever => None,
            Timeout::After(ms) => Some(millis(ms, "timeout_ms", warnings)?),
        };
        Ok(Self {
            started: Instant::now(),
            limit,
        })
    }

    pub fn after(limit: Duration) -> Self {
        Self {
            started: Instant::now(),
            limit: Some(limit),
        }
    }

    /// Starts a wait of `patience`, or of the rest of `whole` if that is shorter.
    pub fn within(whole: Self, patience: Duration) -> Self {
        let left = whole
            .limit
            .map(|limit| limit.saturating_sub(whole.started.elapsed()));
        Self {
            started: Instant::now(),
            limit: Some(left.map_or(patience, |left| left.min(patience))),
        }
    }

    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    /// True if the request checks once and does not wait.
    pub(crate) fn looks_once(&self) -> bool {
        self.limit == Some(Duration::ZERO)
    }

    pub fn is_over(&self) -> bool {
        self.limit
            .is_some_and(|limit| self.started.elapsed() >= limit)
    }

    /// Returns when the wait ends; a time far away if it never does.
    pub fn instant(&self) -> tokio::time::Instant {
        (self.started + self.limit.unwrap_or(MAX_TIME * 12)).into()
    }

    pub(crate) fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
