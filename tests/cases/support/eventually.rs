//! The only place that sleeps.

use std::time::{Duration, Instant};

/// How long to wait on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Returns the first value that `probe` finds; panics if it never finds one.
pub(crate) fn eventually<T>(what: &str, probe: impl FnMut() -> Option<T>) -> T {
    let found = eventually_within(PATIENCE, probe);
    found.unwrap_or_else(|| panic!("never happened: {what}"))
}

/// Returns the first value that `probe` finds within `limit`.
pub(crate) fn eventually_within<T>(
    limit: Duration,
    mut probe: impl FnMut() -> Option<T>,
) -> Option<T> {
    let begun = Instant::now();
    loop {
        if let Some(value) = probe() {
            return Some(value);
        }
        let elapsed = begun.elapsed();
        if elapsed >= limit {
            return None;
        }
        // Frequently at first, when most things happen, and less frequently later.
        let pause = (elapsed / 8).clamp(Duration::from_millis(1), Duration::from_millis(10));
        std::thread::sleep(pause.min(limit - elapsed));
    }
}

/// Checks repeatedly, for as long as `limit`, that something does not happen.
pub(crate) fn throughout(limit: Duration, mut demand: impl FnMut()) {
    eventually_within(limit, || {
        demand();
        None::<()>
    });
}

/// Waits for a time of up to `limit` that differs in each round, because a kill may happen at any time.
pub(crate) fn any_moment(round: usize, limit: Duration) {
    // Multiples of an irrational number are spread evenly.
    let part = (round as f64 * 0.618_034).fract();
    throughout(limit.mul_f64(part), || ());
}

/// Returns the number of rounds of kill and soak tests: `CCD_TEST_ROUNDS`, default 10.
pub(crate) fn rounds() -> usize {
    rounds_or(10)
}

/// Returns whether the tests run for long: `CCD_TEST_ROUNDS` is at least 100.
pub(crate) fn is_long_run() -> bool {
    rounds() >= 100
}

/// Returns `full`, the amount that is promised, in long runs, and otherwise `usual`, an amount that shows the same.
pub(crate) fn amount(full: usize, usual: usize) -> usize {
    if is_long_run() { full } else { usual }
}

/// Returns the same number with another default.
pub(crate) fn rounds_or(default: usize) -> usize {
    std::env::var("CCD_TEST_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}
