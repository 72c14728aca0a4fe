//! Limits how often a line of the log is repeated: what a client or a program can cause again and again.

use ccd_base::number::grouped;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tracing::callsite::Identifier;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// Lines that one place in the code may log in a burst.
const BURST: u32 = 50;

/// Time after which it may log one more.
const PERIOD: Duration = Duration::from_secs(10);

/// Drops lines beyond the limit, and counts them. Lines that only show with `debug` or `trace` have no limit.
#[derive(Clone, Default)]
pub(super) struct Repeats {
    /// One entry for each place in the code that has logged anything.
    places: Arc<Mutex<HashMap<Identifier, CallsiteBudget>>>,
    dropped: Arc<Notify>,
}

struct CallsiteBudget {
    level: Level,
    left: u32,
    since: Instant,
    /// Lines that were dropped since the last report, and the message of the first of them.
    dropped: u64,
    message: String,
}

impl<S: Subscriber> Layer<S> for Repeats {
    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        let meta = event.metadata();
        *meta.level() > Level::INFO
            || meta.target() == module_path!()
            || self.allows(event, Instant::now())
    }
}

impl Repeats {
    fn allows(&self, event: &Event<'_>, now: Instant) -> bool {
        let mut places = self.places.lock();
        let meta = event.metadata();
        let place = places
            .entry(meta.callsite())
            .or_insert_with(|| CallsiteBudget {
                level: *meta.level(),
                left: BURST,
                since: now,
                dropped: 0,
                message: String::new(),
            });
        if place.may_log(now) {
            return true;
        }
        if place.dropped == 0 {
            event.record(&mut Message(&mut place.message));
            self.dropped.notify_one();
        }
        place.dropped += 1;
        false
    }

    /// Logs how many lines were dropped, once they have stopped or at intervals. Sleeps while none are dropped.
    pub(super) async fn report_each_period(self) {
        loop {
            self.dropped.notified().await;
            tokio::time::sleep(PERIOD).await;
            self.report();
        }
    }

    pub(super) fn report(&self) {
        let mut found = Vec::new();
        for place in self.places.lock().values_mut() {
            let (dropped, message) = (&mut place.dropped, &mut place.message);
            if *dropped > 0 {
                found.push((
                    place.level,
                    std::mem::take(dropped),
                    std::mem::take(message),
                ));
            }
        }
        for (level, lines, like) in found {
            let lines = grouped(lines);
            match level {
                Level::ERROR => tracing::error!("… {lines} more like this: {like}"),
                Level::WARN => tracing::warn!("… {lines} more like this: {like}"),
                _ => tracing::info!("… {lines} more like this: {like}"),
            }
        }
    }
}

impl CallsiteBudget {
    fn may_log(&mut self, now: Instant) -> bool {
        let periods = now.duration_since(self.since).as_nanos() / PERIOD.as_nanos();
        let periods = u32::try_from(periods).unwrap_or(u32::MAX);
        if periods > 0 {
            self.left = self.left.saturating_add(periods).min(BURST);
            self.since = now;
        }
        let may = self.left > 0;
        self.left -= u32::from(may);
        may
    }
}

/// Writes the message of an event, without its fields.
struct Message<'a>(&'a mut String);

impl Visit for Message<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            *self.0 = format!("{value:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_may_log_a_burst_and_then_one_line_in_each_period() {
        let start = Instant::now();
        let mut place = CallsiteBudget {
            level: Level::WARN,
            left: BURST,
            since: start,
            dropped: 0,
            message: String::new(),
        };
        let mut logged_until = |seconds: u64| {
            let at = start + Duration::from_secs(seconds);
            (0..1000).filter(|_| place.may_log(at)).count()
        };
        assert_eq!(logged_until(0), 50);
        assert_eq!(logged_until(9), 0);
        assert_eq!(logged_until(10), 1);
        assert_eq!(logged_until(45), 3);
        assert_eq!(logged_until(100_000), 50);
    }

    #[test]
    fn thousands_are_separated() {
        let texts = [7, 980, 98_121, 1_000_000].map(grouped);
        assert_eq!(texts, ["7", "980", "98,121", "1,000,000"]);
    }
}
