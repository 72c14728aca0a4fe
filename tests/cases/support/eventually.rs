//! The only place that sleeps.

use std::time::{Duration, Instant};

/// Patience with a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Returns what `probe` finds, once it finds something; panics when it never does.
pub(crate) fn eventually<T>(what: &str, mut probe: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(value) = probe() {
            return value;
        }
        assert!(Instant::now() < deadline, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Rounds of kill and soak tests: `CCD_TEST_ROUNDS`, default 10.
pub(crate) fn rounds() -> usize {
    std::env::var("CCD_TEST_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(10)
}
