//! The time.

use ccd_agents::Moment;
use rustix::time::{ClockId, clock_gettime};
use std::time::{Duration, SystemTime};

pub(super) fn now() -> Moment {
    // It also counts while the system sleeps.
    #[cfg(target_os = "linux")]
    const CLOCK: ClockId = ClockId::Boottime;
    #[cfg(not(target_os = "linux"))]
    const CLOCK: ClockId = ClockId::Monotonic;
    let since_boot = clock_gettime(CLOCK);
    let seconds = u64::try_from(since_boot.tv_sec).unwrap_or_default();
    let nanoseconds = u32::try_from(since_boot.tv_nsec).unwrap_or_default();
    Moment::new(SystemTime::now(), Duration::new(seconds, nanoseconds))
}
