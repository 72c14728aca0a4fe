//! How long hooks took.

use ccd_protocol::hook::HookEventStatus;
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// Durations that the 99th percentile is taken of.
const KEPT: usize = 512;

/// Most different events that are counted: a hostile client may name any.
const MAX_EVENTS: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Timings(Mutex<BTreeMap<String, Timing>>);

#[derive(Debug, Default)]
struct Timing {
    count: u64,
    spooled: u64,
    last_at: String,
    last_ms: f64,
    /// The newest ones, in milliseconds.
    recent_ms: Vec<f32>,
}

impl Timings {
    /// Counts a hook. `took_ms` is the time from the client's start until the payload was safe; `None` from the spool.
    pub(super) fn count(&self, event: &str, at: &str, took_ms: Option<f64>) {
        let mut events = self.0.lock();
        if events.len() >= MAX_EVENTS && !events.contains_key(event) {
            return;
        }
        let timing = events.entry(event.to_owned()).or_default();
        timing.last_at = at.to_owned();
        let Some(took_ms) = took_ms else {
            timing.spooled += 1;
            timing.count += 1;
            return;
        };
        timing.last_ms = took_ms;
        let place = timing.count as usize % KEPT;
        match timing.recent_ms.get_mut(place) {
            Some(old) => *old = took_ms as f32,
            None => timing.recent_ms.push(took_ms as f32),
        }
        timing.count += 1;
    }

    pub(super) fn status(&self) -> Vec<HookEventStatus> {
        let events = self.0.lock();
        let status = events.iter().map(|(event, timing)| {
            let mut sorted = timing.recent_ms.clone();
            sorted.sort_by(f32::total_cmp);
            let p99 = sorted.get((sorted.len() * 99 / 100).min(sorted.len().saturating_sub(1)));
            HookEventStatus {
                event: event.clone(),
                count: timing.count,
                last_at: timing.last_at.clone(),
                last_ms: rounded(timing.last_ms),
                p99_ms: p99.map(|ms| rounded(f64::from(*ms))),
                spooled: timing.spooled,
            }
        });
        status.collect()
    }
}

fn rounded(ms: f64) -> f64 {
    (ms * 1000.0).round() / 1000.0
}
